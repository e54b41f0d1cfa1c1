"""The table and the sentence about money: they fit, they are whole, and unknown is never zero.

Covers: E2, E4
"""

from __future__ import annotations

from dataclasses import replace
from decimal import Decimal
from io import StringIO
from itertools import chain

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from rich.console import Console

from sparing.flow.flows import FLOWS
from sparing.report.spending import Spending, SpendingRow, dollars, spending_table, tokens
from sparing.usage import Usage

ROW = SpendingRow(
    "specify", "spec-reviewer", 3, 2, Usage(uncached=1000, read=9000, output=500), 0,
    Decimal("0.25"), Usage(uncached=40_000, output=500), Decimal("1"),
)  # fmt: skip
STAGES = sorted({stage.name for flow in FLOWS.values() for stage in flow.stages})
ROLES = sorted(
    {
        role
        for flow in FLOWS.values()
        for stage in flow.stages
        for role in (stage.author, *chain.from_iterable(stage.reviewers))
    }
)


def drawn(spending: Spending) -> str:
    """As on a terminal of 80 columns without colours."""
    console = Console(width=80, file=StringIO(), record=True, force_terminal=False)
    console.print(spending_table(spending))
    return console.export_text()


def figures(text: str) -> list[str]:
    """Without the note below them."""
    return [line for line in text.splitlines() if not line.startswith("r:")]


def of(*rows: SpendingRow, origin: str = "simulated") -> Spending:
    return Spending(rows, origin)


def test_a_table_of_two_stages() -> None:
    """E4: by stage and role, with turns, cached share, cost, and the naive way beside it."""
    other = replace(ROW, role="phase-reviewer", dispatches=1, resumed=0)
    implement = replace(ROW, stage="implement", role="implementer", usage=Usage())
    lines = [line.rstrip() for line in drawn(of(ROW, other, implement)).splitlines()]
    assert lines == [
        "stage      role             turns  input  cached    cost  naive",
        "specify    spec-reviewer   3 (2r)  10.0k    90 %  $0.250  $1.00",
        "           phase-reviewer       1  10.0k    90 %  $0.250  $1.00",
        "implement  implementer     3 (2r)      0          $0.250  $1.00",
        "all                        7 (4r)  20.0k    90 %  $0.750  $3.00",
        "r: turns that resumed a session",
    ]


def row_strategy() -> st.SearchStrategy[SpendingRow]:
    money = st.one_of(st.none(), st.decimals(0, 99_999, places=4))
    usage = st.builds(Usage, *(st.integers(0, 20_000_000) for _ in range(4)))
    return st.builds(
        SpendingRow,
        st.sampled_from(STAGES),
        st.one_of(st.sampled_from(ROLES), st.from_regex("[a-z-]{1,60}", fullmatch=True)),
        st.integers(1, 400),
        st.integers(0, 400),
        usage,
        st.just(0),
        money,
        usage,
        money,
    )


@settings(deadline=None)
@given(st.lists(row_strategy(), max_size=6))
def test_a_table_fits_and_nothing_is_cut_off(rows: list[SpendingRow]) -> None:
    """E4: within 80 columns, whatever the figures; long names go on below."""
    text = drawn(of(*rows))
    assert "…" not in text
    assert all(len(line) <= 80 for line in text.splitlines())
    whole = "".join(text.split())
    for row in rows:
        for figure in (dollars(row.cost_usd), dollars(row.naive_usd), tokens(row.usage.input)):
            assert figure in text
        assert all(part in whole for part in (row.role[:23], row.role[23:46], row.role[46:]))


@pytest.mark.parametrize("stage", STAGES)
def test_names_that_ship_stand_on_one_line(stage: str) -> None:
    """E4"""
    rows = [replace(ROW, stage=stage, role=role, cost_usd=None, naive_usd=None) for role in ROLES]
    text = drawn(of(*rows))
    assert f"{stage} " in text
    assert all(f" {role} " in text for role in ROLES)


def test_what_was_saved_names_its_baseline_and_origin() -> None:
    """E4"""
    assert of(ROW).sentence == "spent $0.250 against $1.00 for lean naive (simulated), 75 % less"


def test_what_was_dearer_is_called_more() -> None:
    """E4"""
    dear = replace(ROW, cost_usd=Decimal("1.10"))
    expected = "spent $1.10 against $1.00 for lean naive (estimated), 10 % more"
    assert of(dear, origin="measured").sentence == expected


@pytest.mark.parametrize(
    ("spent", "words"),
    [("0.999", "about the same"), ("1.004", "about the same"), ("1.02", "2 % more")],
)
def test_what_costs_nearly_as_much_is_not_called_less(spent: str, words: str) -> None:
    """E4, K1: no "0 % less" beside a larger sum."""
    assert of(replace(ROW, cost_usd=Decimal(spent))).difference == f", {words}"


def test_an_unknown_price_is_called_unknown() -> None:
    """E2: neither zero nor the sum of the others; tokens are known all the same."""
    unknown = replace(ROW, cost_usd=None)
    for spending in (of(unknown), of(ROW, unknown), of(replace(ROW, naive_usd=None))):
        assert "the price of a model is unknown" in spending.sentence
        assert "$" not in spending.sentence
        assert "unknown" in figures(drawn(spending))[-1]
    assert of(unknown).sentence == (
        "spent 10.5k tokens against 40.5k for lean naive (simulated);"
        " the price of a model is unknown"
    )


def test_a_turn_whose_end_nobody_saw() -> None:
    """E2: its cost is missing from the sum, and the sum says so."""
    killed = replace(ROW, unknown=1)
    assert of(killed).sentence == (
        "spent $0.250 against $1.00 for lean naive (simulated), 75 % less;"
        " 1 turn was cut off, and what that cost is unknown"
    )
    assert of(killed, killed).sentence.endswith(
        "2 turns were cut off, and what that cost is unknown"
    )
    lines = figures(drawn(of(ROW, killed)))
    assert [line.split()[-2] for line in lines[1:]] == ["$0.250", "≥$0.250", "≥$0.500"]


def test_a_row_of_killed_turns_costs_nobody_knows_what() -> None:
    """E2: not zero."""
    killed = replace(ROW, dispatches=2, unknown=2, usage=Usage(), cost_usd=Decimal(0))
    lines = figures(drawn(of(killed)))
    assert [line.split()[-2] for line in lines[1:]] == ["unknown", "unknown"]
    assert "0.000" not in drawn(of(killed))


def test_nothing_spent() -> None:
    """E2: that is a known zero."""
    empty = Spending((), "nothing spent")
    assert (empty.usage, empty.cost_usd, empty.turns) == (Usage(), Decimal(0), 0)
    assert empty.sentence == "spent $0.000 against $0.000 for lean naive (estimated)"


@pytest.mark.parametrize(
    ("amount", "text"),
    [
        (None, "unknown"),
        (Decimal(0), "$0.000"),
        (Decimal("0.0123"), "$0.012"),
        (Decimal("1.234"), "$1.23"),
        (Decimal("99.994"), "$99.99"),
        (Decimal("1234.5"), "$1,234"),
    ],
)
def test_dollars(amount: Decimal | None, text: str) -> None:
    assert dollars(amount) == text


@pytest.mark.parametrize(
    ("count", "text"),
    [(0, "0"), (9_999, "9,999"), (10_000, "10.0k"), (999_949, "999.9k"), (1_234_567, "1.23M")],
)
def test_tokens(count: int, text: str) -> None:
    assert tokens(count) == text
