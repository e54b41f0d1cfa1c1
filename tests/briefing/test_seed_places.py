"""The table of what `seed` does otherwise is complete: no code that knows the policy is left out.

Covers: B1
"""

from __future__ import annotations

import ast
import tomllib
from pathlib import Path

import pytest

from tests.briefing.seed_places import functions, knows, places
from tests.briefing.test_seed_deviations import table

NAMED: dict[str, dict[str, list[str]]] = tomllib.loads(
    (Path(__file__).parent / "seed_places.toml").read_text("utf-8")
)


def test_every_place_that_knows_the_policy_is_accounted_for() -> None:
    """B1: as the original, a row of the table, or met by no run under `seed`; each place once."""
    named = [one for group in NAMED.values() for files in group.values() for one in files]
    assert set(named) == places()
    assert len(named) == len(set(named))


@pytest.mark.parametrize("row", NAMED["deviation"])
def test_a_deviation_is_a_row_of_the_table(row: str) -> None:
    """B1"""
    assert [cells[0] for cells in table() if cells[0].startswith(row)] != []


@pytest.mark.parametrize(
    ("code", "found"),
    [
        ("def a():\n    return one.policy is Policy.SEED", ["a"]),
        ("class A:\n    def b(self):\n        return is_seed(source)", ["b"]),
        ("def a():\n    return zip(one, two, strict=True)", []),
        ("def a():\n    return bench.strict", ["a"]),
        ("ORDER = Order.NAIVE", ["-"]),
    ],
)
def test_a_place_is_seen(code: str, found: list[str]) -> None:
    """Otherwise the first one proves nothing."""
    assert [name for name, node in functions(ast.parse(code)) if knows(node)] == found
