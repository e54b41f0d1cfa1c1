"""Gates are answered through the mailbox, from any process, whether an engine runs or not.

Covers: A6, A7, A5, B9
"""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.conftest import UserRepository
from tests.repositories import git
from tests.terminal import sparing

SCRIPT = '''
[[turn]]
role = "builder"
stage = "plan"
iteration = 1
reply = "planned"
[[turn.edit]]
path = "{folder}/plan.md"
text = """# Plan

## Steps
1. Write the file.

## Done when
It is there, with its one line, and the repository's checks are as green as they were before.
"""

[[turn]]
role = "builder"
stage = "implement"
reply = "built"
[[turn.edit]]
path = "made.txt"
text = "made"
[[turn.edit]]
path = "{folder}/implementation.md"
text = "# Implementation"

[[turn]]
role = "builder"
stage = "done"
reply = "done"
[[turn.edit]]
path = "{folder}/summary.md"
text = "# Summary"
'''


@pytest.fixture
def started(tmp_path: Path, user_repository: UserRepository) -> tuple[Path, dict[str, str]]:
    """A feature of the smallest tier in a user's repository, parked at its first gate."""
    path = user_repository()
    script = tmp_path / "script.toml"
    script.write_text(SCRIPT)
    environ = {"SPARING_AGENT__BACKEND": "scripted", "SPARING_AGENT__SCRIPT": str(script)}
    assert sparing(path, "start", "Make a file", "--flow", "L1", environ=environ).code == 0
    said = sparing(path, "run", "--json", environ=environ)
    assert said.code == 2, said.err
    (feature,) = said.json["features"]
    assert (feature["stage"], feature["position"]) == ("plan", "gate")
    return path, environ


def test_a_gate_stops_the_run_with_its_own_exit_code(
    started: tuple[Path, dict[str, str]],
) -> None:
    path, _ = started
    said = sparing(path, "status", "--json").json["features"][0]
    assert said["next_command"] == "sparing approve 001"
    assert said["waits_for"] == "your approval of plan"


def test_an_answer_given_while_no_engine_runs_counts_later(
    started: tuple[Path, dict[str, str]],
) -> None:
    path, environ = started
    assert sparing(path, "approve", "1").code == 0
    said = sparing(path, "status", "--json").json["features"][0]
    assert (said["answered"], said["next_command"]) == ("approve", "sparing run 001")
    said = sparing(path, "run", "--json", environ=environ)
    assert said.json["features"][0]["stage"] == "done"


def test_the_first_answer_counts(started: tuple[Path, dict[str, str]]) -> None:
    path, _ = started
    assert sparing(path, "approve", "1").code == 0
    second = sparing(path, "reject", "1", "something else")
    assert second.code == 1
    assert "has its answer already (approve)" in second.err


def test_a_rejection_runs_the_stage_again(started: tuple[Path, dict[str, str]]) -> None:
    path, environ = started
    assert sparing(path, "reject", "1", "name the file made.txt").code == 0
    said = sparing(path, "run", "--json", environ=environ)
    assert said.code == 2
    shown = sparing(path, "show", "1", "--json").json
    assert (shown["stage"], shown["position"]) == ("plan", "stuck")
    assert "nothing changed" in shown["waits_for"]


def test_the_record_beside_the_documents(started: tuple[Path, dict[str, str]]) -> None:
    """A5: .meta.json is what the database knows."""
    path, _ = started
    text = git(path, "show", "feature/001-make-a-file:docs/features/001-make-a-file/.meta.json")
    meta = json.loads(text)
    assert (meta["id"], meta["flow"], meta["tier"], meta["status"]) == ("001", "L1", "L1", "active")
    assert meta["lastCompletedPhase"] == "plan"
    assert meta["phases"]["plan"]["completed"] is not None


def test_a_finished_branch_is_not_merged_without_consent(
    started: tuple[Path, dict[str, str]],
) -> None:
    """H1, D6: the base branch is checked out: the exact command is printed instead."""
    path, environ = started
    before = git(path, "rev-parse", "main")
    said = sparing(path, "run", "--yes", environ=environ)
    assert said.code == 0, said.err
    assert git(path, "rev-parse", "main") == before
    assert git(path, "show", "feature/001-make-a-file:made.txt") == "made"
    assert sparing(path, "list", "--json").json["features"][0]["status"] == "completed"


def test_no_step_tells_the_user_s_folder_to_change(
    started: tuple[Path, dict[str, str]],
) -> None:
    """H1: the guard around every test compares the checkout; here work really went on."""
    path, environ = started
    sparing(path, "approve", "1")
    sparing(path, "run", environ=environ)
    assert not (path / "made.txt").exists()
