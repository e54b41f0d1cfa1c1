"""How well a run could have gone: its lower bound, and the best way for each turn in hindsight.

A run is plain values: turns in the order of their start, each with the ways it could have been
sent. The replay bills them call by call with the cache's own rules. The lower bound knows no
order and no time: every token that is used twice is written once and read ever after.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import NamedTuple

from sparing.cache import CacheBlock, CacheRequest, Life, PromptCache, RequestPart
from sparing.cache_minimum import MINIMUM_TOKENS
from sparing.dispatch_policy import Way
from sparing.economy.cost_model import Rates
from sparing.usage import Usage

EXACT_PLANS = 4096
"""Runs with no more plans than this are searched through; longer ones are chosen turn by turn."""
FIRST_TOKEN_SECONDS = 1.0
"""Seconds from a request until others can read what it wrote."""


class CallSize(NamedTuple):
    added: int
    """Tokens added to the conversation before the call; for a turn's first call, the prompt's."""
    output: int


@dataclass(frozen=True, slots=True)
class Sending:
    """One way a turn could be sent, and what the model then does."""

    prompt: tuple[CacheBlock, ...]
    calls: tuple[CallSize, ...]
    on: str = ""
    """The session whose transcript it continues; empty for a fresh one."""


@dataclass(frozen=True, slots=True)
class RunTurn:
    session: str
    """The name under which its transcript is kept."""
    at: float
    model: str
    base: tuple[CacheBlock, ...]
    """Tools and system prompt."""
    ways: Mapping[Way, Sending]
    call_seconds: float = 3.0
    life: Life = Life.FIVE_MINUTES
    """Lifetime of the mark at the end of each message."""


Plan = Sequence[Way]


class Oracle(NamedTuple):
    cost: float
    plan: tuple[Way, ...]
    exact: bool
    """True if every plan was tried; else each turn was sent in its own cheapest way."""


class _Sent(NamedTuple):
    """One request of a turn."""

    messages: tuple[CacheBlock, ...]
    output: int


class Conversations:
    """The transcripts of a run so far."""

    def __init__(self, transcripts: Mapping[str, tuple[CacheBlock, ...]] | None = None) -> None:
        self.transcripts = dict(transcripts or {})

    def ways(self, turn: RunTurn) -> list[Way]:
        """Ways to send it that are possible now: a session must exist before it is continued."""
        return [
            way for way, sent in turn.ways.items() if not sent.on or sent.on in self.transcripts
        ]

    def go_on(self, turn: RunTurn, way: Way) -> list[_Sent]:
        """The requests of a turn; its transcript is kept with the answer at its end."""
        sending, sent = turn.ways[way], list[_Sent]()
        messages = (*self.transcripts.get(sending.on, ()), *sending.prompt)
        for number, call in enumerate(sending.calls):
            if number and call.added:
                messages = (*messages, _added(turn, way, str(number), call.added))
            sent.append(_Sent(messages, call.output))
        answer = _added(turn, way, "answer", sending.calls[-1].output)
        self.transcripts[turn.session] = (*messages, answer)
        return sent


def _added(turn: RunTurn, way: Way, name: str, tokens: int) -> CacheBlock:
    return CacheBlock(RequestPart.MESSAGES, f"{turn.session} {turn.at} {way} {name}", tokens)


class Replay:
    """A run so far, billed by the rules of the cache."""

    def __init__(self, minimums: Mapping[str, int] = MINIMUM_TOKENS) -> None:
        self._minimums = minimums
        self._cache = PromptCache(minimums)
        self._talk = Conversations()
        self._ends: dict[str, float] = {}
        """By session: the earliest start of its next turn, even if the agent is scripted."""

    def copy(self) -> Replay:
        twin = Replay(self._minimums)
        twin._cache = self._cache.copy()
        twin._talk = Conversations(self._talk.transcripts)
        twin._ends = dict(self._ends)
        return twin

    def ways(self, turn: RunTurn) -> list[Way]:
        return self._talk.ways(turn)

    def send(self, turn: RunTurn, way: Way) -> Usage:
        total = Usage()
        at = max(turn.at, self._ends.get(turn.ways[way].on, turn.at))
        for number, (messages, output) in enumerate(self._talk.go_on(turn, way)):
            # As a client does it: the end of the last message carries a mark.
            *before, last = (*turn.base, *messages)
            blocks = (*before, last if last.mark else last.marked(turn.life))
            start = at + number * turn.call_seconds
            ready = start + min(FIRST_TOKEN_SECONDS, turn.call_seconds)
            request = CacheRequest(turn.model, blocks)
            total += self._cache.bill(request, start, output=output, ready_at=ready)
        self._ends[turn.session] = at + len(turn.ways[way].calls) * turn.call_seconds
        return total


def oracle(
    turns: Sequence[RunTurn], rates: Rates, minimums: Mapping[str, int] = MINIMUM_TOKENS
) -> Oracle:
    if math.prod(len(turn.ways) for turn in turns) <= EXACT_PLANS:
        found = _search(turns, rates, Replay(minimums), math.inf)
        assert found is not None, "some plan can always be sent"
        return found
    return _greedy(turns, rates, Replay(minimums))


def _search(turns: Sequence[RunTurn], rates: Rates, replay: Replay, limit: float) -> Oracle | None:
    """The cheapest plan below the limit, if there is one."""
    if not turns:
        return Oracle(0.0, (), exact=True)
    best: Oracle | None = None
    for way in replay.ways(turns[0]):
        tried = replay.copy()
        cost = rates.price(tried.send(turns[0], way))
        if cost >= limit:
            continue
        rest = _search(turns[1:], rates, tried, limit - cost)
        if rest is not None and cost + rest.cost < limit:
            limit = cost + rest.cost
            best = Oracle(limit, (way, *rest.plan), exact=True)
    return best


def _greedy(turns: Sequence[RunTurn], rates: Rates, replay: Replay) -> Oracle:
    total, plan = 0.0, list[Way]()
    for turn in turns:
        tried = [(way, replay.copy()) for way in replay.ways(turn)]
        costs = [rates.price(twin.send(turn, way)) for way, twin in tried]
        least = min(costs)
        way, replay = tried[costs.index(least)]
        total += least
        plan.append(way)
    return Oracle(total, tuple(plan), exact=False)


def lower_bound(turns: Sequence[RunTurn], plan: Plan, rates: Rates) -> float:
    """A cost that no order, timing or cache could beat for these very calls.

    A token sent k times is written once and read k − 1 times, or never cached at all if that is
    cheaper: one that is sent a single time need not be written.
    """
    talk = Conversations()
    least: dict[str, int] = {}
    whole: Counter[str] = Counter()
    output = 0
    for turn, way in zip(turns, plan, strict=True):
        sent, known = talk.go_on(turn, way), 0
        for number, (messages, answered) in enumerate(sent):
            output += answered
            new = (*turn.base, *messages)[known:]
            known += len(new)
            for block in new:
                least[block.digest] = min(block.tokens, least.get(block.digest, block.tokens))
                # Every later request of the turn begins with this one.
                whole[block.digest] += block.tokens * (len(sent) - number)
    write = min(rates.write_5m, rates.write_1h)
    input_cost = sum(
        min(tokens * rates.input, tokens * rates.read + (write - rates.read) * least[digest])
        for digest, tokens in whole.items()
    )
    return input_cost + rates.output * output
