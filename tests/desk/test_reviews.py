"""Who looked when, what came of it, and what that cost. Covers: C1, C13, C16, E2."""

from __future__ import annotations

import json
from dataclasses import replace
from io import StringIO

import pytest
from rich.console import Console

from sparing.cli.main import main
from sparing.desk.office import Office
from sparing.desk.reviews.reviews import reviews, unreviewed
from sparing.report.reviews import DecidedRow, ReviewRow, reviews_page
from tests.desk.reviewing import CONCERN, DEFECT, WISH, asked, looked, prompt
from tests.desk.standing import started


def drawn(rows: tuple[ReviewRow, ...]) -> list[str]:
    console = Console(width=80, file=StringIO(), record=True, force_terminal=False)
    console.print(reviews_page(rows))
    return [line.rstrip() for line in console.export_text().splitlines()]


def test_nothing_is_cut_off_at_60_columns(office: Office) -> None:
    """K1: costs stood half beyond the edge, and how it was sent not at all."""
    row = started(office)
    asked(office, row, "d1", stage="implement", role="implementation-reviewer", nano_usd=12_345_678)
    looked(office, row, "implementation-reviewer", 1, DEFECT, stage="implement")
    console = Console(width=60, file=StringIO(), record=True, force_terminal=False)
    console.print(reviews_page(reviews(office, row), columns=60))
    shown = [line.rstrip() for line in console.export_text().splitlines()]
    head = next(line for line in shown if line.startswith("#  reviewer"))
    assert head.split() == ["#", "reviewer", "decision", "b/w/s", "session", "cost"]
    assert all("…" not in line for line in shown)
    assert "implementation-re" in "".join(shown)


def test_what_became_of_findings_by_each_look(office: Office) -> None:
    """C2, C13: worked out from the verdicts by the rules of the run; silence on a suggestion
    does not settle it."""
    row = started(office)
    looked(office, row, "spec-reviewer", 1, DEFECT, CONCERN)
    looked(office, row, "spec-reviewer", 2, CONCERN, WISH)
    looked(office, row, "spec-reviewer", 3, DEFECT)
    found = reviews(office, row)
    assert [(one.iteration, one.decision, one.counts, one.became) for one in found] == [
        (1, "refused", "1/1/0", "2 new"),
        (2, "refused", "0/1/1", "1 new, 1 repeated, 1 resolved"),
        (3, "refused", "1/0/0", "1 regressed, 1 resolved"),
    ]


def test_two_who_look_at_once_both_raise_what_is_new(office: Office) -> None:
    """C9: a finding of two reviewers is new for both, and settled when both are silent."""
    row = started(office)
    for role in ("code-quality-reviewer", "security-reviewer"):
        looked(office, row, role, 1, DEFECT, stage="implement")
    looked(office, row, "security-reviewer", 2, stage="implement")
    assert [(one.role, one.became) for one in reviews(office, row)] == [
        ("code-quality-reviewer", "1 new"),
        ("security-reviewer", "1 new"),
        ("security-reviewer", ""),
    ]


def test_another_role_s_finding_is_not_continued_in_the_table_either(office: Office) -> None:
    """C2: what the run counted as new is not shown as repeated, nor the other one as open."""
    row = started(office)
    looked(office, row, "implementation-reviewer", 1, DEFECT, stage="implement")
    looked(office, row, "implementation-reviewer", 2, stage="implement")
    claim = replace(CONCERN, continues="F1")
    looked(office, row, "code-quality-reviewer", 2, claim, stage="implement")
    assert [(one.role, one.became) for one in reviews(office, row)] == [
        ("implementation-reviewer", "1 new"),
        ("implementation-reviewer", "1 resolved"),
        ("code-quality-reviewer", "1 new"),
    ]


def test_the_way_the_delta_and_the_cost_of_all_attempts(office: Office) -> None:
    """C16, E2: a resume that failed stays visible and is paid for."""
    row = started(office)
    delta = prompt(office, ("role", "you review"), ("delta", "+ one line"))
    where = {"stage": "specify", "role": "spec-reviewer", "iteration": 2}
    name = f"{row.feature.key}.specify.2-spec-reviewer"
    asked(office, row, name, **where, way="resume", failure="invalid_session", usage=None)
    looked(office, row, "spec-reviewer", 2, way="compose", prompt=delta, nano_usd=5_000_000)
    asked(office, row, name, **where, template="repair_reply", way="resume", nano_usd=1_000_000)
    (found,) = reviews(office, row)
    assert (found.ways, found.delta_chars, found.cost) == (("resume", "compose"), 10, "≥$0.006")
    assert found.dump()["way"] == "compose"
    assert found.origin == "simulated"


@pytest.mark.parametrize(
    ("approved", "summary", "word"),
    [(True, "", "overruled"), (False, "", "refused"), (False, "no verdict: cut off", "no verdict")],
)
def test_an_approval_with_a_blocker_is_none(
    office: Office, approved: bool, summary: str, word: str
) -> None:
    """C2"""
    row = started(office)
    found = (DEFECT,) if not summary else ()
    looked(office, row, "spec-reviewer", 1, *found, approved=approved)
    if summary:
        with office.database.write() as tx:
            tx.execute("update verdicts set summary = ?", (summary,))
    assert [one.decision for one in reviews(office, row)] == [word]


def test_a_prompt_that_is_gone_has_no_size(office: Office) -> None:
    row = started(office)
    looked(office, row, "spec-reviewer", 1, prompt="0" * 64)
    assert reviews(office, row)[0].delta_chars is None


def test_it_fits_a_terminal_and_cuts_nothing_off(office: Office) -> None:
    """K1: 80 columns."""
    row = started(office)
    long = "a-reviewer-with-a-name-that-goes-on"
    looked(office, row, "spec-reviewer", 1, DEFECT, CONCERN, approved=True)
    looked(office, row, long, 1, usage=None, way="reference")
    lines = drawn(reviews(office, row))
    assert max(map(len, lines)) <= 80
    assert lines[0] == "specify, 2 reviews in 1 iteration"
    assert lines[2].split() == ["1", "spec-reviewer", "overruled", "1/1/0", "fresh", "$0.020"]
    assert long == "".join(line[3:26].strip() for line in lines[4:6])
    assert lines[4].split()[-3:] == ["by", "path", "unknown"]


def test_for_people_and_for_programs(
    office: Office, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """K1"""
    row = started(office)
    monkeypatch.chdir(office.repository.checkout)
    assert main(["show", "reviews", "1"]) == 0
    said = "Feature 001 is not reviewed: the flow L1 has no reviewers.\n"
    assert capsys.readouterr().out == said
    other = replace(row, feature=replace(row.feature, flow="L3"))
    assert unreviewed(other) == "No reviewer has looked at feature 001 yet."
    looked(office, row, "spec-reviewer", 1, CONCERN)
    assert main(["show", "reviews", "1", "--json"]) == 0
    shown = json.loads(capsys.readouterr().out)
    assert shown["reviews"][0]["findings"] == {"blocker": 0, "warning": 1, "suggestion": 0}
    assert shown["reviews"][0]["classes"]["new"] == 1
    assert main(["show", "reviews", "7"]) == 1
    assert main(["show", "reviews", "1", "--way", "resume"]) == 64


def test_what_followed_stands_below_its_look() -> None:
    """C5, K1: not below the rows of those who looked later; and nothing is explained that no row
    has."""
    first, second = _row("spec-reviewer", 1, "refused"), _row("spec-reviewer", 2, "passed")
    back = DecidedRow("specify", 1, ("spec-reviewer",), "revise", ("back to the author",))
    lines = drawn_with([first, second, _row("phase-reviewer", 1, "passed")], [back])
    shown = [line.split()[:2] for line in lines[2:6]]
    assert shown == [
        ["1", "spec-reviewer"],
        ["1", "spec-reviewer:"],
        ["2", "spec-reviewer"],
        ["1", "phase-reviewer"],
    ]
    assert lines[1].split() == ["#", "reviewer", "decision", "b/w/s", "session", "delta", "cost"]
    assert not [line for line in lines if "overruled" in line]
    assert [line for line in drawn_with([_row("a", 1, "overruled")], []) if "overruled:" in line]


def _row(role: str, iteration: int, decision: str) -> ReviewRow:
    ways = ("plain",)
    return ReviewRow(
        "specify", iteration, role, decision, {}, {}, ways, 9, None, 1, False, "measured"
    )


def drawn_with(rows: list[ReviewRow], decided: list[DecidedRow]) -> list[str]:
    console = Console(width=80, file=StringIO(), record=True, force_terminal=False)
    console.print(reviews_page(rows, decided))
    return [line.rstrip() for line in console.export_text().splitlines()]
