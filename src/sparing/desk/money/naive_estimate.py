"""A feature sent the naive way, from what its ledger keeps of every turn.

Every report, the demo and the end of a run take their naive figure from here. Under another policy
it is an estimate: the sizes of what the naive way would have sent are recorded. Its calls are those
of the turn, without those that only opened documents which the naive prompt contains, plus those
that a new session with the client's tools makes (`economy/comparison/naive_work.py`).
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from statistics import median
from typing import NamedTuple

from sparing.agents.scripted.conversation import CALL_SECONDS
from sparing.backend_name import SCRIPTED
from sparing.dispatch_policy import Way
from sparing.economy.comparison.naive import NaiveLook, NaiveTurn
from sparing.economy.comparison.naive_work import NaiveWork, WorkDone, naive_work
from sparing.economy.expected_work import READ_FACTOR
from sparing.panel import members
from sparing.records.ledger import LedgerRow
from sparing.records.verdicts import VerdictRow
from sparing.runtime.turn_history import kind_of
from sparing.sent import NamedSize
from sparing.tool import NUMBERED_LINES
from sparing.usage import Origin

BUCKETS = ("uncached", "read", "write_5m", "write_1h")


class Sizes(NamedTuple):
    """How actual sizes differ from the estimated ones."""

    scale: float
    """Provider tokens per estimated token."""
    beside: Mapping[str, int]
    """Tokens that the client usually adds to a prompt, by tool set."""

    def beside_of(self, row: LedgerRow) -> int:
        own = _beside_prompt(row)
        if own is not None:
            return own
        return self.beside.get(row.attempt.naive.toolset, 0)


def sizes_of(rows: Sequence[LedgerRow]) -> Sizes:
    return Sizes(_scale(rows), _beside(rows))


def naive_turns_of(
    rows: Sequence[LedgerRow], verdicts: Sequence[VerdictRow], *, counted: bool
) -> list[NaiveTurn]:
    """Naive turns of one feature, in the order of their start."""
    given = Counter(one.turn for one in verdicts)
    sizes, works = sizes_of(rows), naive_work([_done(row, given) for row in rows])
    return [
        _turn(row, work, sizes, call_seconds(row, counted=counted))
        for row, work in zip(rows, works, strict=True)
    ]


def _done(row: LedgerRow, given: Mapping[str, int]) -> WorkDone:
    calls = row.result.calls if row.result else []
    several = len(members(row.attempt.role)) > 1 and bool(row.attempt.naive.roles)
    return WorkDone(
        None if follows(row) else kind_of(row),
        [(int(call["added"]), int(call["output"])) for call in calls],
        [int(call.get("asked", 0)) for call in calls],
        _own_files(row),
        papers=_papers(row),
        # A script's agent counts the text of a file and no numbers.
        numbered=1.0 if row.attempt.backend == SCRIPTED else NUMBERED_LINES,
        counted=given.get(row.attempt.dispatch, 0) if several else 0,
    )


def call_seconds(row: LedgerRow, *, counted: bool) -> float:
    """On a counted clock turns may overlap, so calls follow one another at the scripted agent's
    pace."""
    if counted or row.result is None or not row.result.calls:
        return CALL_SECONDS
    return row.result.seconds / len(row.result.calls)


def follows(row: LedgerRow) -> bool:
    """Whether the turn continues the session of the one before right away."""
    sent = row.attempt.sent
    resumed = row.attempt.way == Way.RESUME.value
    return bool(sent) and resumed and not sent.ways and not sent.predicted


def _beside_prompt(row: LedgerRow) -> int | None:
    """Tokens that the client added to the prompt of a new session, if its sizes are simulated by
    the same estimate; None if unknown."""
    first, before = _first_input(row), sent_before(row)
    resumed = row.attempt.way == Way.RESUME.value
    if first is None or before is None or resumed or _is_measured(row):
        return None
    assert row.result is not None
    return max(0, first - before - int(row.result.calls[0]["added"]))


def sent_before(row: LedgerRow) -> int | None:
    """Tokens of a new session's tools and system prompt, which in the plain way is the role."""
    before = row.attempt.naive.before
    return None if before is None else before + own_system(row)


def own_system(row: LedgerRow) -> int:
    return row.attempt.naive.own_system or 0


def _turn(row: LedgerRow, work: NaiveWork, sizes: Sizes, seconds: float) -> NaiveTurn:
    attempt, naive = row.attempt, row.attempt.naive
    # Without a naive prompt it is a check of resume or a ping: who never resumes never asks.
    known = row.result is not None and naive.is_known
    parts = (naive.prompt, naive.role, naive.tools)
    prompt, role, tools = (_scaled(one, sizes.scale) for one in parts)
    return NaiveTurn(
        model=attempt.model,
        at=attempt.started,
        prompt=(prompt[0], prompt[1] + sizes.beside_of(row)),
        role=role,
        tools=tools,
        calls=work.new_session if known else [],
        remembering=work.one_by_one if known else None,
        made=work.made if known else None,
        apart=_apart(row, work, sizes.scale) if known else (),
        call_seconds=seconds,
        line=f"{attempt.stage} {attempt.role}",
        follows=follows(row),
    )


def _apart(row: LedgerRow, work: NaiveWork, scale: float) -> tuple[NaiveLook, ...]:
    """For reviewers who shared a turn: a turn for each one whose verdict counted."""
    if not work.apart:
        return ()
    roles = [_scaled(one, scale) for one in row.attempt.naive.roles or ()]
    pairs = zip(roles, work.apart, strict=False)
    return tuple(NaiveLook(role, calls) for role, calls in pairs)


def _scaled(one: NamedSize | None, scale: float) -> NamedSize:
    digest, tokens = one or ("", 0)
    return digest, round(scale * tokens)


def _own_files(row: LedgerRow) -> int:
    """Number of files it opened besides those that were given by path."""
    opened = len(row.result.files_read) if row.result else 0
    return max(0, opened - _told_by_path(row)[1])


def _told_by_path(row: LedgerRow) -> tuple[int, int]:
    """Tokens and number of the files that were given by path."""
    told = row.attempt.sent.ways.get(row.attempt.way)
    return (told.reads if told else None) or (0, 0)


def _papers(row: LedgerRow) -> tuple[float, float]:
    """Files given by path that the turn opened: tokens, and their share of all files opened."""
    tokens, files = _told_by_path(row)
    opened = len(row.result.files_read) if row.result else 0
    if not files or not opened:
        return 0.0, 0.0
    read = min(files, opened)
    return READ_FACTOR * tokens * read / files, read / opened


def _scale(rows: Sequence[LedgerRow]) -> float:
    """Provider tokens per estimated token, from the first calls of new sessions."""
    told = estimated = 0
    for row in rows:
        first, before = _first_input(row), sent_before(row)
        if first is None or before is None or not _is_measured(row):
            continue
        if row.attempt.way != Way.RESUME.value and row.result is not None:
            told += first
            estimated += before + int(row.result.calls[0]["added"])
    return told / estimated if estimated else 1.0


def _beside(rows: Sequence[LedgerRow]) -> dict[str, int]:
    """Usual number of tokens by tool set; used for resumed turns."""
    found: dict[str, list[int]] = {}
    for row in rows:
        tokens = _beside_prompt(row)
        if tokens is not None:
            found.setdefault(row.attempt.naive.toolset, []).append(tokens)
    return {tools: round(median(sizes)) for tools, sizes in found.items()}


def _first_input(row: LedgerRow) -> int | None:
    calls = row.result.calls if row.result else []
    if not calls or "uncached" not in calls[0]:
        return None
    return sum(int(calls[0][name]) for name in BUCKETS)


def _is_measured(row: LedgerRow) -> bool:
    return row.result is not None and row.result.origin is Origin.MEASURED
