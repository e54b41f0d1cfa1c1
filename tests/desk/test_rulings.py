"""A person's word on what is open: kept, and refused where it makes no sense. Covers: C2, C12."""

from __future__ import annotations

import json

import pytest

from sparing.cli.main import main
from sparing.desk.gates.rulings import RulingRequest, open_findings, rule
from sparing.desk.office import Office
from sparing.errors import FeatureError, SparingError, UsageError
from sparing.records import events
from sparing.records.findings import RulingRow, rulings_of
from sparing.review.answers import AnswerKind, AuthorAnswer
from sparing.review.tracking import FindingStatus, RulingKind
from tests.desk.reviewing import CONCERN, DEFECT, WISH, followed
from tests.desk.standing import NOW, standing, started

UPHELD, DISMISSED = RulingKind.UPHELD, RulingKind.DISMISSED


def test_what_is_open_with_both_sides_words(office: Office) -> None:
    """C2: the open rest goes to a human."""
    row = standing(office, "stuck, acceptable")
    reason = AuthorAnswer("F1", AnswerKind.ANSWERED, "it is set by the caller")
    followed(office, row, "F1", DEFECT, status=FindingStatus.CONTESTED, answer=reason)
    followed(office, row, "F2", CONCERN, status=FindingStatus.RESOLVED, counts=False)
    followed(office, row, "F3", WISH, counts=False)
    followed(office, row, "F4", CONCERN, into="F1")
    first, wish = open_findings(office, row)
    assert (first.id, first.state, first.answer) == (
        "F1",
        "contested",
        "answered: it is set by the caller",
    )
    assert (wish.id, wish.counts) == ("F3", False)


@pytest.mark.parametrize("name", ["F1", "f1", "F-1", "1", " F1 "])
def test_a_ruling_is_kept(office: Office, name: str) -> None:
    """C2: with its words, for every later look; the last word stands."""
    row = standing(office, "stuck, acceptable")
    followed(office, row, "F1", DEFECT)
    followed(office, row, "F2", CONCERN)
    followed(office, row, "F3", WISH, counts=False)
    first = rule(office, row, RulingRequest(name, UPHELD), "terminal", NOW)
    assert [one.id for one in first.left] == ["F2"]
    second = rule(office, row, RulingRequest("F1", DISMISSED, " we know "), "terminal", NOW + 1)
    assert (second.finding.ruling, second.finding.words, second.waits) == (
        "dismissed",
        "we know",
        True,
    )
    with office.database.read() as connection:
        kept = rulings_of(connection, row.feature.key)
        told = [one for one in events.since(connection, 0) if one.kind == "ruled"]
    assert kept == (RulingRow(row.feature.key, "plan", "F1", "dismissed", "we know", NOW + 1),)
    assert [one.data["ruling"] for one in told] == ["upheld", "dismissed"]


def test_while_it_works_it_counts_from_the_next_look_on(office: Office) -> None:
    """C2: people need not wait for a gate."""
    row = standing(office, "under way")
    followed(office, row, "F1", DEFECT)
    assert not rule(office, row, RulingRequest("F1", UPHELD), "page", NOW).waits


def test_ids_belong_to_a_stage(office: Office) -> None:
    """C2: ids are counted within a stage; without a name the present one is meant."""
    row = standing(office, "stuck, acceptable")
    followed(office, row, "F1", DEFECT, stage="design")
    with pytest.raises(FeatureError) as nothing:
        rule(office, row, RulingRequest("F1", UPHELD), "terminal", NOW)
    assert nothing.value.repair == "name the stage: --stage design"
    ruled = rule(office, row, RulingRequest("F1", UPHELD, stage="design"), "terminal", NOW)
    assert (ruled.finding.stage, ruled.waits) == ("design", False)


@pytest.mark.parametrize(
    ("wish", "what"),
    [
        (RulingRequest("F9", UPHELD), "plan has no open finding 'F9'"),
        (RulingRequest("F1", DISMISSED), "a dismissal needs a reason: later reviewers are told"),
        (
            RulingRequest("F1", DISMISSED, "\x1b[2J"),
            "that is not plain text: it has control characters",
        ),
        (RulingRequest("", UPHELD), "plan has no open finding ''"),
    ],
)
def test_what_makes_no_sense_is_refused(office: Office, wish: RulingRequest, what: str) -> None:
    row = standing(office, "stuck, acceptable")
    followed(office, row, "F1", DEFECT)
    with pytest.raises(UsageError, match=what.replace("(", "\\(")):
        rule(office, row, wish, "terminal", NOW)
    with office.database.read() as connection:
        assert rulings_of(connection, row.feature.key) == ()


@pytest.mark.parametrize("name", ["done", "abandoned"])
def test_nothing_is_ruled_when_all_is_over(office: Office, name: str) -> None:
    row = standing(office, name)
    followed(office, row, "F1", DEFECT)
    with pytest.raises(SparingError, match="is (completed|abandoned)"):
        rule(office, row, RulingRequest("F1", UPHELD, stage="plan"), "terminal", NOW)


def test_in_the_terminal(
    office: Office, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """K1"""
    row = standing(office, "stuck, acceptable")
    monkeypatch.chdir(office.repository.checkout)
    assert main(["rule", "1"]) == 0
    assert capsys.readouterr().out == "No finding of feature 001 is open.\n"
    followed(office, row, "F1", DEFECT)
    assert main(["rule", "1"]) == 0
    assert "F1 blocker, plan, plan-reviewer, new" in capsys.readouterr().out
    assert main(["rule", "1", "F1"]) == 64
    assert main(["rule", "1", "F1", "dismiss", "it is set by the caller"]) == 0
    out = capsys.readouterr().out
    assert out.splitlines()[-1] == "To continue with these rulings: sparing approve 001"
    assert main(["rule", "1", "F1", "uphold", "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["ruling"] == "upheld"
    assert main(["rule", "1", "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["open"][0]["ruling"] == "upheld"


def test_a_feature_without_reviews_has_nothing_to_rule_on(office: Office) -> None:
    row = started(office)
    with pytest.raises(FeatureError, match="nothing is open in plan"):
        rule(office, row, RulingRequest("F1", UPHELD), "terminal", NOW)
