"""Whether to send a trunk ahead by itself, to be kept for an hour.

Where a client gives all entries of a turn one life, turns keep five minutes: most of what a turn
writes is its own and never read by others. What many dispatches share can be sent before them in a
turn of its own, a primer, whose entries live for an hour and are read by turns of five minutes. It
costs more to write once, and spares every dispatch that comes after a longer pause from writing it
again. Whether one of them comes, and how many, is expected from the pauses seen here.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from typing import NamedTuple

from sparing.cache import CacheBlock, Life
from sparing.economy.cost_model import Rates

TAIL_TOKENS = 30
"""Of what a primer says behind the trunk, and of what the client puts around it."""
ANSWER_TOKENS = 8
USUAL_RETURNS, USUAL_WEIGHT = 0.5, 1.0
"""Expected until some were seen: too few for a primer to pay."""


class TrunkUse(NamedTuple):
    """A dispatch that began with a trunk, or a call that kept a session warm which did."""

    first_at: float
    last_at: float
    """Start of its last call."""
    ping: bool = False


class Primer(NamedTuple):
    tokens: int
    """That it writes."""
    cost: float
    """That the dispatch which follows at once is dearer by."""
    saves: float
    """Expected: what dispatches after it are spared."""
    returns: float = 0.0
    """Dispatches that are expected to come too late for five minutes, and within the hour."""

    @property
    def pays(self) -> bool:
        return self.saves > self.cost


NO_PRIMER = Primer(0, 0.0, 0.0)


def primer(rates: Rates, tokens: int, cached: int, returns: float) -> Primer:
    """Of a trunk of so many tokens, base included, of which so many are cached now.

    What is read from an entry of five minutes is not written for longer, so that a primer is of
    use for the rest only; and it is paid beside the dispatch, which then reads all of it.
    """
    new = tokens - cached
    if new <= 0:
        return NO_PRIMER
    spared = (rates.write_5m - rates.read) * new
    sent = rates.write_1h * new + rates.read * cached
    sent += rates.write_1h * TAIL_TOKENS + rates.output * ANSWER_TOKENS
    return Primer(new, sent - spared, returns * spared, returns)


class _Seen(NamedTuple):
    returns: float
    hours: float


def expected_returns(features: Iterable[Sequence[TrunkUse]], at: float) -> float:
    """How many dispatches come within an hour and too late for five minutes, by what was seen of
    those who share such a trunk, in this feature and others."""
    seen = [_seen(sorted(uses), at) for uses in features]
    returns, hours = sum(one.returns for one in seen), sum(one.hours for one in seen)
    return (USUAL_WEIGHT * USUAL_RETURNS + returns) / (USUAL_WEIGHT + hours)


def _seen(uses: Sequence[TrunkUse], at: float) -> _Seen:
    """Over all hours that began with a dispatch which found nothing, and so could be primed."""
    returns, hours, warm_until = 0.0, 0.0, -math.inf
    for number, use in enumerate(uses):
        if use.first_at >= warm_until and not use.ping:
            returns += _late(uses[number:])
            hours += min(1.0, (at - use.first_at) / Life.ONE_HOUR.seconds)
        warm_until = max(warm_until, use.last_at + Life.FIVE_MINUTES.seconds)
    return _Seen(returns, hours)


def _late(uses: Sequence[TrunkUse]) -> int:
    """Of the uses within an hour of the first: those that an entry of five minutes misses."""
    first, *rest = uses
    warm_until, found = first.last_at + Life.FIVE_MINUTES.seconds, 0
    for use in rest:
        if use.first_at >= first.first_at + Life.ONE_HOUR.seconds:
            break
        found += use.first_at >= warm_until and not use.ping
        warm_until = max(warm_until, use.last_at + Life.FIVE_MINUTES.seconds)
    return found


def primed_blocks(blocks: Sequence[CacheBlock]) -> tuple[CacheBlock, ...]:
    """The blocks as a primer sends them: an entry of an hour ends with the last one."""
    *before, last = (CacheBlock(one.part, one.digest, one.tokens) for one in blocks)
    return (*before, CacheBlock(last.part, last.digest, last.tokens, Life.ONE_HOUR))
