"""What the same work would have cost naively: the single baseline of every saving.

Naively, every dispatch is a new session with the role as its system prompt; its prompt is one block
that holds every document in full. It has the same client and the same prompt cache, so only what
can't be shared between sessions is paid again. It makes the calls that the turn made, minus those
that only opened what its prompt contains, plus those that a new session with the client's tools
needs (`naive_work`). What a map or a fact sheet saves is not counted.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from itertools import count
from typing import NamedTuple

from sparing.cache import CacheBlock, Life, RequestPart
from sparing.dispatch_policy import Way
from sparing.economy.comparison.bound import CallSize, Replay, RunTurn, Sending
from sparing.usage import Usage

CALL_SECONDS = 3.0
WHOLE = 0.9
"""A call whose results come from documents by at least this share was made only for them."""


class NaiveLook(NamedTuple):
    """The separate turn of one reviewer."""

    role: tuple[str, int]
    calls: Sequence[tuple[int, int]]


@dataclass(frozen=True, slots=True)
class NaiveTurn:
    model: str
    at: float
    prompt: tuple[str, int]
    """Digest and tokens of the naive prompt."""
    role: tuple[str, int]
    tools: tuple[str, int]
    """Digest and tokens of the tools, which the client sends first."""
    calls: Sequence[tuple[int, int]]
    """Per model call: tokens added to the conversation, and output tokens. Empty if unknown, or
    if the naive baseline has no such turn."""
    call_seconds: float = CALL_SECONDS
    line: str = ""
    """Identifies turns of one role on the same subject."""
    follows: bool = False
    """True if it continues at once in the session of the same line, to correct a reply's form."""
    remembering: Sequence[tuple[int, int]] | None = None
    """Its calls by an agent that remembers what the turn's agent did; None if the same."""
    made: Sequence[tuple[int, int]] | None = None
    """The calls that the turn made, minus those for documents; None if the same."""
    apart: tuple[NaiveLook, ...] = ()
    """For reviewers who shared a turn: the separate turns they would have had naively."""

    @property
    def own_calls(self) -> Sequence[tuple[int, int]]:
        return self.calls if self.made is None else self.made

    @property
    def guessed(self) -> bool:
        """True if the naive baseline would have made other calls than the turn did."""
        return bool(self.apart) or self.calls != self.own_calls

    @property
    def remembered_calls(self) -> Sequence[tuple[int, int]]:
        return self.calls if self.remembering is None else self.remembering


def naive_usage(turns: Iterable[NaiveTurn]) -> list[Usage]:
    """The simulated bill of each turn, in the order given."""
    replay, bills, opened = Replay(), list[Usage](), dict[str, str]()
    number = count()
    for turn in turns:
        runs = [_run(one, next(number), opened) for one in looks_of(turn)]
        bills.append(sum((replay.send(run, Way.COMPOSE) for run in runs if run), Usage()))
    return bills


def looks_of(turn: NaiveTurn) -> list[NaiveTurn]:
    """The turn itself, or those that its reviewers would have had, one after the other."""
    found: list[NaiveTurn] = []
    at = turn.at
    for look in turn.apart:
        found.append(replace(turn, at=at, role=look.role, calls=look.calls, apart=()))
        at += turn.call_seconds * len(look.calls)
    return found or [turn]


def together(turns: Iterable[NaiveTurn]) -> list[NaiveTurn]:
    """The naive turns, except that reviewers who shared a turn still do."""
    return [replace(turn, apart=()) if turn.apart else turn for turn in turns]


def naive_runs(turns: Iterable[NaiveTurn]) -> list[RunTurn]:
    """The same as a run of its own, for its lower bound."""
    opened = dict[str, str]()
    found = (_run(turn, number, opened) for number, turn in enumerate(turns))
    return [run for run in found if run is not None]


def _run(turn: NaiveTurn, number: int, opened: dict[str, str]) -> RunTurn | None:
    if not turn.calls:
        return None
    calls = tuple(CallSize(*call) for call in turn.calls)
    on = opened.get(turn.line, "") if turn.follows else ""
    asked = (f"{turn.line} {number}", calls[0].added) if on else turn.prompt
    said = (CacheBlock(RequestPart.MESSAGES, *asked),) if asked[1] else ()
    session = on or f"naive {number}"
    opened[turn.line] = session
    base = (*_marked(RequestPart.TOOLS, turn.tools), *_marked(RequestPart.SYSTEM, turn.role))
    ways = {Way.COMPOSE: Sending(said, calls, on)}
    return RunTurn(session, turn.at, turn.model, base, ways, turn.call_seconds)


def _marked(part: RequestPart, named: tuple[str, int]) -> tuple[CacheBlock, ...]:
    """A block that ends a cache entry; an empty one can't be sent."""
    return (CacheBlock(part, *named, Life.FIVE_MINUTES),) if named[1] else ()


def without_reads(
    calls: Sequence[tuple[int, int]], tokens: float, share: float
) -> list[tuple[int, int]]:
    """The calls without the opening of documents of `tokens` tokens, which come first; `share`
    is the share of such documents among the opened files."""
    made = list(calls)
    place = 1
    while place < len(made) and tokens > 0:
        (asked, said), (added, answer) = made[place - 1], made[place]
        results = max(0, added - said)
        if not results:
            place += 1
            continue
        taken = min(results, tokens)
        tokens -= taken
        if taken >= WHOLE * results:
            made[place - 1 : place + 1] = [(asked, answer)]
            continue
        spared = round(share * said)
        made[place - 1] = (asked, said - spared)
        made[place] = (added - round(taken) - spared, answer)
        place += 1
    return made
