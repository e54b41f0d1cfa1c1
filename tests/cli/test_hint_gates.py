"""A hint repairs at a gate of the terminal, and where a rerun is refused.

Covers: A3, A6, C9, K1
"""

from __future__ import annotations

import pytest

from sparing.cli.gate.gate import AtGate
from sparing.cli.gate.gate_screen import MOST_FINDINGS, show
from sparing.desk.features.view import waiting_gate
from sparing.desk.office import Office, open_office
from sparing.errors import UsageError
from sparing.finding import Finding, Severity
from sparing.records.features import FeatureRow
from tests.cli.person import Person
from tests.conftest import UserRepository
from tests.desk.reviewing import looked
from tests.desk.standing import standing


@pytest.fixture
def office(user_repository: UserRepository) -> Office:
    return open_office(user_repository())


def gate_of(office: Office, row: FeatureRow) -> AtGate:
    gate = waiting_gate(office, row)
    assert gate is not None
    return AtGate(office, row, gate)


def test_more_findings_than_a_gate_shows(
    office: Office, person: Person, capsys: pytest.CaptureFixture[str]
) -> None:
    """C9: the command below them shows all."""
    row = standing(office, "at a gate")
    found = [Finding(Severity.SUGGESTION, f"finding number {n:02}") for n in range(30)]
    looked(office, row, "plan-reviewer", 1, *found, stage="plan", approved=True)
    show(gate_of(office, row).view(), row)
    shown = capsys.readouterr().err
    assert f"… {30 - MOST_FINDINGS} more: sparing show 001" in shown
    assert "finding number 29" not in shown
    person.stands(office.repository.checkout, {})
    assert "finding number 29" in person.types("show 001").out


def test_a_rejection_whose_editor_fails(
    office: Office, person: Person, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A6: without an editor the words stand behind the command."""
    row = standing(office, "at a gate")
    monkeypatch.setenv("EDITOR", "false")
    monkeypatch.delenv("VISUAL", raising=False)
    with pytest.raises(UsageError, match="the editor ended with code 1") as caught:
        gate_of(office, row).reject()
    assert caught.value.repair == 'sparing reject 001 "what should be different"'
    person.stands(office.repository.checkout, {})
    assert person.types(caught.value.repair.removeprefix("sparing ")).code == 0
    assert waiting_gate(office, row) is None


def test_a_document_of_a_stage_of_code_is_read(
    office: Office, capsys: pytest.CaptureFixture[str]
) -> None:
    """A6: what is offered is there: the plan at its gate is shown."""
    at = gate_of(office, standing(office, "at a gate"))
    assert "read" in at.acts()
    assert not at.read()
    assert "Something is done" in capsys.readouterr().out


def test_a_stage_whose_beginning_is_unknown(office: Office, person: Person) -> None:
    """A3: the first stage always has one."""
    standing(office, "done")
    person.stands(office.repository.checkout, {})
    unknown = person.types("rerun 1 implement --yes")
    assert "the commit before implement of feature 001 is unknown" in unknown.err
    assert "fix: from its first stage: sparing rerun 001 plan\n" in unknown.err
    asked = person.types("rerun 001 plan")
    assert "fix: sparing rerun 001 plan --yes" in asked.err
    assert person.types("rerun 001 plan --yes").code == 0
    assert "plan" in person.types("status").out
