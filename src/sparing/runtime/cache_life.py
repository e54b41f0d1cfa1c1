"""How long a dispatch's trunk is to be kept, from the pauses between the uses of trunks like it.

A trunk is shared by a class of roles and by what their prompts begin with: documents, code or
tasks. Pauses are those of this feature; a program knows that tasks follow each other at once.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Sequence

from sparing.cache import Life
from sparing.context.prompt.brief import Brief
from sparing.economy.cost_model import Rates
from sparing.economy.keepalive import USUAL_PAUSES
from sparing.economy.lives import RECENT_PAUSES, trunk_life
from sparing.records import ledger
from sparing.records.ledger import LedgerRow
from sparing.runtime.levers import levers_of
from sparing.runtime.source import Source
from sparing.turn import TURNS
from sparing.turn_kind import TurnKind
from sparing.way import Lever

AT_ONCE = (30.0, 30.0)
TASKS, CODE, DOCUMENTS = "tasks", "code", "documents"


def group_of(source: Source, brief: Brief) -> str:
    """Who shares a trunk with this dispatch."""
    kind = brief.asked.kind
    code = brief.code is not None or source.stage.writes is None
    what = TASKS if kind is TurnKind.TASK else CODE if code else DOCUMENTS
    return f"{source.role.role_class}/{what}"


def life_of(connection: sqlite3.Connection, source: Source, group: str, rates: Rates) -> Life:
    if Lever.HOUR not in levers_of(source) or not TURNS[source.job.turn].trunk_is_shared:
        return Life.FIVE_MINUTES
    writes = source.role.role_class.writes
    at_once = writes and group.endswith((TASKS, CODE))
    rows = ledger.of_feature(connection, source.row.feature.key)
    own = [row for row in rows if row.attempt.sent.get("group") == group]
    return trunk_life(rates, pauses(own), AT_ONCE if at_once else USUAL_PAUSES)


def pauses(rows: Sequence[LedgerRow]) -> list[float]:
    """Between the end of each turn and the start of the next, as far as they count."""
    recent = rows[-RECENT_PAUSES - 1 :]
    return [
        max(0.0, new.attempt.started - _end(old))
        for old, new in zip(recent, recent[1:], strict=False)
    ]


def _end(row: LedgerRow) -> float:
    return row.attempt.started + (row.result.seconds if row.result else 0.0)
