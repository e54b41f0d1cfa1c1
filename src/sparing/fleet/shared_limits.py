"""Limits that span repositories, around one paid call: the cap for a day, and how many turns of a
backend run at once or begin in a minute. Does nothing where none is set."""

from __future__ import annotations

import time
from dataclasses import dataclass
from functools import partial

from sparing.backend_name import BackendLimit
from sparing.connection import Connection
from sparing.database import Database
from sparing.money import Amount, CapLimits, Reached
from sparing.records import ledger, shared_spending
from sparing.records.folder import StateFolder
from sparing.records.ledger import Attempt
from sparing.records.shared_spending import Busy, SharedTurn

LATE_SECONDS = 30.0
"""How much longer than its own time limit a turn may take to end."""


@dataclass(frozen=True, slots=True)
class SharedLimits:
    folder: StateFolder
    database: Database
    """The repository's own records."""
    caps: CapLimits
    backends: tuple[BackendLimit, ...]
    turn_seconds: float

    def hold(
        self, attempt: Attempt, number: int, caps: CapLimits, worst: Amount
    ) -> Reached | Busy | None:
        """Asked while the repository's own records are locked, and kept before they are written.
        `caps` are those in force."""
        limit = next((one for one in self.backends if one.backend == attempt.backend), None)
        if limit is None and not caps.spans_repositories:
            return None
        turn = self._turn(attempt.dispatch, number)
        with self.folder.shared_spending().write() as tx:
            if limit is not None:
                now = _clock(tx, on_server=self.folder.server is not None)
                until = now + self.turn_seconds + LATE_SECONDS
                if found := shared_spending.enter(tx, turn, limit, now, until):
                    return found
            if not caps.spans_repositories:
                return None
            reached = shared_spending.hold(tx, turn, attempt.day, worst, caps)
            if reached is not None:
                shared_spending.leave(tx, turn)
            return reached

    def settle(self, dispatch: str, number: int) -> None:
        """Count the bill instead of the worst case, and the call as ended."""
        if not self.backends and not self.caps.spans_repositories:
            return
        turn = self._turn(dispatch, number)
        with self.database.read() as connection:
            bill = ledger.charge_of(connection, dispatch, number)
        with self.folder.shared_spending().write() as tx:
            shared_spending.leave(tx, turn)
            if bill is not None:
                shared_spending.settle(tx, turn, bill)

    def correct(self) -> None:
        """At the start, while nothing of this repository runs, set its turns to its own ledger."""
        if not self.backends and not self.caps.spans_repositories:
            return
        name = self.folder.repository
        with self.database.read() as own, self.folder.shared_spending().write() as tx:
            shared_spending.leave_all(tx, name)
            shared_spending.correct(tx, name, partial(ledger.charge_of, own))

    def _turn(self, dispatch: str, number: int) -> SharedTurn:
        return SharedTurn(self.folder.repository, dispatch, number)


def _clock(tx: Connection, *, on_server: bool) -> float:
    """The time by the one clock that all who share the limit have."""
    if not on_server:
        return time.time()
    return float(tx.execute("select extract(epoch from clock_timestamp())").fetchone()[0])
