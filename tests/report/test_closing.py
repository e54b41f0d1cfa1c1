"""How a run ends: bill, baseline, reasons, bound and quality, in 80 columns.

Covers: E4
"""

from __future__ import annotations

import io
from dataclasses import replace
from decimal import Decimal

import pytest
from rich.console import Console

from sparing.report.baseline import NaiveBaseline, one_baseline
from sparing.report.closing import Quality, closing_json, closing_lines, reasons
from sparing.report.figures import report_json
from sparing.report.model_costs import ModelCosts, ModelRow, OnModel, model_page
from sparing.report.savings_table import LadderRow, SavingRow
from sparing.report.spending import dollars, merged
from tests.report.reported import economy, report

QUALITY = Quality(looks=4, accepted=2, each_usd=0.02, quotes=5, verified=4)
SPENT = replace(report().spending, baseline=NaiveBaseline(bases=(2_200, 5_400)))
STEPS = tuple(SavingRow(f"l{n}", f"cause {n}", saved, "simulated")
              for n, saved in enumerate((0.01, -0.03, 0.05, 0.03)))  # fmt: skip


def test_the_lines_of_a_run() -> None:
    """E4: the baseline is named with its base, beside a bill that was measured it is estimated."""
    assert closing_lines(SPENT, economy(), QUALITY) == [
        "this run                                           $0.040  measured, 60 % less",
        "lean naive on the same client, 2.2k to 5.4k base   $0.100  estimated",
        "  shared prompt prefix, cached once               −$0.060  −60 %",
        "lower bound for the work that was done             $0.025  simulated",
        "quality: 2 blockers accepted, $0.020 of this run for each; 4 of 5 quotes verify",
        "  planted defects found: not measured here; sparing eval measures it",
    ]


def test_the_three_largest_reasons_come_first_and_the_rest_is_one() -> None:
    """E4: also one that made the run dearer."""
    found = economy(naive=LadderRow("naive", 0.1, "simulated", STEPS))
    assert [one.lever for one in reasons(SPENT, found)] == ["l2", "l1", "l3", "l0"]
    lines = closing_lines(SPENT, found, QUALITY)
    assert [line.split()[1] for line in lines[2:5]] == ["2", "1", "3"]
    assert "  cause 1 " in lines[3]
    assert "+$0.030" in lines[3]
    assert lines[5].split() == ["all", "other", "reasons", "together", "−$0.010"]
    assert all(len(line) <= 80 for line in lines)


def test_what_no_lever_explains_is_a_reason_too() -> None:
    """E4: turns that can't be replayed, a cache that did otherwise."""
    found = economy(billed=0.03, replayed=0.02)
    beside = {one.lever: one.saved for one in reasons(SPENT, found) if one.lever != "trunk"}
    assert beside == {"cache": pytest.approx(-0.01), "left out": pytest.approx(-0.01)}


def test_the_check_of_a_client_is_a_line_of_its_own() -> None:
    """C15, E4: it is in no feature's bill, and two features that were checked are added up."""
    row = replace(SPENT.rows[0], stage="doctor", role="resume-check", cost_usd=Decimal("0.012"))
    spent = replace(SPENT, checked=row)
    own = "one-time check of this client                      $0.012  not in any feature's bill"
    lines = closing_lines(spent, economy(), QUALITY)
    assert [line for line in lines if line not in closing_lines(SPENT, economy(), QUALITY)] == [own]
    told = closing_json(spent, economy(), QUALITY)
    assert (told["client_check_usd"], told["cost_usd"]) == (0.012, 0.04)
    assert spent.sentence.endswith("; one-time check of this client: $0.012")
    both = merged([spent, SPENT, spent])
    assert both.checked is not None
    assert both.checked.cost_usd == Decimal("0.024")


def test_for_programs() -> None:
    """E4, K1"""
    told = closing_json(SPENT, economy(), QUALITY)
    assert told["baseline"]["base_tokens"] == [2_200, 5_400]
    assert told["could_not_be_saved"] == 0.025
    assert told["quality"]["share_of_quotes_that_verify"] == 0.8
    assert told["quality"]["planted_defects_found"] is None
    assert [one["lever"] for one in told["largest_reasons"]] == ["trunk"]


def test_where_nothing_was_reviewed_or_replayed() -> None:
    """E4"""
    lines = closing_lines(SPENT, None, Quality(0, 0, None, 0, 0))
    assert lines[2:] == ["quality: nothing was reviewed"]


def test_features_on_several_clients_are_compared_with_each_their_own() -> None:
    """E4"""
    many = one_baseline([NaiveBaseline(bases=(2_200,)), NaiveBaseline("stock naive", (18_700,))])
    assert many.words == "lean naive and stock naive on the same client, 2.2k to 18.7k base"
    assert one_baseline([]).words == "lean naive on the same client"


def test_what_nobody_opened_for_a_sheet_makes_the_baseline_a_least_one() -> None:
    """E4, E8: what the naive way would have opened besides is unknown, so it costs more."""
    plain = closing_lines(SPENT, None, QUALITY)
    least = replace(SPENT, baseline=SPENT.baseline._replace(at_least=True))
    lines = closing_lines(least, None, QUALITY)
    assert f"≥{dollars(SPENT.naive_usd)}" in lines[1]
    assert "≥" not in plain[1]
    assert "at least" in lines[0]
    assert "at least" not in plain[0]
    assert f"≥{dollars(SPENT.naive_usd)}" in least.sentence
    assert closing_json(least, None, QUALITY)["baseline"]["at_least"] is True
    assert one_baseline([SPENT.baseline, least.baseline]).at_least


def test_other_models_are_named_with_whoever_shares_a_trunk() -> None:
    """E4: in 80 columns; a class that is the same model has no figure."""
    on = (OnModel("standard", 0.6, 0.95), OnModel("cheap", 0.2, 1.1))
    roles = ("design-reviewer", "phase-reviewer")
    row = ModelRow("reviewer/documents", roles, ("big",), 4, 1.0, on)
    models = ModelCosts((("strong", "big"), ("standard", "middle"), ("cheap", "small")), (row,))
    console = Console(width=80, record=True, file=io.StringIO())
    console.print(*model_page(models), sep="\n")
    lines = [" ".join(line.split()) for line in console.export_text().splitlines()]
    assert "reviewers of documents 4 $1.000 −$0.400 −$0.800" in lines
    assert "design-reviewer alone −$0.050 +$0.100" in lines
    told = report_json(report(models=models))["other_models"]
    assert told["groups"][0]["on"][1] == {
        "model_class": "cheap", "cost_usd": 0.2, "alone_usd": 1.1,
    }  # fmt: skip
    assert model_page(ModelCosts()) == []
