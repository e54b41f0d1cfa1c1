"""What other models would have cost, for whoever shares a trunk. Covers: E4, E12."""

from __future__ import annotations

from dataclasses import asdict, replace

import pytest

from sparing.economy.comparison.model_costs import group_cost
from sparing.economy.cost_model import TYPICAL, Rates
from tests.economy.test_savings import BASE, DOCUMENT, MODEL, look

HALF = "half"
"""A model at half the price."""


def rates_of(model: str) -> Rates:
    if model == MODEL:
        return TYPICAL
    return Rates(**{name: price / 2 for name, price in asdict(TYPICAL).items()})


def test_the_whole_group_on_a_model_at_half_the_price_costs_half() -> None:
    """E4: it goes on sharing its trunk, now with the other model."""
    found = group_cost([look(0, "a"), look(1, "b")], [MODEL, HALF], rates_of)
    assert (found.models, found.turns, len(found.changes)) == ((MODEL,), 2, 1)
    assert found.changes[0].cost == pytest.approx(found.cost / 2)


def test_who_moves_alone_leaves_the_trunk_to_be_written_again() -> None:
    """E4: what it no longer writes for the others, they write; half the price saves far less."""
    turns = [look(0, "b"), look(1, "a"), look(2, "a")]
    found = group_cost(turns, [HALF], rates_of)
    (change,) = found.changes
    assert found.roles == ("b", "a")
    mover = group_cost(turns[:1], [HALF], rates_of)
    others = group_cost(turns[1:], [HALF], rates_of).cost
    assert change.alone == pytest.approx(mover.changes[0].cost + others)
    written = (BASE + DOCUMENT) * (TYPICAL.write_5m - TYPICAL.read)
    assert change.alone == pytest.approx(found.cost - mover.cost / 2 + written)


def test_one_role_has_nobody_to_leave() -> None:
    """E4: and a group that has the model already has no such row."""
    assert group_cost([look(0, "a")], [HALF], rates_of).changes[0].alone is None
    moved = replace(look(0, "a"), model=HALF)
    assert group_cost([moved], [HALF], rates_of).changes == ()
