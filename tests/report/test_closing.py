"""How a run ends: bill, baseline, reasons, bound and quality, in 80 columns.

Covers: E4
"""

from __future__ import annotations

import io
from dataclasses import replace
from decimal import Decimal

import pytest
from rich.console import Console

from sparing.dispatch_policy import LEVERS, Lever, Way
from sparing.economy.comparison import savings
from sparing.economy.comparison.savings import STEPS as STEPS_SAID
from sparing.report.baseline import NaiveBaseline, one_baseline
from sparing.report.closing import NAME_WIDTH, Quality, closing_json, closing_lines, reasons
from sparing.report.figures import (
    OtherEffort,
    effort_words,
    finding_lines,
    open_words,
    report_json,
)
from sparing.report.model_costs import ModelCosts, ModelRow, OnModel, model_page
from sparing.report.plain_words import WAYS, counted_ways
from sparing.report.savings_table import WORDS_WIDTH, LadderRow, SavingRow, limit_lines
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
        "quality: 2 blockers fixed, $0.020 spent for each; 4 of 5 quotes verified",
        "  what reviewers missed is unknown; sparing eval measures it on planted defects",
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
    assert "who shares a prompt prefix turns now standard cheap" in lines
    assert not [line for line in lines if "strong" in line]
    told = report_json(report(models=models))["other_models"]
    assert told["groups"][0]["on"][1] == {
        "model_class": "cheap", "cost_usd": 0.2, "alone_usd": 1.1,
    }  # fmt: skip
    assert model_page(ModelCosts()) == []


def test_a_group_that_worked_on_two_models_says_so() -> None:
    """E4, G5: what one model for all would have cost stands beside what two did."""
    on = (OnModel("strong", 0.9, None),)
    row = ModelRow("reviewer/code", ("security-reviewer",), ("big", "other"), 3, 1.0, on)
    console = Console(width=80, record=True, file=io.StringIO())
    console.print(*model_page(ModelCosts((("strong", "big"),), (row,))), sep="\n")
    lines = [" ".join(line.split()) for line in console.export_text().splitlines()]
    place = lines.index("reviewers of code 3 $1.000 −$0.100")
    assert lines[place + 1] == "on big and other"


def test_every_reason_fits_its_column() -> None:
    """E4, K1: a name that is too long would push its figure out of line."""
    assert max(len(f"  {words}") for words in savings.STEPS.values()) <= NAME_WIDTH


def test_the_lines_add_up_and_nothing_that_cost_money_is_left_out() -> None:
    """E4: a fourth reason that made the run dearer has its line, however small it is."""
    saved = (0.05, 0.03, 0.02, -0.004, 0.003, 0.001)
    steps = tuple(SavingRow(f"l{n}", f"cause {n}", one, "simulated") for n, one in enumerate(saved))
    found = economy(naive=LadderRow("naive", 0.1, "simulated", steps), billed=0.0, replayed=0.0)
    spent = replace(SPENT, rows=(replace(SPENT.rows[0], cost_usd=Decimal(0)),))
    told = [line[NAME_WIDTH:].split()[0] for line in closing_lines(spent, found, QUALITY)[2:7]]
    assert told == ["−$0.050", "−$0.030", "−$0.020", "+$0.004", "−$0.004"]


def test_nothing_has_no_sign() -> None:
    """E4"""
    assert economy().amount(-0.0004, signed=True) == "$0.000"
    assert economy(in_money=False).amount(0.2, signed=True) == "0"


def test_no_findings_are_called_that() -> None:
    """E4: no blocker was accepted, and no finding quotes nothing."""
    assert Quality(2, 0, None, 0, 0).words[0] == "quality: no findings"
    assert Quality(2, 0, None, 0, 0, 1).words[0].endswith("; no finding quotes anything")


def test_efforts_that_cost_the_same_are_not_listed() -> None:
    """E12: a tier has no rounds that an effort could change."""
    same = tuple(OtherEffort(name, "balanced", Decimal("0.04")) for name in ("lean", "thorough"))
    assert effort_words(report(efforts=same)) == ""
    other = (*same, OtherEffort("more", "balanced", Decimal("0.05")))
    assert "more about $0.050" in effort_words(report(efforts=other))


def test_levers_are_named_with_what_they_are() -> None:
    """E4, K1: every one of them, in the notes of the report."""
    assert list(LEVERS) == list(Lever)
    notes = economy(untold=("batch",), off={"trunk": "it lost"}).notes
    told = "switched on, but one run can't tell what it saved: batch (several tools in one call)"
    assert told in notes
    assert "not in use: trunk (a shared prompt prefix), it lost" in notes


def test_steps_fit_their_column() -> None:
    """E4, K1: a label that goes on below would stand beside the figures of another."""
    assert max(len(f"  {words}") for words in STEPS_SAID.values()) <= WORDS_WIDTH


def test_ways_are_told_as_on_the_screen() -> None:
    """K1"""
    assert counted_ways({"compose": 1, "plain": 1, "resume": 2}) == "2 fresh, 2 resumed"
    assert set(WAYS) == set(Way)


def test_what_is_open_when_a_feature_is_over_was_not_taken_up() -> None:
    """C2, K1: "new" would say that somebody still looks at it."""
    found = {"blocker": {"resolved": 1}, "suggestion": {"new": 1, "repeated": 1}, "warning": {}}
    over = report(findings=found, status="completed")
    assert finding_lines(over) == ["blockers: 1 resolved", "suggestions: 2 not taken up"]
    running = report(findings=found, status="active")
    assert finding_lines(running)[1] == "suggestions: 1 new, 1 repeated"


def test_silence_on_a_suggestion_does_not_say_that_it_was_not_taken_up() -> None:
    """C2, K8: nobody said what became of it, so nobody holds it open either."""
    found = {"suggestion": {"not repeated": 2, "new": 1}}
    over = report(findings=found, status="completed")
    assert finding_lines(over) == ["suggestions: 2 not repeated, 1 not taken up"]
    assert open_words(over) == "open concerns: 1 suggestion"


def test_hindsight_is_never_more_than_all_of_the_run_below_it() -> None:
    """E4: a share of the run, which is named."""
    lines = limit_lines(replace(economy(), best=0.5, replayed=2.0, billed=2.0))
    assert any(line.endswith("75.0 % below the run.") for line in lines)


def test_hindsight_names_what_it_is_below_if_the_bill_is_another() -> None:
    """E4: a bill below the published rules; a share of the bill would be another number."""
    lines = limit_lines(replace(economy(), best=0.5, replayed=2.0, billed=1.0))
    end = "75.0 % below the run by the published cache rules, $2.00."
    assert any(line.endswith(end) for line in lines)


def test_a_run_below_its_bound_says_from_where_the_bound_counts() -> None:
    """E4: earlier runs had filled the cache; a bound above the bill would look wrong."""
    found = replace(economy(), billed=economy().bound / 2)
    lines = closing_lines(SPENT, found, QUALITY)
    assert any(line.endswith("simulated, from a cold cache") for line in lines)
