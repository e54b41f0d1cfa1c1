"""How much of a window a stage takes: as set, as earlier runs needed, or as estimated."""

from __future__ import annotations

from typing import NamedTuple

from sparing.connection import Connection
from sparing.dispatch_policy import Way
from sparing.economy import resume_or_handoff
from sparing.flow.flows import builder_of
from sparing.records import ledger
from sparing.records.ledger import LedgerRow
from sparing.runtime.source import Source
from sparing.turn import Turn

MOST_TURNS = 400


class Budget(NamedTuple):
    tokens: int
    origin: str
    """`set`, `learned` or `estimated`."""


def budget_of(source: Source) -> Budget:
    """As set, else as earlier runs needed, else as estimated."""
    around, stage = source.around, source.stage
    said = around.settings(source.row).flow.budget(stage.name)
    if said is not None:
        return Budget(said, "set")
    with around.database.read() as connection:
        taken = taken_by(connection, source, stage.name)
    learned = resume_or_handoff.learned_budget(taken, stage.budget_tokens)
    enough = len(taken) >= resume_or_handoff.ENOUGH_RUNS
    return Budget(learned, "learned" if enough else "estimated")


def taken_by(connection: Connection, source: Source, stage: str) -> list[int]:
    """Tokens of the context window that each earlier run of a stage added."""
    own, builder = source.row.feature.key, builder_of(source.row.feature.flow)
    rows = ledger.of_backend(connection, source.backend.name, MOST_TURNS)
    taken: dict[str, int] = {}
    for row in rows:
        feature = row.attempt.feature
        ours = (row.attempt.role, row.attempt.stage) == (builder, stage) and feature != own
        if ours and row.attempt.template != Turn.HAND_OVER:
            taken[feature] = taken.get(feature, 0) + _taken(row)
    return [size for size in taken.values() if size]


def _taken(row: LedgerRow) -> int:
    """Tokens a turn added; a fresh session's first call is left out, as it holds known
    documents."""
    calls = row.result.calls if row.result else []
    if not calls:
        return 0
    own = calls if row.attempt.way == Way.RESUME else calls[1:]
    return sum(call["added"] for call in own) + calls[-1]["output"]
