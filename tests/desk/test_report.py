"""What the loops took, beside what was billed. Covers: C16, E4."""

from __future__ import annotations

import json
from io import StringIO
from typing import Any

import pytest
from rich.console import Console

from sparing.cli.line_breaks import folded
from sparing.cli.main import main
from sparing.desk.features.history import ledger_rows
from sparing.desk.gates import answers
from sparing.desk.money.figures import feature_report, project_report
from sparing.desk.money.thresholds import RunMarks, advice
from sparing.desk.money.turns import turns_of
from sparing.desk.office import Office
from sparing.records import events
from sparing.records.events import Event
from sparing.records.features import FeatureRow
from sparing.report.figures import Figure, Report, report_json
from sparing.report.page import full_page, head_lines
from sparing.sent import NaivePrompt
from tests.desk.reviewing import CONCERN, DEFECT, WISH, asked, followed, looked, prompt
from tests.desk.standing import NOW, standing, started

NAIVE = NaivePrompt(("p", 900), ("r", 100), ("judge", 500))
KNOWN = {"measured", "simulated", "estimated"}


def turn(office: Office, row: FeatureRow, number: int, way: str, chars: int, **more: Any) -> None:
    """One turn of the spec-reviewer."""
    asked(
        office, row, more.pop("dispatch", f"d{number}"),
        **{
            "stage": "specify", "role": "spec-reviewer", "iteration": number, "way": way,
            "prompt_chars": chars, "naive": NAIVE, "started": NOW + number, **more,
        },
    )  # fmt: skip


def figure(report: Report, name: str) -> Figure:
    return next(one for one in (*report.asked, *report.claims) if one.name.startswith(name))


def drawn(report: Report) -> list[str]:
    console = Console(width=80, file=StringIO(), record=True, force_terminal=False)
    console.print(full_page(report))
    head = [part for line in head_lines(report) for part in folded(line, 80).split("\n")]
    return [*head, *(line.rstrip() for line in console.export_text().splitlines())]


def test_the_three_requirements(office: Office) -> None:
    """C16: one fresh prompt of 1,000 characters, two resumed ones of 200 and 100."""
    row = started(office)
    for number, (way, chars) in enumerate([("compose", 1000), ("resume", 200), ("resume", 100)], 1):
        turn(office, row, number, way, chars)
    report = feature_report(office, row)
    assert figure(report, "resumed prompts")[1:4] == (1.0, "2 of 2", "measured")
    assert figure(report, "resumes that")[1:3] == (0.0, "0 of 2 resumes")
    third = figure(report, "characters of loops")
    assert third.value == pytest.approx((1000 + 4 * 150) / 5000)
    assert third.said == "32 % over five iterations, 43 % over those that ran"
    assert all(
        figure(report, name).holds
        for name in ("resumed prompts", "resumes that", "characters of loops")
    )
    billed = figure(report, "billed for the same loops")
    assert (billed.origin, billed.value) == ("simulated", pytest.approx(0.06 / 0.0045))
    assert billed.said.startswith("$0.060 against $0.004 with naive prompting, ")
    (loop,) = report.loops
    assert (loop.ways, loop.sent_chars, loop.fresh_chars) == (
        {"compose": 1, "resume": 2},
        1300,
        3000,
    )
    assert (loop.sent_tokens, loop.full_tokens) == (325, 3000)


def test_a_longer_prompt_and_a_session_that_was_lost(office: Office) -> None:
    """C16, C8: what the original did not want is said."""
    row = started(office)
    turn(office, row, 1, "compose", 1000)
    turn(office, row, 2, "resume", 1200, failure="invalid_session")
    turn(office, row, 2, "compose", 1100)
    turn(office, row, 3, "resume", 900, template="repair_reply")
    report = feature_report(office, row)
    assert figure(report, "resumed prompts")[2:6] == (
        "0 of 1",
        "measured",
        "asked for: all, in characters",
        False,
    )
    assert figure(report, "resumes that").said == "1 of 1 resumes"
    assert figure(report, "characters of loops").holds is False
    assert figure(report, "deltas over half").said == "1 of 1 at documents"


def test_a_session_given_up_before_a_turn_counts_too(office: Office) -> None:
    """C8: a marker without an attempt."""
    row = started(office)
    turn(office, row, 1, "compose", 1000)
    turn(office, row, 2, "compose", 1000)
    with office.database.write() as tx:
        events.add(tx, Event("k", row.feature.key, NOW, "fallback"))
    assert figure(feature_report(office, row), "resumes that").said == "1 of 1 resumes"


def test_where_nothing_was_resumed_nothing_is_claimed(office: Office) -> None:
    """C16: a figure that can't be had is no zero, and holds neither way."""
    row = started(office)
    turn(office, row, 1, "compose", 1000)
    report = feature_report(office, row)
    for name in ("resumed prompts", "resumes that", "characters of loops", "billed"):
        found = figure(report, name)
        assert (found.value, found.said, found.holds) == (None, "nothing was resumed", None)
    assert report.loops == ()


def test_resumes_that_cannot_be_compared_are_not_called_none(office: Office) -> None:
    """E4, K1: a session that stages share is resumed where no fresh prompt of the stage stands; no
    line says that nothing was resumed beside one that counts resumes."""
    row = started(office)
    turn(office, row, 1, "compose", 1000, stage="specify")
    turn(office, row, 2, "resume", 100, stage="design")
    report = feature_report(office, row)
    said = {
        name: figure(report, name).said
        for name in ("resumed prompts", "resumes that", "characters of loops", "billed")
    }
    assert said["resumes that"] == "0 of 1 resumes"
    assert "nothing was resumed" not in said.values()
    assert said["resumed prompts"].startswith("1 resume has no fresh prompt")


def test_phase_approvals_after_a_domain_fail_are_counted(office: Office) -> None:
    """C1: an approval counts as such only if the domain reviewer's last look was no pass."""
    row = answers.start(office, "Add rate limiting", "feature", {}, NOW)
    looked(office, row, "spec-reviewer", 1, DEFECT)
    looked(office, row, "phase-reviewer", 1)
    looked(office, row, "design-reviewer", 1, DEFECT, stage="design")
    looked(office, row, "design-reviewer", 2, stage="design")
    looked(office, row, "phase-reviewer", 2, stage="design")
    found = figure(feature_report(office, row), "phase approvals after a domain reviewer failed")
    assert (found.said, found.value) == ("1 of 2", 0.5)


def test_what_the_original_expected(office: Office) -> None:
    """C16: sessions, prompt tokens, what was repeated, and both savings."""
    row = started(office)
    trunk = ("trunk", "spec " * 80)
    turn(office, row, 1, "compose", 480, prompt=prompt(office, trunk, ("role", "r" * 80)))
    turn(office, row, 2, "compose", 560, prompt=prompt(office, trunk, ("role", "q" * 160)))
    report = feature_report(office, row)
    assert figure(report, "sessions").value == 1
    assert figure(report, "prompt tokens of a feature").value == 260
    assert figure(report, "of these sent before").value == pytest.approx(100 / 260)
    assert figure(report, "prompts against full").value == pytest.approx(1 - 260 / 2000)
    assert figure(report, "cost against naive").origin == "simulated against simulated"


def test_what_was_predicted_and_told(office: Office) -> None:
    """E1, C18: of the way that was taken; a turn without a price is left out."""
    row = started(office)
    kept: dict[str, Any] = {"unit": "usd per million", "needed": 40, "missing": []}
    taken = {"compose": {"cost": 30_000.0}, "resume": {"cost": 1.0}, "fork": {"why_not": "no"}}
    turn(office, row, 1, "compose", 900, sent={**kept, "predicted": taken}, nano_usd=20_000_000)
    turn(office, row, 2, "fork", 900, sent={**kept, "predicted": taken, "missing": ["spec.md: x"]})
    turn(office, row, 3, "compose", 900, sent={**kept, "unit": "input tokens", "predicted": taken})
    turn(office, row, 4, "compose", 900)
    cost, recall = feature_report(office, row).proof
    assert (cost.value, cost.said) == (1.5, "$0.030, billed $0.020 for 1 turn")
    assert cost.against.startswith("half of the turns were off by no more than 50 % of their bill")
    assert (recall.said, recall.holds) == ("99.2 %, at least 1 of 120 lines missing", False)


def test_findings_and_what_reviewers_brought(office: Office) -> None:
    """C16: a finding counts for who raised it, and as settled when it is gone."""
    row = started(office)
    looked(office, row, "spec-reviewer", 1, DEFECT, CONCERN, WISH, naive=NAIVE)
    looked(office, row, "spec-reviewer", 2, CONCERN, naive=NAIVE)
    looked(office, row, "phase-reviewer", 3, naive=NAIVE, usage=None)
    report = feature_report(office, row)
    assert report.findings == {
        "blocker": {"resolved": 1},
        "warning": {"repeated": 1},
        "suggestion": {"not repeated": 1},
    }
    spec, phase = report.reviewers.rows
    assert (spec.role, spec.stage, spec.model) == ("spec-reviewer", "specify", "claude-sonnet-5")
    assert (spec.looks, spec.blockers, spec.accepted, spec.settled) == (2, 1, 1, 0)
    assert (spec.nano_usd, spec.each) == (40_000_000, 40_000_000)
    assert (phase.blockers, phase.nano_usd, phase.each) == (0, None, None)


def test_what_the_run_kept_of_findings_wins(office: Office) -> None:
    """C2: it knows of answers and rulings, the verdicts alone do not."""
    row = started(office)
    looked(office, row, "spec-reviewer", 1, DEFECT, naive=NAIVE)
    followed(office, row, "F1", CONCERN)
    assert feature_report(office, row).findings["blocker"] == {}
    assert feature_report(office, row).findings["warning"] == {"new": 1}


def test_every_figure_says_where_it_comes_from(office: Office) -> None:
    """E4: measured, simulated or estimated; and a percentage names what it is of."""
    row = started(office)
    turn(office, row, 1, "compose", 1000)
    turn(office, row, 2, "resume", 100)
    report = feature_report(office, row)
    for one in (*report.asked, *report.claims, *report.proof):
        assert set(one.origin.split(" against ")) <= KNOWN
        assert "%" not in one.said or one.against
    shown = report_json(report)
    assert shown["billed"]["origin"] == shown["naive"]["origin"] == "simulated"
    assert shown["naive"]["baseline"]


def test_it_fits_a_terminal(office: Office) -> None:
    """K1: 80 columns, nothing cut off."""
    row = started(office)
    for number in range(1, 4):
        looked(office, row, "implementation-reviewer", number, DEFECT, naive=NAIVE)
    lines = drawn(feature_report(office, row))
    assert max(map(len, lines)) <= 80
    assert not any("…" in line for line in lines)
    assert any(line.startswith("implementation-reviewer") for line in lines)


def test_advice_from_three_features_on(office: Office) -> None:
    """C16: fallbacks above a fifth, long deltas above half, unread files above a fifth."""
    for number in range(3):
        row = standing(office, "under way")
        assert project_report(office).advice == ()
        turn(office, row, 1, "compose", 1000, dispatch=f"{number}a")
        turn(office, row, 2, "resume", 400, dispatch=f"{number}b", failure="invalid_session")
        turn(office, row, 2, "compose", 1000, dispatch=f"{number}b")
    found = project_report(office)
    assert [words.split(":")[0] for words in found.advice] == ["more than 20 % of resumes failed"]
    assert (found.feature, found.status) == ("all", "active")
    assert [line.split("  ")[0] for line in drawn(found)[:2]] == [
        "all features of this repository",
        "all runs",
    ]
    assert drawn(found)[-1].startswith("advice: more than 20 % of resumes failed")


def test_advice_on_long_deltas_and_unread_files(office: Office) -> None:
    """C16"""
    row = started(office)
    turn(office, row, 1, "compose", 1000)
    turn(office, row, 2, "resume", 600)
    turn(office, row, 3, "compose", 1000, reason="delta over half of the fresh prompt")
    turns = turns_of(ledger_rows(office, row))
    assert len(advice(turns, RunMarks(unread=1))) == 2
    assert advice(turns, RunMarks())[0].startswith("more than half of the deltas are long")


def test_for_people_and_for_programs(
    office: Office, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """K1"""
    row = started(office)
    monkeypatch.chdir(office.repository.checkout)
    assert main(["report", "1"]) == 0
    assert capsys.readouterr().out == "Nothing to report yet: no feature has asked an agent.\n"
    turn(office, row, 1, "compose", 1000)
    assert main(["report", "1"]) == 0
    short = capsys.readouterr().out
    assert short.startswith("001 Add rate limiting\nthis run ")
    assert short.endswith("every figure: sparing report 001 --full\n")
    assert "open concerns: none" in short
    assert "original workflow" not in short
    assert main(["report", "1", "--full"]) == 0
    assert "original workflow" in capsys.readouterr().out
    assert main(["report", "1", "--json"]) == 0
    shown = json.loads(capsys.readouterr().out)
    assert (shown["feature"], shown["billed"]["turns"]) == ("001", 1)
    assert main(["report", "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["feature"] == "all"
    assert main(["report", "9"]) == 1
