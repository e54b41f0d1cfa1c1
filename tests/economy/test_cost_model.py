"""The closed form of a turn's cost, and every limit that was reckoned from it by hand. Covers: E1.

The expected figures come from another program that evaluated the same model; they are printed
to a whole thousand or to one decimal, and that is how they are compared.
"""

from __future__ import annotations

from dataclasses import replace
from decimal import Decimal

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sparing.cache import Life
from sparing.economy.cost_model import (
    TYPICAL,
    Expected,
    Rates,
    TurnWork,
    turn_cost,
    turn_tokens,
)
from sparing.economy.prices import Price
from sparing.usage import Usage
from tests.economy.closed_forms import (
    Rival,
    clearing_pays,
    cold_limit,
    lazy_read_extra,
    trunk_limit,
    unwritten_saving,
    warm_limit,
)

TOKENS = st.floats(0, 1e6)


def reading_at(read: float) -> Rates:
    return replace(TYPICAL, read=read)


@given(cached=TOKENS, uncached=st.floats(1, 1e6), calls=st.floats(1, 40), growth=TOKENS)
def test_a_turn_costs_what_the_closed_form_says(
    cached: float, uncached: float, calls: float, growth: float
) -> None:
    """E1: r·n·(C − u) + (w + r(n − 1))·u + (w + r(n − 1)/2)·g + o·out."""
    r, w, n, u = TYPICAL.read, TYPICAL.write_5m, calls, uncached
    written = r * n * cached + (w + r * (n - 1)) * u + (w + r * (n - 1) / 2) * growth + 5 * 700
    cost = turn_cost(TYPICAL, cached + uncached, uncached, TurnWork(calls, growth, 700))
    assert cost == pytest.approx(written)


def test_reading_a_context_again_costs_as_much_as_writing_it() -> None:
    """E1: 25k tokens over 12 calls are 30k, as much as 24k tokens written."""
    read_only = turn_cost(TYPICAL, 25_000, 0, TurnWork(12, 0, 0))
    assert read_only == pytest.approx(30_000)
    assert read_only == pytest.approx(TYPICAL.write_5m * 24_000)


@pytest.mark.parametrize(
    ("read", "needed", "fresh_calls", "resumed_calls", "warm", "cold"),
    [
        (0.1, 12_000, 8, 4, 60, 16),
        (0.1, 25_000, 8, 4, 124, 32),
        (0.1, 25_000, 8, 8, 56, 23),
        (0.1, 25_000, 12, 3, 215, 44),
        (0.1, 50_000, 12, 4, 305, 79),
        (0.05, 12_000, 8, 4, 99, 14),
        (0.05, 25_000, 8, 4, 203, 29),
        (0.05, 25_000, 8, 8, 92, 23),
        (0.05, 25_000, 12, 3, 333, 37),
        (0.05, 50_000, 12, 4, 470, 67),
        (0.025, 12_000, 8, 4, 176, 13),
        (0.025, 25_000, 8, 4, 362, 27),
        (0.025, 25_000, 8, 8, 164, 23),
        (0.025, 25_000, 12, 3, 570, 33),
        (0.025, 50_000, 12, 4, 800, 60),
    ],
)
def test_how_long_a_transcript_may_be_to_be_resumed(
    read: float, needed: int, fresh_calls: int, resumed_calls: int, warm: int, cold: int
) -> None:
    """E1: limits in thousands of tokens beyond the base, cached and forgotten."""
    rates, rival = reading_at(read), Rival(needed, fresh_calls, resumed_calls)
    assert round(warm_limit(rates, rival) / 1000) == warm
    assert round(cold_limit(rates, rival) / 1000) == cold


@given(
    read=st.sampled_from([0.1, 0.05, 0.025]),
    needed=st.floats(5_000, 60_000),
    fresh_calls=st.integers(2, 14),
    resumed_calls=st.integers(1, 14),
    warm=st.booleans(),
)
def test_at_its_limit_a_resumed_turn_costs_what_a_fresh_one_does(
    read: float, needed: float, fresh_calls: int, resumed_calls: int, warm: bool
) -> None:
    """E1: the limits are where the closed form of both turns is equal."""
    rates, rival = reading_at(read), Rival(needed, fresh_calls, resumed_calls)
    limit = warm_limit(rates, rival) if warm else cold_limit(rates, rival)
    if limit < 0:
        return
    asked = 150 * (fresh_calls - resumed_calls)
    fresh = turn_cost(rates, rival.base + needed, needed, TurnWork(fresh_calls, 0, max(0, asked)))
    uncached = rival.delta + (0 if warm else limit)
    context = rival.base + limit + rival.delta
    resumed = turn_cost(rates, context, uncached, TurnWork(resumed_calls, 0, max(0, -asked)))
    assert resumed == pytest.approx(fresh)


@pytest.mark.parametrize(
    ("read", "limits"),
    [
        (0.1, {1: 12.5, 2: 6.8, 4: 3.9, 6: 2.9, 8: 2.4, 12: 2.0, 20: 1.6}),
        (0.05, {1: 25, 2: 13, 4: 7, 6: 5, 8: 4, 12: 3, 20: 2.2}),
        (0.025, {1: 50, 2: 25.5, 4: 13.2, 6: 9.2, 8: 7.1, 12: 5.1, 20: 3.5}),
    ],
)
def test_how_fat_a_shared_trunk_may_be(read: float, limits: dict[int, float]) -> None:
    """E1: a one-shot check may sit on a trunk many times its needs, a long task may not."""
    found = {calls: trunk_limit(reading_at(read), calls) for calls in limits}
    assert found == pytest.approx(limits, abs=0.051)


def test_a_lazy_read_of_what_must_be_read_never_pays() -> None:
    """E1, B2: one more call over the context, and the words that ask for it."""
    assert lazy_read_extra(TYPICAL, 25_000) == pytest.approx(2_500 + 750)
    assert lazy_read_extra(TYPICAL, 0) > 0


def test_small_savings_at_the_edges() -> None:
    assert unwritten_saving(TYPICAL, 4_000) == pytest.approx(1_000)
    assert clearing_pays(TYPICAL, cleared=30_000, tail=5_000, calls_left=2)
    assert not clearing_pays(TYPICAL, cleared=30_000, tail=5_000, calls_left=1)


def test_growth_is_written_with_the_life_of_the_client() -> None:
    first, work = Expected(read=1_000, write_1h=500), TurnWork(3, 600, 50)
    hour = turn_tokens(first, work, Life.ONE_HOUR)
    assert hour == Expected(read=1_000 + 2 * 1_500 + 600, write_1h=1_100, output=50)
    short = turn_tokens(first, work)
    assert (short.write_5m, short.write_1h) == (600, 500)


def test_a_prompt_that_is_too_short_for_a_cache_is_paid_by_every_call() -> None:
    tokens = turn_tokens(Expected(uncached=800), TurnWork(4, 200, 50))
    assert tokens == Expected(uncached=4 * 800 + 2 * 200, output=50)


def test_prices_are_data() -> None:
    """E1: a price list's dollars and plain ratios give the same choice; a bill is priced alike."""
    dollars = Price(Decimal(4), Decimal(20), Decimal("0.20"), Decimal(5), Decimal(8))
    rates = Rates.of(dollars)
    assert rates == Rates(4, 20, 0.2, 5, 8)
    usage = Usage(uncached=10, read=1_000, write_5m=100, write_1h=20, output=30)
    assert rates.price(usage) == pytest.approx(40 + 200 + 500 + 160 + 600)
    assert rates.equivalents(rates.price(usage)) == pytest.approx(375)
    assert Rates(0, 0, 0, 0, 0).equivalents(0) == 0


def test_impossible_values_are_refused() -> None:
    with pytest.raises(ValueError, match="negative"):
        replace(TYPICAL, read=-0.1)
    with pytest.raises(ValueError, match="no turn"):
        TurnWork(0.5, 0, 0)
