"""`answer`, `rerun` and `start --tier auto` at the command line, with nobody at a terminal.

Covers: A2, A6, F5, K1
"""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from sparing.cli.gate.answer import answer_at_gate
from sparing.cli.main import main
from sparing.desk.gates.questions import questions
from sparing.desk.office import Office, open_office
from sparing.flow.state import Cause, Outcome, OutcomeKind
from sparing.records import features
from sparing.records.features import FeatureRow
from tests.conftest import UserRepository
from tests.desk.standing import NOW, PASSED, reload, settled, standing


@pytest.fixture
def office(user_repository: UserRepository, monkeypatch: pytest.MonkeyPatch) -> Office:
    path: Path = user_repository()
    monkeypatch.chdir(path)
    return open_office(path)


def asking(office: Office, *asked: str) -> FeatureRow:
    stop = Outcome(OutcomeKind.FAILED, reason="it asks: Which port?", cause=Cause.QUESTIONS)
    row = settled(office, standing(office, "under way"), (stop,))
    with office.database.write() as tx:
        place = {
            **row.place,
            "talk": {"questions": list(asked or ("Which port?", "Keep the flag?"))},
        }
        features.move(tx, row, place, row.head, NOW + 10)
    return reload(office, row)


def test_questions_are_shown_and_answered(
    office: Office, capsys: pytest.CaptureFixture[str]
) -> None:
    asking(office)
    assert main(["answer", "1"]) == 2
    said = capsys.readouterr().err
    assert "? 1. Which port?" in said
    assert 'fix: sparing answer 001 "say it here"' in said
    assert main(["answer", "1", "--json"]) == 0
    listed = json.loads(capsys.readouterr().out)["questions"]
    assert [one["text"] for one in listed] == ["Which port?", "Keep the flag?"]
    assert main(["answer", "1", "yes", "--question", "2"]) == 0
    assert "saved; open questions: 1" in capsys.readouterr().out
    assert main(["show", "1"]) == 0
    assert "? 1. Which port?" in capsys.readouterr().out
    assert main(["answer", "1", "8080", "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["left"] == []


@pytest.mark.parametrize(
    ("typed", "first"),
    [(["", ""], "8081"), (["later"], ""), ([None], ""), (["9090", None], "9090")],
)
def test_an_empty_line_takes_the_author_s_default(
    office: Office, typed: list[str | None], first: str
) -> None:
    """A2, K1: what stands in brackets is what Enter means; the end of the input agrees to
    nothing."""
    row, shown = asking(office, "Which port? (default: 8081)", "Keep the flag?"), list[str]()

    def ask(text: str) -> str | None:
        shown.append(text)
        return typed[len(shown) - 1]

    assert not answer_at_gate(office, row, ask)
    usual = ["  your answer, or later [8081]: ", "  your answer [later]: "]
    assert shown == usual[: len(typed)]
    assert [one.answer for one in questions(office, reload(office, row))] == [first, ""]


def test_a_third_rejection_is_said_to_stop_the_stage(
    office: Office, capsys: pytest.CaptureFixture[str]
) -> None:
    """A6, K1: it was said to continue, and then it could not even be approved."""
    row = standing(office, "under way")
    rejected = Outcome(OutcomeKind.REJECT, reason="no")
    row = settled(office, row, (PASSED, rejected, PASSED, rejected, PASSED))
    assert main(["status"]) == 0
    assert "a third time: the stage then stops" in " ".join(capsys.readouterr().out.split())
    assert main(["reject", "1", "not like this"]) == 0
    assert "plan is rejected for the third time; to continue:" in capsys.readouterr().out


def test_a_rerun_is_confirmed_by_a_person(
    office: Office, capsys: pytest.CaptureFixture[str]
) -> None:
    """C12: what would be taken back is said before; without a word nothing is."""
    row = standing(office, "at a gate")
    assert main(["rerun", "1"]) == 2
    said = capsys.readouterr().err
    assert f"goes back to {row.feature.base_commit[:10]}, without plan" in said
    assert "its commits stay at refs/sparing/salvage/" in said
    assert "fix: sparing rerun 001 --yes" in said
    assert reload(office, row) == row
    assert main(["rerun", "1", "plan", "--yes", "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["stage"] == "plan"
    assert reload(office, row).generation == 1


def test_a_tier_is_proposed_and_taken_where_nobody_can_be_asked(
    office: Office, capsys: pytest.CaptureFixture[str]
) -> None:
    """A2: with its reasons in the plan, and by a setting too."""
    assert main(["start", "Refactor auth, migrate the database", "--tier", "auto"]) == 0
    said = capsys.readouterr().out
    assert "L3: 7 stages, 5 ask you (proposed: it touches security ('auth'); it touches" in said
    assert main(["start", "Fix the typo", "--tier", "feature", "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["flow"] == "feature"
    assert main(["start", "Fix the typo", "--tier", "L4"]) == 64
    assert "there is no flow 'L4'" in capsys.readouterr().err
    with office.database.read() as connection:
        assert [row.feature.flow for row in features.list_all(connection)] == ["L3", "feature"]


def test_a_setting_may_ask_for_a_proposal(
    office: Office, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """A2"""
    _ = office
    monkeypatch.setenv("SPARING_FLOW__DEFAULT", "auto")
    assert main(["start", "Fix the typo", "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["flow"] == "L1"
