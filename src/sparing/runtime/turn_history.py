"""What the ledger tells about turns to come: caches, habits, what a resume reads.

Everything is folded anew from recorded turns whenever a way is chosen, so that nothing has to
be kept in step. Rows of turns that are under way count for the cache: a sibling that has begun
to answer has filled it.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace
from typing import NamedTuple

from sparing.agents.backend import Backend
from sparing.artifact import ArtifactName
from sparing.cache import CacheBlock, Life, RequestPart
from sparing.connection import Connection
from sparing.dispatch_policy import Way
from sparing.economy.cache_contents import Base, SentPrompt
from sparing.economy.cache_lives import TrunkUse, expected_readers
from sparing.economy.cost_model import TurnWork
from sparing.economy.expected_work import (
    Memory,
    SeenTurn,
    Share,
    TurnClass,
    learned,
    observed_share,
    read_share,
)
from sparing.flow.flows import FLOWS
from sparing.flow.stage import StageWork
from sparing.records import ledger, resume_checks
from sparing.records.ledger import LedgerRow
from sparing.sent import SentBlock, SentRecord
from sparing.turn import TURNS
from sparing.turn_kind import Errand

CACHE_SECONDS = 3600.0
"""The longest life of a cache entry."""
MOST_SENDS = 60
MOST_TURNS = 120
MOST_RESUMES = 20
CODING = frozenset(
    stage.name
    for flow in FLOWS.values()
    for stage in flow.stages
    if stage.work is StageWork.IMPLEMENT
)
CLOSING = frozenset(
    stage.name
    for flow in FLOWS.values()
    for stage in flow.stages
    if stage.writes is ArtifactName.SUMMARY
)
"""Stages that summarise finished work: a short look at it instead of exploration."""


_BY_NAME = {turn.value: row for turn, row in TURNS.items()}


def errand_of(template: str, stage: str) -> Errand | None:
    """The errand under which the ledger learns from a turn; None if it only repairs a reply or
    keeps a cache."""
    row = _BY_NAME.get(template)
    if row is None:
        return None
    found = row.code_errand if stage in CODING else row.errand
    return Errand.LONE if found is Errand.WRITE and stage in CLOSING else found


def memory_of(way: Way, *, noted: bool, handed: bool = False, chained: bool = False) -> Memory:
    if way is Way.RESUME:
        return Memory.NEIGHBOUR if chained else Memory.TRANSCRIPT
    if handed:
        return Memory.HANDOFF
    return Memory.NOTES if noted else Memory.NONE


def sends(connection: Connection, trunks: Sequence[str], at: float) -> list[SentPrompt]:
    """What was sent under these trunk keys, as far as a cache may still hold it."""
    found = ledger.of_trunks(connection, trunks, at - CACHE_SECONDS, MOST_SENDS)
    by_trunk = zip(trunks, found, strict=True)
    return [_sent(trunk, row) for trunk, rows in by_trunk for row in rows if row.attempt.sent]


def _sent(trunk: str, row: LedgerRow) -> SentPrompt:
    said = row.attempt.sent
    return SentPrompt(
        _base(trunk, said),
        load_blocks(said.blocks or ()),
        row.attempt.started,
        _last_call(row),
        resumed=bool(said.resumed),
    )


def _last_call(row: LedgerRow) -> float:
    """When the turn's last call started."""
    calls = len(row.result.calls) if row.result else 0
    taken = (row.result.seconds * (calls - 1) / calls) if row.result and calls else 0.0
    return row.attempt.started + taken


def _base(trunk: str, said: SentRecord) -> Base:
    tools, tokens = said.tools or ("", 0)
    return Base(trunk, said.base or 0, tools=tools, tools_tokens=tokens)


def tools_sent(connection: Connection, backend: str, tools: str) -> list[SentPrompt]:
    """The last turn with these tools, whatever its prompt: the next one reads them from the
    cache."""
    rows = ledger.of_backend(connection, backend, MOST_TURNS)
    own = [row for row in rows if (row.attempt.sent.tools or ("",))[0] == tools]
    return [replace(_sent(row.attempt.trunk, row), blocks=()) for row in own[-1:]]


def works(connection: Connection, backend: str) -> dict[TurnClass, TurnWork]:
    """What turns are expected to take, judged by the latest ones."""
    rows = ledger.of_backend(connection, backend, MOST_TURNS)
    known = _learned.get(backend)
    # Rows are remembered: as long as all are the same nothing was learned since.
    if known is None or list(map(id, known[0])) != list(map(id, rows)):
        known = _learned[backend] = rows, learned(_turns(rows))
    return known[1]


_learned: dict[str, tuple[Sequence[LedgerRow], dict[TurnClass, TurnWork]]] = {}
"""By backend: the rows, and what was learned from them."""


def _turns(rows: Iterable[LedgerRow]) -> Iterable[SeenTurn]:
    for row in rows:
        kind = kind_of(row)
        if kind is not None and row.result is not None:
            yield SeenTurn(kind, _calls(row))


def kind_of(row: LedgerRow) -> TurnClass | None:
    """None for a turn that only mends a reply."""
    attempt = row.attempt
    errand = errand_of(attempt.template, attempt.stage)
    if errand is None:
        return None
    sent = attempt.sent
    noted = attempt.iteration > 1 if sent.noted is None else sent.noted
    memory = memory_of(
        Way(attempt.way), noted=noted, handed=bool(sent.handed), chained=bool(sent.chained)
    )
    return TurnClass(attempt.role, errand, memory)


def share(connection: Connection, backend: Backend) -> Share:
    """How much of a warm transcript this client's resumed turns have read from the cache,
    including the one seen when its resume was checked, where that is necessary."""
    name, version = backend.name, str(getattr(backend, "version", ""))
    proven = backend.capabilities.proven
    checked = None if proven else resume_checks.get(connection, name, version)
    first = [] if checked is None or checked.share is None else [checked.share]
    rows = ledger.resumed(connection, name, MOST_RESUMES)
    return observed_share(
        first
        + [
            read_share(row.attempt.sent.transcript or 0, row.result.usage.read, _calls(row))
            for row in rows
            if row.attempt.sent.warm
            and not row.attempt.sent.mixed
            and row.result
            and row.result.usage
        ]
    )


class SessionFront(NamedTuple):
    """What a session was opened with, if it differs from what roles of a class share."""

    system: str = ""
    """Hash of its system prompt."""
    base: Base | None = None
    access: str = ""
    """Whose tools it has; empty if that was not recorded."""


def front_of(connection: Connection, feature: str, session: str) -> SessionFront:
    rows = [row for row in ledger.of_session(connection, feature, session) if row.attempt.sent]
    if not rows:
        return SessionFront()
    said = rows[-1].attempt.sent
    base = _base(rows[-1].attempt.trunk, said)
    return SessionFront(said.system or "", base, said.access or "")


def readers(connection: Connection, backend: str, group: str, life: Life) -> float:
    """How many dispatches are expected to read what one of a group writes before it is forgotten,
    by the pauses between them here, however they were sent; `group` may be a class of roles."""
    last: dict[str, float] = {}
    pauses: list[float] = []
    for row in ledger.of_backend(connection, backend, MOST_TURNS):
        one = row.attempt
        if not (one.sent.group or "").startswith(group):
            continue
        if one.feature in last:
            pauses.append(max(0.0, one.started - last[one.feature]))
        last[one.feature] = one.started + (row.result.seconds if row.result else 0.0)
    return expected_readers(pauses, life)


def trunk_uses(connection: Connection, backend: str, group: str) -> list[list[TrunkUse]]:
    """By feature: when a group's prompts were sent or sessions beginning with one kept warm."""
    found: dict[str, list[TrunkUse]] = {}
    for row in ledger.of_backend(connection, backend, MOST_TURNS):
        sent = row.attempt.sent
        kept = sent.kept_group == group
        if sent.group == group or kept:
            known = () if kept else tuple((one[0], one[1]) for one in sent.blocks or ())
            use = TrunkUse(row.attempt.started, _last_call(row), ping=kept, blocks=known)
            found.setdefault(row.attempt.feature, []).append(use)
    return list(found.values())


def opening(connection: Connection, feature: str, prompt: str) -> tuple[CacheBlock, ...]:
    """A prompt that opened a session, as a cache saw it; empty if no row knows."""
    rows = ledger.of_feature(connection, feature)
    known = (row.attempt.sent for row in rows if row.attempt.prompt == prompt)
    return next((load_blocks(one.blocks) for one in known if one.blocks), ())


def _calls(row: LedgerRow) -> list[tuple[int, int]]:
    calls = row.result.calls if row.result else []
    return [(call["added"], call["output"]) for call in calls]


def dump_blocks(blocks: Iterable[CacheBlock]) -> tuple[SentBlock, ...]:
    return tuple((one.digest, one.tokens, one.mark.value if one.mark else "") for one in blocks)


def load_blocks(value: Iterable[SentBlock]) -> tuple[CacheBlock, ...]:
    return tuple(
        CacheBlock(RequestPart.MESSAGES, digest, tokens, Life(mark) if mark else None)
        for digest, tokens, mark in value
    )
