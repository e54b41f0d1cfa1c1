"""Where a prompt's cache entries end and how long they live.

A mark belongs where what comes before it will be sent again: at the end of what the whole feature
shares, and at the end of the trunk. Which of the two comes first if there is one mark only
depends on whether the trunk's last part changes from round to round, as a document under review
does, on how large that is beside what stays, and on how likely the next reviewer is shown it as it
is. An hour's life costs more to write; whether it pays follows from the pauses seen so far.
"""

from __future__ import annotations

from collections.abc import Sequence

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
    """Numbers of the segments that end an entry, in order. `passing` is how likely a look ends
    with an approval: then the next reviewer is shown the same once more."""
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
    """After an approval the next reviewer reads what was at hand from the cache, too; after a
    rejection whoever looks afresh can read only what stayed."""
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
    """How many segments from the first on are at least so steady."""
    for number, segment in enumerate(segments[:limit]):
        if segment.volatility > volatility:
            return number
    return limit


def pass_share(looks: int, passed: int) -> float:
    """How likely the next look ends with an approval, from those so far; every third one does
    until some were seen."""
    return (passed + 1) / (looks + 3)


def marked_blocks(
    segments: Sequence[Segment], trunk: int, marks: int, life: Life, passing: float = 0.0
) -> tuple[CacheBlock, ...]:
    """Segments as a cache sees them. `life` is that of what stays; what the next round replaces,
    and what lies behind the trunk, lives five minutes."""
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
    """From the pauses between uses of this trunk so far, the latest last. `usual` stands for them
    until some were seen: a program knows that tasks follow each other at once."""
    expected = (*usual, *pauses)[-RECENT_PAUSES:]
    short = cheapest_keeping(rates, 1.0, expected, (Keeping.FIVE_MINUTES, Keeping.ONE_HOUR))
    return Life.ONE_HOUR if short.keeping is Keeping.ONE_HOUR else Life.FIVE_MINUTES


def expected_readers(
    pauses: Sequence[float], life: Life, usual: Sequence[float] = SOON_AND_LATE
) -> float:
    """Dispatches that read an entry before it is forgotten: one after the other, while each comes
    in time. `usual` counts as one pause that was seen."""
    first = sum(pause < life.seconds for pause in usual) / max(1, len(usual))
    warm = (first + sum(pause < life.seconds for pause in pauses)) / (1 + len(pauses))
    return min(MOST_READERS, warm / (1 - warm)) if warm < 1 else MOST_READERS
