"""What the records hold about one feature: the input of every report."""

from __future__ import annotations

from collections.abc import Iterable
from typing import NamedTuple

from sparing.desk.features.history import events_since, ledger_rows, verdict_rows
from sparing.desk.money.turns import Turns, turns_of
from sparing.desk.office import Office
from sparing.records.features import FeatureRow
from sparing.records.ledger import LedgerRow
from sparing.records.verdicts import VerdictRow

UNREAD, FALLBACK = "unread", "fallback"


class Basis(NamedTuple):
    row: FeatureRow
    ledger: tuple[LedgerRow, ...]
    verdicts: tuple[VerdictRow, ...]
    unread: int
    """Turns after which a file was neither seen being read nor confirmed."""
    fell_back: int
    """Number of times a session was marked as impossible to resume."""

    @property
    def turns(self) -> tuple[Turns, ...]:
        return turns_of(self.ledger)

    @property
    def stages(self) -> Iterable[list[VerdictRow]]:
        for stage in dict.fromkeys(one.stage for one in self.verdicts):
            yield [one for one in self.verdicts if one.stage == stage]


def basis_of(office: Office, row: FeatureRow) -> Basis:
    told = [one.kind for one in events_since(office, 0, row.feature.key)]
    found, seen = ledger_rows(office, row), verdict_rows(office, row)
    return Basis(row, tuple(found), tuple(seen), told.count(UNREAD), told.count(FALLBACK))
