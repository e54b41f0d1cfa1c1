"""How much work a turn would have been naively: in a new session, with the client's tools.

A turn in a resumed session knows what the session has opened, and our tools that take a list open
several files in one call. The naive baseline has neither, so it makes more calls than the turn did.
How many is estimated from the run itself: a list is opened about as few files at a time as agents
open them, and an agent that remembered something would have worked like turns of its kind here that
remembered nothing. If all turns of its kind remembered something, like the stages of a builder that
share one session, it would have opened as many files as new sessions did here.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from statistics import median
from typing import NamedTuple

from sparing.economy.comparison.naive import without_reads
from sparing.economy.comparison.separate_reviews import Calls, looks_apart
from sparing.economy.cost_model import CALL_OUTPUT_TOKENS, TurnWork
from sparing.economy.expected_work import (
    APART,
    READS_PER_CALL,
    Memory,
    TurnClass,
    anyone,
    expected_work,
    seen_work,
)

_FORGETFUL = (Memory.NONE, Memory.HANDOFF)
"""Kinds of memory that are expected to save no calls."""


class WorkDone(NamedTuple):
    """A turn as it was."""

    kind: TurnClass | None
    """None for one that only continues at once, or only fills a cache."""
    calls: Calls
    asked: Sequence[int]
    """For each call: how many things it requested from our own tools."""
    files: int = 0
    """Files that it opened."""
    given: Sequence[int] = ()
    """Tokens of each file that came along unasked."""
    papers: tuple[float, float] = (0.0, 0.0)
    """Tokens of documents and code that it opened because it was given paths, which are part of
    a naive prompt; then their share of the files that it opened."""
    numbered: float = 1.0
    """Tokens that the client's tools would have returned for each token of ours: they number every
    line."""
    counted: int = 0
    """For reviewers who shared a turn: how many verdicts counted. Otherwise 0."""


class NaiveWork(NamedTuple):
    """The calls of the same turn done naively, step by step."""

    made: Calls
    one_by_one: Calls
    """With the client's tools, by an agent that remembers as much."""
    new_session: Calls
    """The same, by an agent that remembers nothing and was given no files."""
    apart: tuple[Calls, ...] = ()
    """For reviewers who shared a turn: the same in separate turns."""


def naive_work(turns: Sequence[WorkDone]) -> list[NaiveWork]:
    """The naive work of each turn, estimated from all turns of the run."""
    said = _usual_answer(turns)
    split = [without_reads(one_by_one(one, said), *one.papers) for one in turns]
    usual = _usual_work(zip((turn.kind for turn in turns), split, strict=True))
    habits = _Habits(usual, _usual_opens(turns, split), said)
    return [_naive(turn, calls, habits) for turn, calls in zip(turns, split, strict=True)]


def _naive(turn: WorkDone, calls: Calls, habits: _Habits) -> NaiveWork:
    alone = _unremembered(turn, calls, habits)
    if turn.kind is None or not turn.counted:
        return NaiveWork(without_reads(turn.calls, *turn.papers), calls, alone)
    apart = looks_apart(alone, habits.look(turn.kind), turn.counted)
    return NaiveWork(without_reads(turn.calls, *turn.papers), calls, alone, apart)


class _Opens(NamedTuple):
    """What a turn without memory opens in this run, besides what it was given by path."""

    files: float
    tokens: float
    """Tokens added by a call, besides the request itself."""


class _Habits(NamedTuple):
    """Averages over the turns of this run."""

    work: Mapping[TurnClass, TurnWork]
    opens: Mapping[str, _Opens]
    """By role; the empty role stands for all."""
    said: int

    def alone(self, kind: TurnClass) -> bool:
        """Some turn of this kind remembered nothing."""
        whose = (kind, anyone(kind))
        return any(
            one._replace(memory=memory) in self.work for one in whose for memory in _FORGETFUL
        )

    def look(self, kind: TurnClass) -> float:
        """Calls of an agent with only that errand and no memory; 0 if there was none."""
        for memory in _FORGETFUL:
            found = self.work.get(TurnClass("", kind.errand, memory))
            if found is not None:
                return found.calls
        return 0.0


def _usual_answer(turns: Iterable[WorkDone]) -> int:
    """Tokens of a call that asks for one thing, its words included."""
    outputs = [
        output
        for turn in turns
        for (_, output), asked in list(zip(turn.calls, turn.asked, strict=True))[:-1]
        if asked <= 1
    ]
    return round(median(outputs)) if outputs else CALL_OUTPUT_TOKENS


def one_by_one(turn: WorkDone, said: int) -> list[tuple[int, int]]:
    """The calls of a turn if what a list asked for were asked for as agents do without one, and
    every line that came back had its number."""
    made: list[tuple[int, int]] = []
    calls = turn.calls
    owed, pending = 0.0, calls[0][0] if calls else 0
    for number, ((_, output), things) in enumerate(zip(calls, turn.asked, strict=True)):
        owed += things / READS_PER_CALL
        times = max(1, int(owed)) if things else 1
        owed = max(0.0, owed - times) if things else owed
        made.append((pending, output))
        after = calls[number + 1][0] if number + 1 < len(calls) else output
        results = max(0, after - output)
        more_numbers = round((turn.numbered - 1) * results) if things else 0
        each = (results + more_numbers) // times
        made += [(each + (said if more else output), said) for more in range(times - 1)]
        pending = after + more_numbers if times == 1 else each + said
    return made


def _usual_work(turns: Iterable[tuple[TurnClass | None, Calls]]) -> dict[TurnClass, TurnWork]:
    """The mean of the turns of a kind, by role and over all roles with the errand."""
    seen: dict[TurnClass, list[TurnWork]] = {}
    for kind, calls in turns:
        if kind is not None and calls:
            for one in dict.fromkeys((kind, anyone(kind))):
                seen.setdefault(one, []).append(seen_work(calls))
    return {kind: _mean(works) for kind, works in seen.items()}


def _mean(works: Sequence[TurnWork]) -> TurnWork:
    count = len(works)
    return TurnWork(
        sum(one.calls for one in works) / count,
        sum(one.growth for one in works) / count,
        sum(one.output for one in works) / count,
    )


def _usual_opens(turns: Sequence[WorkDone], split: Sequence[Calls]) -> dict[str, _Opens]:
    """Averages over turns that remembered nothing and opened something, by role and overall."""
    seen: dict[str, list[tuple[int, TurnWork]]] = {}
    for turn, calls in zip(turns, split, strict=True):
        if turn.kind is not None and turn.kind.memory in _FORGETFUL and turn.files and calls:
            for role in (turn.kind.role, ""):
                seen.setdefault(role, []).append((turn.files, seen_work(calls)))
    return {
        role: _Opens(
            sum(files for files, _ in found) / len(found),
            sum(work.growth for _, work in found)
            / sum(max(1, work.calls - 1) for _, work in found),
        )
        for role, found in seen.items()
    }


def _unremembered(turn: WorkDone, calls: Calls, habits: _Habits) -> Calls:
    if turn.kind is None or not calls:
        return calls
    said = habits.said
    if turn.kind.memory in _FORGETFUL:
        return _looked_up(calls, turn.given, said)
    if not habits.alone(turn.kind):
        return _opened_anew(turn, calls, habits)
    alone = expected_work(turn.kind._replace(memory=Memory.NONE), habits.work)
    done = seen_work(calls)
    more = max(0, round(alone.calls - done.calls))
    tokens = max(0, round(alone.growth - done.growth) - more * said)
    return _looked_up(calls, [tokens // more] * more if more else turn.given, said)


def _opened_anew(turn: WorkDone, calls: Calls, habits: _Habits) -> Calls:
    """By the files that new sessions open here, since no turn of this kind was one."""
    assert turn.kind is not None
    usual = habits.opens.get(turn.kind.role) or habits.opens.get("")
    more = max(0, round(usual.files) - turn.files) if usual else 0
    if usual is None or turn.kind.errand in APART or not more:
        return _looked_up(calls, turn.given, habits.said)
    return _looked_up(calls, [max(0, round(usual.tokens) - habits.said)] * more, habits.said)


def _looked_up(calls: Calls, opened: Sequence[int], said: int) -> Calls:
    """Add one call at the start for each of these, which adds that many tokens."""
    (first, output), *rest = calls
    made: list[tuple[int, int]] = []
    for tokens in opened:
        made.append((first, said))
        first = tokens + said
    return [*made, (first, output), *rest]
