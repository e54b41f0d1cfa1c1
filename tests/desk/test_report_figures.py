"""Figures of a report say what happened and no more. Covers: C16, E4."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from sparing.desk.gates import answers
from sparing.desk.money.figures import feature_report
from sparing.desk.office import Office
from sparing.records.features import FeatureRow
from sparing.report.figures import report_json
from tests.desk.reviewing import looked
from tests.desk.standing import NOW, started
from tests.desk.test_report import NAIVE, figure, turn

OPENED = replace(NAIVE, before=530, sent_tools=500)
"""With a neutral system prompt of 30 tokens."""


def test_the_role_counts_where_it_is_sent_as_system_prompt(office: Office) -> None:
    """E4: full injection has the role in its system prompt, so a prompt is no shorter for having
    it there too; a session that is resumed has its system prompt."""
    row = started(office)
    turn(office, row, 1, "plain", 400, naive=replace(OPENED, own_system=170))
    turn(office, row, 2, "compose", 1200, naive=OPENED)
    turn(office, row, 3, "resume", 40, naive=OPENED)
    report = feature_report(office, row)
    assert figure(report, "prompt tokens of a feature").value == 300 + 330 + 10
    assert figure(report, "prompts against full").value == pytest.approx(1 - 640 / 3000)


def test_a_prompt_as_long_as_full_injection_is_about_the_same(office: Office) -> None:
    """E4: neither 0 % less nor 0 % more."""
    row = started(office)
    turn(office, row, 1, "compose", 4 * 998)
    assert figure(feature_report(office, row), "prompts against full").said == "about the same"


def later(office: Office, row: FeatureRow, role: str, ways: str, **more: Any) -> None:
    for number, way in enumerate(ways.split(), 1):
        turn(office, row, number, way, 1000 if way != "resume" else 100, dispatch=f"{role}{number}",
             role=role, **more)  # fmt: skip


def test_figures_of_loops_say_which_loops_they_are_about(office: Office) -> None:
    """C16: the bill is that of loops that resumed, beside a table of all loops."""
    row = started(office)
    later(office, row, "spec-reviewer", "compose resume")
    later(office, row, "spec-author", "compose compose")
    report = feature_report(office, row)
    assert [loop.role for loop in report.loops] == ["spec-reviewer", "spec-author"]
    for name in ("characters of loops", "billed for the same loops"):
        assert figure(report, name).against.startswith("loops that resumed: 1 of 2; ")


def test_turns_that_follow_one_another_are_no_loop(office: Office) -> None:
    """C16: the outline of tests and the tests, with no review between them."""
    row = started(office)
    later(office, row, "test-deepener", "compose compose", stage="implement", iteration=1)
    assert feature_report(office, row).loops == ()


def test_only_deltas_are_counted_as_such(office: Office) -> None:
    """C16: a later turn that was sent everything is no delta."""
    row = started(office)
    later(office, row, "spec-author", "compose compose")
    found = figure(feature_report(office, row), "deltas over half")
    assert (found.said, found.holds) == ("no delta was sent", None)
    later(office, row, "spec-reviewer", "compose resume")
    assert figure(feature_report(office, row), "deltas over half").said == "0 of 1 at documents"


def test_only_the_phase_reviewer_gives_phase_approvals(office: Office) -> None:
    """C1: the readiness-reviewer, who looks second at a PRD, gives none."""
    row = answers.start(office, "Add rate limiting", "feature", {}, NOW)
    looked(office, row, "prd-reviewer", 1, stage="brainstorm")
    looked(office, row, "readiness-reviewer", 1, stage="brainstorm")
    looked(office, row, "spec-reviewer", 1)
    looked(office, row, "phase-reviewer", 1)
    assert figure(feature_report(office, row), "phase approvals").said == "0 of 1"


def test_every_line_gives_the_naive_way_the_same_origin(office: Office) -> None:
    """E4: files that one call opened would have taken three calls, which is an estimate wherever
    the naive way is spoken of."""
    row = started(office)
    calls = [{"added": 30, "output": 5, "asked": 3}, {"added": 900, "output": 9, "asked": 0}]
    for number, way in enumerate(("compose", "resume"), 1):
        turn(office, row, number, way, 1000, calls=calls)
    report = feature_report(office, row)
    assert report.spending.naive_origin == "estimated"
    assert report.spending.sentence.count("(estimated)") == 1
    assert figure(report, "cost against naive").origin == "simulated against estimated"
    assert figure(report, "billed for the same loops").against.endswith("(estimated)")
    assert report_json(report)["closing"]["naive_origin"] == "estimated"
