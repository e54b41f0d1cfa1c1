"""A hint repairs where nothing runs: red checks, rulings, a base, a text that is gone, an agent.

Covers: A3, A6, A9, I3, K1
"""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

import pytest

from sparing.cli.gate.gate import AtGate
from sparing.cli.gate.gate_screen import show
from sparing.clients.backends import make_backend
from sparing.desk.features.view import waiting_gate
from sparing.desk.office import Office, open_office
from sparing.errors import ConfigError
from sparing.flow.state import Cause, FlowState
from sparing.records import events
from sparing.records.events import Event
from sparing.records.features import FeatureRow
from sparing.records.folder import TextGone
from tests.cli.person import Person
from tests.conftest import UserRepository
from tests.desk.reviewing import DEFECT, followed
from tests.desk.standing import NOW, reload, standing


@pytest.fixture
def office(user_repository: UserRepository, person: Person) -> Office:
    made = open_office(user_repository())
    person.stands(made.repository.checkout, {})
    return made


def gate_of(office: Office, row: FeatureRow) -> AtGate:
    gate = waiting_gate(office, row)
    assert gate is not None
    return AtGate(office, row, gate)


def test_checks_that_are_red_at_a_gate(
    office: Office, person: Person, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """A6: a gate shows the end of their output, the command below it all of it."""
    row = standing(office, "at a gate")
    output = tmp_path / "output.txt"
    output.write_text("".join(f"line {number:03}\n" for number in range(200)))
    told = (("checks", {"test": False}), ("outputs", {"test": str(output)}))
    with office.database.write() as tx:
        for kind, data in told:
            key, stage = f"{row.leg_id}.{kind}", "plan"
            events.add(tx, Event(key, row.feature.key, NOW + 8, kind, stage=stage, data=data))
    show(gate_of(office, row).view(), row)
    shown = capsys.readouterr().err
    assert "all of it: sparing show 001 checks" in shown
    assert "line 199" in shown
    assert "line 000" not in shown
    assert "line 000\nline 001\n" in person.types("show 001 checks").out


def test_what_was_ruled_is_continued_with(office: Office, person: Person) -> None:
    """A6: the stage stood for the finding; the named command leads past it."""
    row = standing(office, "stuck, acceptable")
    followed(office, row, "F1", DEFECT)
    ruled = person.types("rule 1 F1 dismiss 'it is set by the caller'")
    assert ruled.out.endswith("To continue with these rulings: sparing approve 001\n")
    assert person.types("approve 001").code == 0
    assert waiting_gate(office, row) is None


def test_a_feature_that_began_at_a_commit(office: Office, person: Person) -> None:
    """A9: no base can be brought in; where the feature stands is shown."""
    row = standing(office, "at a gate")
    with office.database.write() as tx:
        tx.execute("update features set base_branch = ''")
    refused = person.types("sync 1")
    assert refused.complaint == (
        "error: feature 001 was started from a commit, not from a branch",
        "fix: sparing show 001",
    )
    assert "plan waits for your approval" in person.types("show 001").out
    assert reload(office, row).head == row.head


def test_a_stored_text_that_is_gone(office: Office, person: Person) -> None:
    """I3: what the author said is lost; its stage is redone by the command that is named."""
    row = standing(office, "stuck")
    state = replace(FlowState.load(row.place["state"]), cause=Cause.DECLINED)
    lost = office.folder.keep("I changed nothing, because …")
    place = json.dumps({**row.place, "state": state.dump(), "note": lost})
    with office.database.write() as tx:
        tx.execute("update features set place = ?", (place,))
    office.folder.blob(lost).unlink()
    with pytest.raises(TextGone, match="a stored text is gone") as caught:
        gate_of(office, reload(office, row)).view()
    assert caught.value.repair == "redo its stage, or the first one: sparing rerun FEATURE [STAGE]"
    assert person.types("rerun 001 plan --yes").code == 0
    assert reload(office, row).place.get("note", "") == ""
    assert person.types("show 001").out.endswith("  sparing run 001\n")


def test_an_agent_that_only_another_version_has(office: Office, person: Person) -> None:
    """K1: records may name it; the command lists those that are here."""
    with pytest.raises(ConfigError, match="there is no backend 'seer'") as caught:
        make_backend(office.loaded, office.folder, "seer")
    assert caught.value.repair == "sparing doctor lists them"
    listed = person.types("doctor").out
    assert all(name in listed for name in ("claude", "codex", "gemini", "opencode"))
    assert "seer" not in listed
