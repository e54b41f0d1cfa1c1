"""How much work a turn is expected to be, until the ledger knows better.

The defaults are a fraction of the workload on which the cost model was tested (24 drawn features of
76 dispatches each): steps, files and answer sizes per kind of turn. They are assumptions, and the
first real turns of a role soon outweigh them. Also here: what the ledger shows about a client's
cache when a session is resumed.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from enum import StrEnum
from functools import lru_cache
from types import MappingProxyType
from typing import NamedTuple

from sparing.economy.cost_model import CALL_OUTPUT_TOKENS, TurnWork
from sparing.panel import members
from sparing.turn_kind import Errand

RESULT_TOKENS = 700
"""Tokens of one tool result that is not a read: 300 to 1,100 in the workload."""
FILE_TOKENS = 2140
"""Tokens of one file or chunk read, with the text around it: 1,200 to 3,000 in the workload."""
FILES_PER_CALL = 2
READS_PER_CALL = 1.2
"""Tool calls a step in public traces of agents: files of a list are opened one after the other."""
READ_FACTOR = 1.04
"""Factor for the line numbers that a read tool adds: 3,900 tokens for 3,750, measured."""
PARALLEL_READS = 9
"""Most tool calls at once; more would reach past the cache's look-back."""
PRIOR = 0.15
"""Fraction of the workload's figures expected until a turn was seen: agents that do little are
as common as those of the workload, and expecting too much makes a resume or preload look cheap."""
DEFAULT_WEIGHT = 0.5
"""Weight of the default in what is learned; an observed turn has weight 1."""
LEAST_WEIGHT = 0.1
"""Least weight of the latest turn in what is learned: habits change, so old turns fade."""
ENOUGH_RESUMES = 3
MISSING_SHARE = 0.5


class Memory(StrEnum):
    """What the agent remembers of the turns before."""

    NONE = "none"
    NOTES = "notes"
    """Its own earlier verdict and the diff, repeated by the program."""
    HANDOFF = "handoff"
    """A map of what others have opened, and their decisions: not expected to save anything until
    turns show that it does."""
    TRANSCRIPT = "transcript"
    NEIGHBOUR = "neighbour"
    """The transcript of the task before, whose files are those of this one."""


class TurnHabit(NamedTuple):
    """A turn in the terms of the workload."""

    steps: float
    """Tool calls that are not reads."""
    files: float
    answer: float
    typed: float = 0
    """Part of the answer: tokens typed in calls before the last, which stay in the context."""


_REMEMBERING: Mapping[tuple[Errand, Memory], TurnHabit] = MappingProxyType(
    {
        (Errand.WRITE, Memory.NONE): TurnHabit(3, 9, 4775),
        (Errand.WRITE, Memory.NOTES): TurnHabit(3, 9, 4775),
        (Errand.WRITE, Memory.HANDOFF): TurnHabit(3, 9, 4775),
        (Errand.WRITE, Memory.TRANSCRIPT): TurnHabit(3, 9, 4775),
        (Errand.REVISE, Memory.NONE): TurnHabit(3, 3.5, 1335),
        (Errand.REVISE, Memory.NOTES): TurnHabit(3, 2.5, 1335),
        (Errand.REVISE, Memory.HANDOFF): TurnHabit(3, 3.5, 1335),
        (Errand.REVISE, Memory.TRANSCRIPT): TurnHabit(3, 0.5, 1335),
        (Errand.REVIEW, Memory.NONE): TurnHabit(4, 5.5, 1050),
        (Errand.REVIEW, Memory.NOTES): TurnHabit(3, 2.5, 1050),
        (Errand.REVIEW, Memory.HANDOFF): TurnHabit(4, 5.5, 1050),
        (Errand.REVIEW, Memory.TRANSCRIPT): TurnHabit(2, 0.5, 1050),
        (Errand.IMPLEMENT, Memory.NONE): TurnHabit(7, 5.5, 3100, typed=2800),
        (Errand.IMPLEMENT, Memory.NOTES): TurnHabit(7, 5.5, 3100, typed=2800),
        (Errand.IMPLEMENT, Memory.HANDOFF): TurnHabit(7, 5.5, 3100, typed=2800),
        (Errand.IMPLEMENT, Memory.TRANSCRIPT): TurnHabit(7, 5.5, 3100, typed=2800),
        (Errand.FIX, Memory.NONE): TurnHabit(7, 7, 1550, typed=1400),
        (Errand.FIX, Memory.NOTES): TurnHabit(7, 5, 1550, typed=1400),
        (Errand.FIX, Memory.HANDOFF): TurnHabit(7, 7, 1550, typed=1400),
        (Errand.FIX, Memory.TRANSCRIPT): TurnHabit(6, 3, 1550, typed=1300),
        # Whoever sums up or judges finished work looks at it, unless it has just done it.
        (Errand.LONE, Memory.NONE): TurnHabit(4, 5.5, 2000),
        (Errand.LONE, Memory.NOTES): TurnHabit(4, 5.5, 2000),
        (Errand.LONE, Memory.HANDOFF): TurnHabit(4, 5.5, 2000),
        (Errand.LONE, Memory.TRANSCRIPT): TurnHabit(3, 1.5, 2000),
        (Errand.RETRO, Memory.NONE): TurnHabit(5, 0, 2000),
        (Errand.RETRO, Memory.NOTES): TurnHabit(5, 0, 2000),
        (Errand.RETRO, Memory.HANDOFF): TurnHabit(5, 0, 2000),
        (Errand.RETRO, Memory.TRANSCRIPT): TurnHabit(5, 0, 2000),
        (Errand.HAND_OVER, Memory.NONE): TurnHabit(0, 0, 600),
        (Errand.HAND_OVER, Memory.NOTES): TurnHabit(0, 0, 600),
        (Errand.HAND_OVER, Memory.HANDOFF): TurnHabit(0, 0, 600),
        (Errand.HAND_OVER, Memory.TRANSCRIPT): TurnHabit(0, 0, 600),
    }
)
_NEIGHBOURS = {
    (errand, Memory.NEIGHBOUR): habit
    for (errand, memory), habit in _REMEMBERING.items()
    if memory is Memory.TRANSCRIPT
} | {(Errand.IMPLEMENT, Memory.NEIGHBOUR): TurnHabit(7, 3.5, 3100, typed=2800)}
"""A task after one with the same files: it need not open those again, a file and its test."""
HABITS = MappingProxyType({**_REMEMBERING, **_NEIGHBOURS})


APART = frozenset((Errand.RETRO, Errand.HAND_OVER))
"""How long these turns are says nothing of others."""


def work_of(habit: TurnHabit) -> TurnWork:
    more_calls = habit.steps + habit.files / FILES_PER_CALL
    asked = more_calls * CALL_OUTPUT_TOKENS
    return TurnWork(
        calls=1 + more_calls,
        growth=habit.steps * RESULT_TOKENS + habit.files * FILE_TOKENS + asked + habit.typed,
        output=habit.answer + asked,
    )


PANEL = "+"
"""Used instead of a role: any reviewers who share one turn."""


class TurnClass(NamedTuple):
    """A kind of turn: what is learned from one turn is expected of the next of its kind."""

    role: str
    """Empty for any role; `PANEL` for any reviewers who share one turn."""
    errand: Errand
    memory: Memory


class SeenTurn(NamedTuple):
    """A turn of the ledger."""

    kind: TurnClass
    calls: Sequence[tuple[int, int]]
    """Per model call: tokens added to the conversation, and output tokens."""


def learned(turns: Iterable[SeenTurn]) -> dict[TurnClass, TurnWork]:
    """The expected work of each kind after these turns, and of each errand for any role: a mean in
    which the default counts as part of a turn, and among many turns the later ones count more.
    """
    known: dict[TurnClass, TurnWork] = {}
    times: Counter[TurnClass] = Counter()
    for kind, calls in turns:
        for one in dict.fromkeys((kind, anyone(kind))) if calls else ():
            times[one] += 1
            weight = max(1 / (DEFAULT_WEIGHT + times[one]), LEAST_WEIGHT)
            known[one] = _blend(expected_work(one, known), seen_work(calls), weight)
    return known


@lru_cache(1024)
def anyone(kind: TurnClass) -> TurnClass:
    """The same errand for any role; a panel, which does the work of two, is kept separate."""
    return kind._replace(role=PANEL if len(members(kind.role)) > 1 else "")


def is_new(role: str, errand: Errand, known: Mapping[TurnClass, TurnWork]) -> bool:
    """Whether no turn of this role and kind was seen, however it was sent."""
    return not any(one.role == role and one.errand is errand for one in known)


def expected_work(kind: TurnClass, known: Mapping[TurnClass, TurnWork]) -> TurnWork:
    """The learned value for this role, else for any role; if the errand was seen only with
    another memory, the default scaled in the same proportion; if it is new, the default scaled
    by how much agents do here in others. For reviewers who share a turn for the first time: the
    sum of their separate work."""
    if (own := known.get(kind)) is not None:
        return own
    whoever, seats = anyone(kind), members(kind.role)
    if (of_anyone := known.get(whoever)) is not None:
        return of_anyone
    if len(seats) > 1:
        return _together([expected_work(kind._replace(role=one), known) for one in seats])
    usual = work_of(HABITS[kind.errand, kind.memory])
    for other in (kind, whoever):
        for memory in Memory:
            seen = known.get(other._replace(memory=memory))
            if seen is not None:
                return _scaled(usual, seen, work_of(HABITS[kind.errand, memory]))
    calls, growth, output = _pace(known)
    return TurnWork(max(1.0, calls * usual.calls), growth * usual.growth, output * usual.output)


def _together(works: Sequence[TurnWork]) -> TurnWork:
    """All work combined in one turn, which has only one final call."""
    return TurnWork(
        1 + sum(one.calls - 1 for one in works),
        sum(one.growth for one in works),
        sum(one.output for one in works),
    )


def _pace(known: Mapping[TurnClass, TurnWork]) -> tuple[float, float, float]:
    """Calls, growth and output of all turns seen here, relative to the workload's figures for
    them."""
    seen = [
        (work, work_of(HABITS[kind.errand, kind.memory]))
        for kind, work in known.items()
        if not kind.role and kind.errand not in APART
    ]
    whole = DEFAULT_WEIGHT + len(seen)
    return (
        (DEFAULT_WEIGHT * PRIOR + sum(one.calls / usual.calls for one, usual in seen)) / whole,
        (DEFAULT_WEIGHT * PRIOR + sum(one.growth / usual.growth for one, usual in seen)) / whole,
        (DEFAULT_WEIGHT * PRIOR + sum(one.output / usual.output for one, usual in seen)) / whole,
    )


def _scaled(usual: TurnWork, seen: TurnWork, expected: TurnWork) -> TurnWork:
    """The usual work, scaled as the observed turn was relative to its expectation."""
    return TurnWork(
        max(1.0, usual.calls * seen.calls / expected.calls),
        # Of a turn that only answers nothing is expected to grow.
        usual.growth * seen.growth / expected.growth if expected.growth else seen.growth,
        usual.output * seen.output / expected.output,
    )


def seen_work(calls: Sequence[tuple[int, int]]) -> TurnWork:
    growth = sum(added for added, _ in calls[1:])
    return TurnWork(len(calls), growth, sum(output for _, output in calls))


def _blend(old: TurnWork, new: TurnWork, weight: float) -> TurnWork:
    return TurnWork(
        old.calls + weight * (new.calls - old.calls),
        old.growth + weight * (new.growth - old.growth),
        old.output + weight * (new.output - old.output),
    )


def by_reference(work: TurnWork, tokens: float, files: int) -> TurnWork:
    """The same turn when its mandatory files come by path: they are read before all else, as few
    at a time as models open files."""
    calls = math.ceil(files / READS_PER_CALL)
    asked = calls * CALL_OUTPUT_TOKENS
    return TurnWork(
        work.calls + calls,
        work.growth + asked,
        work.output + asked,
        work.early + READ_FACTOR * tokens,
    )


class Share(NamedTuple):
    """How much of a warm transcript a client's resumed calls read from the cache (V5)."""

    mean: float
    resumes: int

    @property
    def misses(self) -> bool:
        """Seen often enough to say that this client's resume breaks the prefix."""
        return self.resumes >= ENOUGH_RESUMES and self.mean < MISSING_SHARE


UNSEEN = Share(1.0, 0)
"""Nothing observed yet. On a real client with a simulated cache all of it was read."""


def observed_share(shares: Sequence[float]) -> Share:
    """The share for one backend and version, from resumes within the cache lifetime."""
    if not shares:
        return UNSEEN
    return Share(sum(shares) / len(shares), len(shares))


def read_share(transcript: int, read: int, calls: Sequence[tuple[int, int]]) -> float:
    """The share of a transcript that the first call of a resumed turn read.

    Bills are per turn: later calls are assumed to read everything that the call before them sent,
    and the rest was read by the first.
    """
    later, context = 0, transcript
    for added, _ in calls[:-1]:
        context += added
        later += context
    return min(1.0, max(0, read - later) / transcript) if transcript > 0 else 1.0
