"""Where a prompt's cache entries end and how long they live.

A mark belongs where what comes before it will be sent again: at the end of what the whole feature
shares, and at the end of the trunk. Which comes first if there is only one mark depends on whether
the trunk's last part changes from round to round, like a document under review, on how large that
is compared with what stays, and on how likely the next reviewer is shown it unchanged. A one-hour
entry costs more to write; whether it pays follows from the pauses seen so far.

Whether to send a trunk ahead on its own, to be kept for an hour.

If a client gives all entries of a turn one lifetime, turns use five minutes: most of what a turn
writes is never read by others. What many dispatches share can be sent before them in a turn of its
own, a primer, whose entries live for an hour and are read by five-minute turns. It costs more to
write once, and saves every dispatch after a longer pause from writing it again. Whether there will
be such dispatches, and how many, is estimated from the pauses seen here.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from itertools import takewhile
from typing import NamedTuple

from sparing.cache import CacheBlock, Life, RequestPart
from sparing.economy.cost_model import Rates
from sparing.economy.keepalive import USUAL_PAUSES, Keeping, cheapest_keeping
from sparing.segment import Segment, Volatility

RECENT_PAUSES = 8
MOST_READERS = 10.0
SOON_AND_LATE = (150.0, 400.0)


def mark_places(
    segments: Sequence[Segment], trunk: int, marks: int, passing: float = 0.0
) -> tuple[int, ...]:
    """Numbers of the segments that end an entry, in order. `passing` is the probability that a
    review approves: the next reviewer is then shown the same document again."""
    last = len(segments)
    shared = _end(segments, Volatility.FEATURE, trunk)
    steady = _end(segments, Volatility.ROLE, last)
    first = (trunk, shared)
    replaced = any(_is_replaced(one) for one in segments[shared:trunk])
    if shared and replaced and not _ends_behind(segments, shared, trunk, passing):
        first = (shared, trunk)
    ends = [end for end in dict.fromkeys((*first, steady)) if 0 < end < last]
    return tuple(sorted(end - 1 for end in ends[:marks]))


def _ends_behind(segments: Sequence[Segment], shared: int, trunk: int, passing: float) -> bool:
    """Whether to mark the trunk's end first: after an approval the next reviewer reads the
    document from the cache too, after a rejection a fresh session can read only what stayed."""
    stays = sum(one.tokens for one in segments[:shared])
    at_hand = sum(one.tokens for one in segments[shared:trunk])
    return passing * at_hand > (1 - passing) * stays


def _is_replaced(segment: Segment) -> bool:
    """Another one in the next round; code under review stays, and only grows at its end."""
    grows = segment.name == "code" or segment.name.startswith("after-")
    return segment.volatility is Volatility.STAGE and not grows


def steady_end(segments: Sequence[Segment], trunk: int) -> int:
    """How many segments of the trunk the next round does not replace."""
    replaced = (n for n, one in enumerate(segments[:trunk]) if _is_replaced(one))
    return min(replaced, default=trunk)


def _end(segments: Sequence[Segment], volatility: Volatility, limit: int) -> int:
    """How many leading segments are at most this volatile."""
    for number, segment in enumerate(segments[:limit]):
        if segment.volatility > volatility:
            return number
    return limit


def pass_share(looks: int, passed: int) -> float:
    """Probability that the next review approves, from those so far; one in three if there are
    none."""
    return (passed + 1) / (looks + 3)


def marked_blocks(
    segments: Sequence[Segment], trunk: int, marks: int, life: Life, passing: float = 0.0
) -> tuple[CacheBlock, ...]:
    """Segments as a cache sees them. `life` applies to what stays; what the next round replaces,
    and everything after the trunk, lives five minutes."""
    places = mark_places(segments, trunk, marks, passing)
    stays = steady_end(segments, trunk)
    return tuple(
        CacheBlock(
            RequestPart.MESSAGES, segment.digest, segment.tokens,
            None if number not in places or not segment.tokens
            else life if number < stays else Life.FIVE_MINUTES,
        )
        for number, segment in enumerate(segments)
    )  # fmt: skip


def trunk_life(
    rates: Rates, pauses: Sequence[float], usual: Sequence[float] = USUAL_PAUSES
) -> Life:
    """Lifetime for a trunk, from the pauses between its uses so far, the latest last. `usual` is
    used until some were seen: tasks, for instance, follow each other at once."""
    expected = (*usual, *pauses)[-RECENT_PAUSES:]
    short = cheapest_keeping(rates, 1.0, expected, (Keeping.FIVE_MINUTES, Keeping.ONE_HOUR))
    return Life.ONE_HOUR if short.keeping is Keeping.ONE_HOUR else Life.FIVE_MINUTES


def expected_readers(
    pauses: Sequence[float], life: Life, usual: Sequence[float] = SOON_AND_LATE
) -> float:
    """Expected number of dispatches that read an entry before it expires, each in time after the
    one before. `usual` counts as one observed pause."""
    first = sum(pause < life.seconds for pause in usual) / max(1, len(usual))
    warm = (first + sum(pause < life.seconds for pause in pauses)) / (1 + len(pauses))
    return min(MOST_READERS, warm / (1 - warm)) if warm < 1 else MOST_READERS


TAIL_TOKENS = 30
"""Tokens of a primer's text after the trunk, and of what the client puts around it."""
ANSWER_TOKENS = 8
SURE = 1.3
"""Factor by which a primer's expected savings must exceed its price, which is paid now."""
USUAL_RETURNS, USUAL_WEIGHT = 0.5, 1.0
"""Prior for the expected returns and its weight: too few for a primer to pay."""


class TrunkUse(NamedTuple):
    """A dispatch that began with a trunk, or a call that kept a session warm which did."""

    first_at: float
    last_at: float
    """Start of its last call."""
    ping: bool = False
    blocks: tuple[tuple[str, int], ...] = ()
    """Digest and tokens of what it was sent, where that is known."""


class Primer(NamedTuple):
    tokens: int
    """Tokens that it writes."""
    cost: float
    """Extra cost of sending it, net of what it saves the dispatch that follows at once."""
    saves: float
    """Expected savings of the dispatches after that."""
    returns: float = 0.0
    """Dispatches that are expected to come too late for five minutes, and within the hour."""

    @property
    def pays(self) -> bool:
        return self.saves > SURE * self.cost


NO_PRIMER = Primer(0, 0.0, 0.0)


def primer(rates: Rates, tokens: int, cached: int, returns: float) -> Primer:
    """The primer for a trunk of `tokens` (base included), of which `cached` are in the cache now.

    What is read from a five-minute entry is not rewritten for longer, so a primer helps only with
    the rest; and it is paid in addition to the dispatch, which then reads all of it.
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
    """Expected number of dispatches that come within an hour but too late for five minutes, from
    earlier uses of such a trunk in this feature and others."""
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


def _late(uses: Sequence[TrunkUse]) -> float:
    """Uses within an hour of the first that a five-minute entry would miss. Each counts by the
    share of its prefix that equals the first one's: documents grow and are revised meanwhile."""
    first, *rest = uses
    most = max((_common(first, use) for use in rest), default=0)
    warm_until, found = first.last_at + Life.FIVE_MINUTES.seconds, 0.0
    for use in rest:
        if use.first_at >= first.first_at + Life.ONE_HOUR.seconds:
            break
        if use.first_at >= warm_until and not use.ping:
            found += _common(first, use) / most if most else not first.blocks
        warm_until = max(warm_until, use.last_at + Life.FIVE_MINUTES.seconds)
    return found


def _common(first: TrunkUse, use: TrunkUse) -> int:
    """Tokens with which both begin."""
    pairs = zip(first.blocks, use.blocks, strict=False)
    return sum(block[1] for block, _ in takewhile(lambda pair: pair[0] == pair[1], pairs))


def primed_blocks(blocks: Sequence[CacheBlock]) -> tuple[CacheBlock, ...]:
    """The blocks as a primer sends them: an entry of an hour ends with the last one."""
    *before, last = (CacheBlock(one.part, one.digest, one.tokens) for one in blocks)
    return (*before, CacheBlock(last.part, last.digest, last.tokens, Life.ONE_HOUR))
