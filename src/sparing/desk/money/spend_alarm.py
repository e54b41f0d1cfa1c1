"""Warning a person in time that a feature's cost approaches the most it was expected to be.

At nine tenths of the forecast's upper end, once per feature, and long before a cap stops anything.
"""

from __future__ import annotations

from typing import Any

from sparing.desk.money.forecast import whole_outlook
from sparing.desk.office import Office
from sparing.event import WarningEvent
from sparing.flow.state import FlowState
from sparing.money import dollars
from sparing.records import events, totals
from sparing.records.events import Event
from sparing.records.features import FeatureRow

SHARE = 0.9
PAUSE_SECONDS = 10.0
"""How long sums are not read again while the feature makes no move: turns side by side are one."""


class SpendAlarm:
    """The alarm for one run: forecasts are made once, sums are read each time."""

    def __init__(self, office: Office) -> None:
        self._office = office
        self._marks: dict[str, int] = {}
        self._seen: dict[str, tuple[dict[str, Any], float]] = {}

    def passed(self, row: FeatureRow, at: float) -> str:
        """The warning to show now; empty if there is nothing new."""
        key = row.feature.key
        place, seen_at = self._seen.get(key, ({}, 0.0))
        if place == row.place and at - seen_at < PAUSE_SECONDS:
            return ""
        self._seen[key], mark = (row.place, at), self._mark(row)
        with self._office.database.read() as connection:
            spent = totals.get(connection, "feature", key).nano_usd
        if not mark or spent < mark:
            return ""
        name = f"{key}.forecast"
        limit = round(mark / SHARE)
        text = f"{dollars(spent)} is spent, the forecast was {dollars(limit)} at most (estimated)"
        with self._office.database.write() as tx:
            if events.has(tx, name):
                return ""
            stage = FlowState.load(row.place["state"]).stage
            told = Event.of(WarningEvent(), key=name, feature=key, at=at, stage=stage, text=text)
            events.add(tx, told)
        return text

    def _mark(self, row: FeatureRow) -> int:
        """Nine tenths of the most that the whole feature was expected to cost; 0 if unknown."""
        key = row.feature.key
        if key not in self._marks:
            high = whole_outlook(self._office, row).high.nano_usd
            self._marks[key] = round(high * SHARE) if high else 0
        return self._marks[key]
