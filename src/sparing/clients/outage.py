"""Whether a backend is out for now: quota exhausted, login gone, or repeated failures.

Read from the last rows of the ledger, so every feature and every process knows it, and it ends on
its own. Nothing waits here.
"""

from __future__ import annotations

import time
from collections.abc import Sequence
from typing import NamedTuple

from sparing.connection import Connection
from sparing.failure import Failure
from sparing.records import events, gates, ledger
from sparing.records.ledger import LastEnd

AT_ONCE = frozenset({Failure.QUOTA, Failure.AUTH})
"""Failures of which one is enough: the next turn would fail just as well."""
REPEATED = frozenset({Failure.OVERLOADED, Failure.NETWORK, Failure.CRASHED, Failure.TIMED_OUT})
"""Failures of which two in a row are enough."""
QUOTA_SECONDS = 900.0
"""Seconds without a backend if its provider does not say when the quota is available again."""
REPEATED_SECONDS = 300.0


class Outage(NamedTuple):
    backend: str
    failure: str
    until: float
    detail: str = ""

    @property
    def words(self) -> str:
        when = time.strftime("%H:%M", time.localtime(self.until))
        return f"{self.backend} is out until {when} ({self.failure})"


def outage_of(connection: Connection, backend: str, now: float) -> Outage | None:
    ends = ledger.last_ends(connection, backend, 2)
    found = judge_ends(backend, ends)
    if found is None:
        return None
    if found.failure == Failure.QUOTA:
        told = events.by_key(connection, f"{ends[0].dispatch}.quota.{ends[0].number}")
        found = found._replace(until=told.data["resets_at"]) if told else found
    return found if now < found.until else None


def used_up(connection: Connection, backend: str, feature: str) -> Outage | None:
    """A quota whose provider has said when it is available again, which may be over by now.

    None if a person has answered for the feature since: they may have paid for more.
    """
    ends = ledger.last_ends(connection, backend, 1)
    if not ends or ends[0].failure != Failure.QUOTA:
        return None
    told = events.by_key(connection, f"{ends[0].dispatch}.quota.{ends[0].number}")
    if told is None or gates.answered_by_person(connection, feature, ends[0].ended):
        return None
    return Outage(backend, Failure.QUOTA, told.data["resets_at"], ends[0].detail)


def judge_ends(backend: str, ends: Sequence[LastEnd]) -> Outage | None:
    """Decide from how its last turns ended, the latest first."""
    if not ends:
        return None
    last = ends[0]
    if last.failure in AT_ONCE:
        return Outage(backend, last.failure, last.ended + QUOTA_SECONDS, last.detail)
    if len(ends) > 1 and all(one.failure in REPEATED for one in ends[:2]):
        return Outage(backend, last.failure, last.ended + REPEATED_SECONDS, last.detail)
    return None
