"""What the ledger tells about turns to come: caches, habits, what a resume reads.

Everything is folded anew from recorded turns whenever a way is chosen, so that nothing has to
be kept in step. Rows of turns that are under way count for the cache: a sibling that has begun
to answer has filled it.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Iterable
from typing import Any

from sparing.double.cache import Block, Life, Part
from sparing.economy.cost_model import Work
from sparing.economy.estimates import (
    Errand,
    Kind,
    Memory,
    SeenTurn,
    Share,
    learned,
    observed_share,
    read_share,
)
from sparing.economy.known import Base, SentPrompt
from sparing.engine.jobs import Turn
from sparing.flow.flows import FLOWS
from sparing.flow.stage import Work as StageWork
from sparing.records import ledger
from sparing.records.ledger import Row
from sparing.way import Way

CACHE_SECONDS = 3600.0
"""Nothing lives longer in a cache."""
MOST_SENDS = 60
MOST_TURNS = 40
MOST_RESUMES = 20
ERRANDS = {
    Turn.WRITE.value: Errand.WRITE,
    Turn.REVISE.value: Errand.REVISE,
    Turn.REDO.value: Errand.REVISE,
    Turn.REVIEW.value: Errand.REVIEW,
    Turn.IMPLEMENT.value: Errand.IMPLEMENT,
    Turn.BUILD.value: Errand.IMPLEMENT,
    Turn.REPAIR_CHECKS.value: Errand.FIX,
    Turn.JUDGE.value: Errand.LONE,
    Turn.NONE.value: Errand.LONE,
}


def errand_of(template: str, flow: str, stage: str) -> Errand | None:
    """None for a turn that only mends a reply."""
    errand = ERRANDS.get(template)
    works = {one.name: one.work for one in FLOWS[flow].stages}
    if errand is Errand.REVISE and works.get(stage) is StageWork.IMPLEMENT:
        return Errand.FIX
    return errand


def memory_of(way: Way, iteration: int) -> Memory:
    if way is Way.RESUME:
        return Memory.TRANSCRIPT
    return Memory.NOTES if iteration > 1 else Memory.NONE


def sends(connection: sqlite3.Connection, trunk: str, at: float) -> list[SentPrompt]:
    """What was sent under this trunk key, as far as a cache may still hold it."""
    rows = ledger.of_trunk(connection, trunk, at - CACHE_SECONDS, MOST_SENDS)
    return [_sent(trunk, row) for row in rows if row.attempt.sent]


def _sent(trunk: str, row: Row) -> SentPrompt:
    said, started = row.attempt.sent, row.attempt.started
    calls = len(row.result.calls) if row.result else 0
    last = (row.result.seconds * (calls - 1) / calls) if row.result and calls else 0.0
    return SentPrompt(
        Base(trunk, said["base"]),
        load_blocks(said["blocks"]),
        started,
        started + last,
        resumed=said["resumed"],
    )


def works(connection: sqlite3.Connection, role: str, backend: str, flow: str) -> dict[Kind, Work]:
    """What is expected of this role's turns, by what its latest ones were."""
    rows = ledger.of_role(connection, role, backend, MOST_TURNS)
    return learned(_turns(rows, role, flow))


def _turns(rows: Iterable[Row], role: str, flow: str) -> Iterable[SeenTurn]:
    for row in rows:
        attempt = row.attempt
        errand = errand_of(attempt.template, flow, attempt.stage)
        if errand is not None and row.result is not None:
            memory = memory_of(Way(attempt.way), attempt.iteration)
            yield SeenTurn(Kind(role, errand, memory), _calls(row))


def share(connection: sqlite3.Connection, backend: str) -> Share:
    """How much of a warm transcript this client's resumed turns have read from the cache."""
    rows = ledger.resumed(connection, backend, MOST_RESUMES)
    return observed_share(
        [
            read_share(row.attempt.sent["transcript"], row.result.usage.read, _calls(row))
            for row in rows
            if row.attempt.sent.get("warm") and row.result and row.result.usage
        ]
    )


def _calls(row: Row) -> list[tuple[int, int]]:
    calls = row.result.calls if row.result else []
    return [(call["added"], call["output"]) for call in calls]


def dump_blocks(blocks: Iterable[Block]) -> list[list[Any]]:
    return [[one.digest, one.tokens, one.mark.value if one.mark else ""] for one in blocks]


def load_blocks(value: Iterable[Any]) -> tuple[Block, ...]:
    return tuple(
        Block(Part.MESSAGES, digest, tokens, Life(mark) if mark else None)
        for digest, tokens, mark in value
    )
