"""A trunk is sent ahead for an hour only where the pauses seen here make that cheaper.

Covers: E9
"""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sparing.cache import CacheBlock, CacheRequest, Life, PromptCache, RequestPart
from sparing.economy.cache_contents import Base, SentPrompt, believed, cached_tokens
from sparing.economy.cache_lives import (
    ANSWER_TOKENS,
    TAIL_TOKENS,
    TrunkUse,
    expected_returns,
    primed_blocks,
    primer,
)
from sparing.economy.cost_model import TYPICAL
from sparing.usage import Usage

MODEL, TRUNK = "claude-sonnet-5", 12_000
BLOCKS = (
    CacheBlock(RequestPart.MESSAGES, "spec", 7_000),
    CacheBlock(RequestPart.MESSAGES, "design", 5_000),
)


def uses(*starts: float, seconds: float = 0.0) -> list[TrunkUse]:
    return [TrunkUse(start, start + seconds) for start in starts]


def test_who_comes_back_late_pays_for_it() -> None:
    """E9: one such dispatch in an hour is enough, half of one is not."""
    assert primer(TYPICAL, TRUNK, 0, returns=1).pays
    assert not primer(TYPICAL, TRUNK, 0, returns=0.5).pays
    found = primer(TYPICAL, TRUNK, 0, returns=1)
    assert (found.tokens, found.saves) == (TRUNK, pytest.approx(1.15 * TRUNK))
    own = 2 * TAIL_TOKENS + 5 * ANSWER_TOKENS
    assert found.cost == pytest.approx(0.85 * TRUNK + own), "beside what the dispatch would write"


def test_what_is_cached_already_can_t_be_primed() -> None:
    """E9: a request that reads an entry of five minutes does not make it live longer."""
    assert not primer(TYPICAL, TRUNK, TRUNK, returns=9).pays
    half = primer(TYPICAL, TRUNK, TRUNK // 2, returns=1)
    assert half.tokens == TRUNK // 2
    assert half.saves == pytest.approx(1.15 * TRUNK / 2)


def test_returns_are_those_that_were_seen() -> None:
    """E9: too late for five minutes and within the hour; the first is expected to be none."""
    assert expected_returns([], at=0.0) == 0.5
    often = uses(0, 400, 800, 1200, 1600)
    assert expected_returns([often], at=10_000.0) > 1
    assert expected_returns([uses(0, 60, 120, 180, 240)], at=10_000.0) == pytest.approx(0.25)
    hours = uses(0, 4_000, 8_000, 12_000)
    assert expected_returns([hours], at=20_000.0) < 0.2, "nothing lives so long"
    assert expected_returns([hours, often], at=20_000.0) > expected_returns([hours], at=20_000.0)


def test_a_turn_keeps_its_trunk_while_it_lasts() -> None:
    """E9: the pause begins with its last call."""
    long = uses(0, 1_000, 2_000, seconds=900)
    assert expected_returns([long], at=10_000.0) == pytest.approx(0.25)


def test_who_is_kept_warm_keeps_the_trunk_warm() -> None:
    """E9, C6: beside keep-alive there is less to save, and a ping is nobody's return."""
    alone = uses(0, 560, 1_120)
    pinged = [*alone, TrunkUse(280, 280, ping=True), TrunkUse(840, 840, ping=True)]
    assert expected_returns([alone], at=10_000.0) > 0.7
    assert expected_returns([pinged], at=10_000.0) == pytest.approx(0.25)


def test_the_chooser_knows_what_was_sent_ahead() -> None:
    """E9: for an hour, in whichever prompt begins with it."""
    base = Base("trunk", 2_200)
    known = believed([SentPrompt(base, primed_blocks(BLOCKS), 0.0, 0.0)], 1_024)
    longer = (*BLOCKS, CacheBlock(RequestPart.MESSAGES, "plan", 900))
    assert cached_tokens(base, longer, known, 3_599.0) == 2_200 + TRUNK
    assert cached_tokens(base, longer, known, 3_601.0) == 0


@given(st.lists(st.integers(10, 1_500), min_size=1, max_size=12))
def test_the_price_is_the_bill(pauses: list[int]) -> None:
    """E9: with the pauses known, what a primer is said to save is what the cache bills less."""
    starts = [10.0]
    for pause in pauses:
        if starts[-1] + pause < 3_600:
            starts.append(starts[-1] + pause)
    late = sum(b - a >= 300 for a, b in zip(starts, starts[1:], strict=False))
    found = primer(TYPICAL, TRUNK, 0, late)
    without, with_it = (TYPICAL.price(billed(starts, ahead=ahead)) for ahead in (False, True))
    assert without - with_it == pytest.approx(found.saves - found.cost)


def billed(starts: list[float], *, ahead: bool) -> Usage:
    cache, total = PromptCache({MODEL: 1_024}), Usage()
    if ahead:
        tail = CacheBlock(RequestPart.MESSAGES, "reply", TAIL_TOKENS, Life.ONE_HOUR)
        sent = CacheRequest(MODEL, (*primed_blocks(BLOCKS), tail))
        total += cache.bill(sent, 0.0, output=ANSWER_TOKENS)
    first, last = BLOCKS
    marked = CacheBlock(last.part, last.digest, last.tokens, Life.FIVE_MINUTES)
    for at in starts:
        total += cache.bill(CacheRequest(MODEL, (first, marked)), at)
    return total


def test_a_return_counts_as_far_as_it_begins_with_the_same_words() -> None:
    """E9: a document that was revised meanwhile is written again, primer or not."""
    shared, old, new = ("prd", 9_000), ("spec, first", 3_000), ("spec, second", 3_000)
    first = TrunkUse(0, 0, blocks=(shared, old))
    soon = TrunkUse(60, 60, blocks=(shared, old))
    same = TrunkUse(900, 900, blocks=(shared, old))
    revised = TrunkUse(900, 900, blocks=(shared, new))
    other = TrunkUse(900, 900, blocks=(new,))
    found = [expected_returns([[first, soon, late]], 3600) for late in (same, revised, other)]
    assert found == pytest.approx([(0.5 + share) / 2.75 for share in (1.0, 0.75, 0.0)])
