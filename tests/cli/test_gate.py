"""What a gate in the terminal offers, by where the feature stands. Covers: A6, C9"""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from sparing.cli.gate.gate import AtGate
from sparing.cli.gate.gate_screen import show_choices
from sparing.cli.gate.rule import rule_at_gate
from sparing.cli.screen import page_markdown
from sparing.desk.features.view import waiting_gate
from sparing.desk.gates.actions import GateAction, choices
from sparing.desk.gates.rulings import open_findings
from sparing.desk.office import Office, open_office
from sparing.errors import UsageError
from sparing.flow.advance import begin
from sparing.flow.state import Position
from sparing.records import features
from sparing.records.features import FeatureRow
from tests.conftest import UserRepository
from tests.desk.reviewing import DEFECT, followed
from tests.desk.standing import NOW, reload, standing
from tests.first_hour import settings
from tests.repositories import make_repository
from tests.typed import Typed


@pytest.fixture
def office(user_repository: UserRepository) -> Office:
    return open_office(user_repository())


def at(office: Office, name: str) -> FeatureRow:
    """With a head that is a commit: a gate shows what changed since the base."""
    row = standing(office, name)
    base = row.feature.base_commit
    with office.database.write() as tx:
        assert features.move(tx, row, {**row.place, "head": base}, base, NOW)
    return reload(office, row)


def offered(office: Office, row: FeatureRow) -> list[str]:
    gate = waiting_gate(office, row)
    assert gate is not None
    return list(AtGate(office, row, gate).acts())


def test_at_a_gate(office: Office) -> None:
    found = offered(office, at(office, "at a gate"))
    assert found == ["approve", "reject", "edit", "read", "diff", "prompt"]


def test_at_a_stage_that_is_stuck(office: Office) -> None:
    """Nothing that would be refused, and everything that leads on."""
    found = offered(office, at(office, "stuck"))
    assert found == ["reject", "edit", "resume", "rerun", "read", "diff", "prompt"]


def test_a_document_is_read_as_it_is_meant(capsys: pytest.CaptureFixture[str]) -> None:
    """A6, H10: rendered, and nothing in it reaches the terminal as a control."""
    page_markdown("# Spec\n\n- **AC-1**: a\x1b[31mb\n\n| a | b |\n|---|---|\n| 1 | 2 |\n")
    shown = capsys.readouterr().out
    assert "Spec" in shown
    assert "• AC-1: a" in shown
    assert "**" not in shown
    assert "\x1b[31m" not in shown


def test_a_review_that_is_stuck(office: Office, capsys: pytest.CaptureFixture[str]) -> None:
    """C9: what is open is shown, and a word on it counts."""
    row = at(office, "stuck, acceptable")
    followed(office, row, "F1", DEFECT)
    assert offered(office, row)[:3] == ["approve", "rule", "reject"]
    rule_at_gate(office, row, lambda _: "")
    assert DEFECT.text in capsys.readouterr().out
    with pytest.raises(UsageError, match="say how to rule on F1"):
        rule_at_gate(office, row, lambda _: "F1")
    rule_at_gate(office, row, lambda _: 'F1 dismiss "it is set in the caller"')
    (found,) = open_findings(office, row)
    assert (found.ruling, found.words) == ("dismissed", "it is set in the caller")


def test_what_was_typed_before_the_gate_is_no_answer(tmp_path: Path) -> None:
    """A6: nobody approves what they have not seen."""
    repository = make_repository(tmp_path / "sample")
    typed = Typed(repository, "start", "Greet by name", "--tier", "L1", environ=settings(tmp_path))
    typed.wait_for("run now? [Y/n]: ")
    typed.type("y\napprove\n")  # the second line lies there when the gate is shown
    typed.wait_for("[later]: ")
    typed.type("later\n")
    assert typed.end() == 2, typed.screen
    assert "approved" not in typed.screen
    assert "sparing run 001   to decide later" in typed.screen
    later = Typed(repository, "run", "001", environ=settings(tmp_path))
    later.wait_for("[later]: ")
    later.type("approve\n")
    later.wait_for("approved")
    later.close()
    later.process.wait(120)


def test_what_is_typed_in_a_shell_is_shown_whole(capsys: pytest.CaptureFixture[str]) -> None:
    """K1: the prompt of a gate takes `resume`, not `trust`."""
    show_choices(
        (GateAction("sparing resume 001", "try again"), GateAction("sparing trust", "see"))
    )
    assert capsys.readouterr().err.splitlines() == [
        "  resume        try again",
        "  sparing trust see",
    ]


def test_approving_what_failed_says_what_it_leads_to(capsys: pytest.CaptureFixture[str]) -> None:
    """E4, K1: the line beside `approve`, where a part of the work failed and where none did."""
    failed = replace(begin("L1"), position=Position.STUCK, held=Position.TODO, acceptable=True)
    whole = replace(failed, held=None)
    shown: list[str] = []
    for state in (failed, whole):
        show_choices(choices("001", state))
        lines = capsys.readouterr().err.splitlines()
        shown += [line for line in lines if line.startswith("  approve")]
    assert shown == [
        "  approve  continue without what failed",
        "  approve  accept it as it is",
    ]
