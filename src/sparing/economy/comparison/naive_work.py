"""How much work a turn would have been the naive way: in a new session, with the client's tools.

A turn that went on in a session knows what the session has opened, and a tool of ours that takes a
list opens several files in one call. The naive way has neither, so it makes more calls than the
turn did. How many is estimated from the run itself: a list is opened about as few files at a time
as agents open them, and whoever remembered something would have worked as turns of its kind did
here that remembered nothing.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from statistics import median
from typing import NamedTuple

from sparing.economy.cost_model import CALL_OUTPUT_TOKENS, TurnWork
from sparing.economy.estimates import (
    READS_PER_CALL,
    Memory,
    TurnClass,
    expected_work,
    seen_work,
)

Calls = Sequence[tuple[int, int]]
"""Per model call: tokens added to the conversation, tokens answered."""


_FORGETFUL = frozenset((Memory.NONE, Memory.HANDOFF))
"""A map of what others have looked at is expected to spare nothing."""


class WorkDone(NamedTuple):
    """A turn as it was."""

    kind: TurnClass | None
    """None for one that only goes on at once, or fills a cache."""
    calls: Calls
    asked: Sequence[int]
    """Of each call: things that it asked our own tools for."""
    given: Sequence[int] = ()
    """Tokens of each file that came along unasked."""


class NaiveWork(NamedTuple):
    """The calls of the same turn the naive way, step by step."""

    made: Calls
    one_by_one: Calls
    """With the client's tools, by whoever remembers as much."""
    new_session: Calls
    """The same, by somebody who remembers nothing and was given no files."""


def naive_work(turns: Sequence[WorkDone]) -> list[NaiveWork]:
    """Of the turns of one run, which are told from one another's."""
    said = _usual_answer(turns)
    split = [one_by_one(turn.calls, turn.asked, said) for turn in turns]
    usual = _usual_work(zip((turn.kind for turn in turns), split, strict=True))
    return [
        NaiveWork(turn.calls, calls, _unremembered(turn, calls, usual, said))
        for turn, calls in zip(turns, split, strict=True)
    ]


def _usual_answer(turns: Iterable[WorkDone]) -> int:
    """Tokens of a call that asks for one thing, its words included."""
    outputs = [
        output
        for turn in turns
        for (_, output), asked in list(zip(turn.calls, turn.asked, strict=True))[:-1]
        if asked <= 1
    ]
    return round(median(outputs)) if outputs else CALL_OUTPUT_TOKENS


def one_by_one(calls: Calls, asked: Sequence[int], said: int) -> list[tuple[int, int]]:
    """The calls of a turn if what a list asked for were asked for as agents do without one."""
    made: list[tuple[int, int]] = []
    owed, pending = 0.0, calls[0][0] if calls else 0
    for number, ((_, output), things) in enumerate(zip(calls, asked, strict=True)):
        owed += things / READS_PER_CALL
        times = max(1, int(owed)) if things else 1
        owed = max(0.0, owed - times) if things else owed
        made.append((pending, output))
        after = calls[number + 1][0] if number + 1 < len(calls) else output
        results = max(0, after - output) // times
        made += [(results + (said if more else output), said) for more in range(times - 1)]
        pending = after if times == 1 else results + said
    return made


def _usual_work(turns: Iterable[tuple[TurnClass | None, Calls]]) -> dict[TurnClass, TurnWork]:
    """The mean of the turns of a kind, by role and for whoever has the errand."""
    seen: dict[TurnClass, list[TurnWork]] = {}
    for kind, calls in turns:
        if kind is not None and calls:
            for one in dict.fromkeys((kind, kind._replace(role=""))):
                seen.setdefault(one, []).append(seen_work(calls))
    return {kind: _mean(works) for kind, works in seen.items()}


def _mean(works: Sequence[TurnWork]) -> TurnWork:
    count = len(works)
    return TurnWork(
        sum(one.calls for one in works) / count,
        sum(one.growth for one in works) / count,
        sum(one.output for one in works) / count,
    )


def _unremembered(
    turn: WorkDone, calls: Calls, usual: Mapping[TurnClass, TurnWork], said: int
) -> Calls:
    if turn.kind is None or not calls:
        return calls
    if turn.kind.memory in _FORGETFUL:
        return _looked_up(calls, turn.given, said)
    alone, done = expected_work(turn.kind._replace(memory=Memory.NONE), usual), seen_work(calls)
    more = max(0, round(alone.calls - done.calls))
    tokens = max(0, round(alone.growth - done.growth) - more * said)
    return _looked_up(calls, [tokens // more] * more if more else turn.given, said)


def _looked_up(calls: Calls, opened: Sequence[int], said: int) -> Calls:
    """With one more call before all others for each of these, which adds so many tokens."""
    (first, output), *rest = calls
    made: list[tuple[int, int]] = []
    for tokens in opened:
        made.append((first, said))
        first = tokens + said
    return [*made, (first, output), *rest]
