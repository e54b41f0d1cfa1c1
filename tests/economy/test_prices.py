"""Prices are data; a model that nobody knows has none.

Covers: E2, E3
"""

from __future__ import annotations

from decimal import Decimal
from typing import NamedTuple

import genai_prices
import pytest
from hypothesis import given
from hypothesis import strategies as st

from sparing.economy.prices import (
    Own,
    Price,
    as_billed,
    cost_nano,
    cost_usd,
    own_prices,
    price_of,
)
from sparing.usage import Usage

D = Decimal
OWN = own_prices(["my-model 3 15 0.30 3.75 6"])
counts = st.integers(0, 10**7)
usages = st.builds(Usage, counts, counts, counts, counts, counts)


class Factors(NamedTuple):
    """Prices of the other buckets, as multiples of uncached input."""

    output: Decimal
    read: Decimal
    write_5m: Decimal
    write_1h: Decimal


def factors(model: str, own: Own) -> Factors | None:
    """How much cheaper a read and how much dearer a write is: it differs by model."""
    price = price_of(model, own)
    if price is None or not price.input:
        return None
    others = (price.output, price.read, price.write_5m, price.write_1h)
    return Factors(*(other / price.input for other in others))


@given(usages, st.sampled_from(["claude-sonnet-5", "claude-opus-5-5", "claude-haiku-4-5", "gpt-5"]))
def test_a_bill_is_what_the_price_list_says(usage: Usage, model: str) -> None:
    """E2: bucket by bucket, with nothing counted twice."""
    tokens = genai_prices.Usage(
        input_tokens=usage.input,
        cache_read_tokens=usage.read,
        cache_write_tokens=usage.write_5m + usage.write_1h,
        cache_write_1h_tokens=usage.write_1h,
        output_tokens=usage.output,
    )
    listed = genai_prices.calc_price(tokens, model_ref=model).total_price
    assert cost_usd(model, usage, {}) == listed


def test_an_unknown_model_has_no_price() -> None:
    """E2: unknown is unknown, never 0."""
    assert price_of("nobody-knows", {}) is None
    assert factors("nobody-knows", {}) is None
    assert cost_usd("nobody-knows", Usage(output=1), {}) is None
    assert cost_nano("nobody-knows", Usage(), {}) is None


def test_a_price_of_the_user_s_goes_before_the_list() -> None:
    own = own_prices(["claude-sonnet-5 1 2 0.1 1.25 2", "claude-sonnet-5 10 20 1 12.5 20"])
    assert price_of("claude-sonnet-5", own) == Price(D(10), D(20), D(1), D("12.5"), D(20))
    assert cost_usd("my-model", Usage(1_000_000, 0, 0, 0, 1_000_000), OWN) == 18


@pytest.mark.parametrize(
    ("model", "output", "read", "write_5m", "write_1h"),
    [
        ("claude-sonnet-5", 5, "0.1", "1.25", 2),
        ("claude-opus-5-5", 5, "0.05", "1.25", 2),
        ("claude-fable-5-1", 5, "0.025", "1.25", 2),
        ("gpt-5", 8, "0.1", 1, 1),
        ("my-model", 5, "0.1", "1.25", 2),
    ],
)
def test_read_and_write_factors_differ_by_model(
    model: str, output: int, read: str, write_5m: str | int, write_1h: int
) -> None:
    assert factors(model, OWN) == Factors(D(output), D(read), D(write_5m), D(write_1h))


def test_a_free_model_costs_nothing_and_has_no_factors() -> None:
    own = own_prices(["local 0 0 0 0 0"])
    assert cost_usd("local", Usage(output=5), own) == 0
    assert factors("local", own) is None


def test_a_large_prompt_is_dearer_where_the_list_says_so() -> None:
    """By the size of one call, not by the sum of a turn's calls."""
    many_calls = Usage(read=1_000_000)
    small = cost_usd("claude-haiku-5-5", many_calls, {}, 90_000)
    large = cost_usd("claude-haiku-5-5", many_calls, {}, 100_001)
    assert (small, large) == (D("0.01"), D("0.05"))


def test_money_is_rounded_up_to_a_billionth() -> None:
    own = own_prices(["m 0.000001 0 0 0 0"])
    assert cost_nano("m", Usage(uncached=1), own) == 1


def test_a_provider_that_never_billed_a_write_is_replayed_without_one() -> None:
    """E4, G2: what a replay writes there costs as much as plain input; others are as listed."""
    own = own_prices(["a 2 10 0.2 2.5 4", "b 2 10 0.2 2.5 4"])
    bills = [("a", Usage(read=5, uncached=9)), ("b", Usage(write_5m=9)), ("b", Usage(read=9))]
    found = as_billed(own, [*bills, ("unknown-to-all", Usage(uncached=1))])
    assert (found["a"].write_5m, found["a"].write_1h) == (found["a"].input, found["a"].input)
    assert found["b"] == own["b"]
    assert "unknown-to-all" not in found
    small = as_billed({}, [("claude-sonnet-5", Usage(uncached=9))])
    assert small == {}
