"""The worst case of a turn, and ranges for what is to come.

Covers: E3, E5
"""

from __future__ import annotations

from decimal import Decimal
from math import isqrt

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sparing.economy.cost_model import ENOUGH, HIGH, LOW, Ahead, forecast, worst_case
from sparing.economy.prices import Price, price_of
from sparing.money import Amount, to_nano

PRICE = Price(Decimal(2), Decimal(10), Decimal("0.2"), Decimal("2.5"), Decimal(4))
amounts = st.lists(st.builds(Amount, st.integers(0, 10**9), st.integers(0, 10**12)), max_size=12)


@pytest.mark.parametrize(
    ("usd", "tokens", "worst"),
    [(3, 3_000_000, "3"), (3, 10_000, "0.1"), (100, 3_000_000, "30")],
)
def test_the_worst_is_the_limit_or_every_token_at_the_dearest(
    usd: int, tokens: int, worst: str
) -> None:
    """E3"""
    limit = Amount(tokens, to_nano(usd))
    assert worst_case(limit, PRICE) == Amount(tokens, to_nano(worst))


def test_without_a_price_the_worst_is_known_in_tokens_alone() -> None:
    assert worst_case(Amount(5, 7), None) == Amount(5, None)


def test_a_first_feature_is_forecast_from_the_simulated_workload() -> None:
    """E5: dispatches times what one takes."""
    found = forecast([Ahead("plan", 3, 9, PRICE)], {})
    assert found.low == Amount(3 * LOW.tokens, to_nano(Decimal(3 * LOW.priced * 2) / 10**6))
    assert found.high == Amount(9 * HIGH.tokens, to_nano(Decimal(9 * HIGH.priced * 2) / 10**6))
    assert found.median.tokens == isqrt(found.low.tokens * found.high.tokens)
    assert found.basis == "from a simulated workload"


def test_history_counts_when_there_is_enough() -> None:
    """E5: the ledger's own, stage by stage."""
    before = [Amount(n * 1000, n) for n in range(1, 12)]
    ahead = [Ahead("plan", 3, 9, PRICE), Ahead("implement", 0, 0, PRICE)]
    found = forecast(ahead, {"plan": before, "implement": before[: ENOUGH - 1]})
    assert (found.low, found.high) == (Amount(2000, 2), Amount(10_000, 10))
    assert found.median == Amount(6000, 6)
    assert found.basis == "1 of 2 stages from features here"
    assert forecast(ahead[:1], {"plan": before}).basis == "from features here"


def test_one_unknown_price_makes_the_money_unknown() -> None:
    found = forecast([Ahead("plan", 1, 1, PRICE), Ahead("done", 1, 1, None)], {})
    assert (found.low.nano_usd, found.high.nano_usd) == (None, None)
    assert found.low.tokens == 2 * LOW.tokens


@given(st.dictionaries(st.sampled_from(["a", "b"]), amounts), st.integers(0, 9), st.integers(0, 9))
def test_a_range_is_a_range(history: dict[str, list[Amount]], one: int, other: int) -> None:
    least, most = sorted((one, other))
    found = forecast([Ahead(stage, least, most, PRICE) for stage in "ab"], history)
    assert found.low.tokens <= found.median.tokens <= found.high.tokens
    money = [one.nano_usd or 0 for one in (found.low, found.median, found.high)]
    assert money == sorted(money)


def test_the_default_caps_leave_room_for_a_naive_feature() -> None:
    """E3: 76 dispatches the naive way on the standard model stay below the cap of a feature."""
    price = price_of("claude-sonnet-5", {})
    found = forecast([Ahead("all", 76, 76, price)], {})
    assert found.high.nano_usd is not None
    assert found.high.nano_usd < to_nano(40)
    assert found.high.tokens < 60_000_000
