"""Whether a feature's session is still cached while the feature waits.

No price is looked up here, for speed: `price_of_waiting` prices a session that is warm.
"""

from __future__ import annotations

from typing import NamedTuple

from sparing.cache import Life
from sparing.codec import JsonObject
from sparing.config.settings import ClockKind
from sparing.desk.office import Office, settings_of
from sparing.feature import FeatureStatus
from sparing.flow.flows import FLOWS
from sparing.flow.state import FlowState, Position
from sparing.money import dollars, usd_or_none
from sparing.records import sessions
from sparing.records.features import FeatureRow

WAITS = (Position.GATE, Position.STUCK)


class CacheWarmth(NamedTuple):
    until: float
    now_nano_usd: int | None
    later_nano_usd: int | None
    """Cost of the next turn after that; None without a price."""

    def words(self, clock: str) -> str:
        """`clock` is the time of day until which it is warm."""
        if self.now_nano_usd is None or self.later_nano_usd is None:
            return f"the author's next turn gets more expensive at {clock}"
        return (
            f"the author's next turn: about {dollars(self.now_nano_usd)} until {clock},"
            f" then {dollars(self.later_nano_usd)} (estimated)"
        )

    def dump(self, feature: str) -> JsonObject:
        return {
            "feature": feature,
            "warm_until": self.until,
            "now_usd": usd_or_none(self.now_nano_usd),
            "after_usd": usd_or_none(self.later_nano_usd),
            "origin": "estimated",
        }


def is_warm(office: Office, row: FeatureRow, at: float) -> bool:
    """Whether a feature waits for a person while its author's session is still cached."""
    if row.running or row.status is not FeatureStatus.ACTIVE:
        return False
    state = FlowState.load(row.place["state"])
    if state.position not in WAITS or settings_of(office, row).engine.clock is ClockKind.COUNTED:
        return False
    author = FLOWS[row.feature.flow].stage(state.stage).author
    with office.database.read() as connection:
        session = sessions.latest(connection, row.feature.key, author)
    if session is None:
        return False
    return at < (session.last_call or session.last_activity) + Life.FIVE_MINUTES.seconds
