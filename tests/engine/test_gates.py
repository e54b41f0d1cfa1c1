"""Gates are answered through the mailbox, from any process, whether an engine runs or not.

Covers: A6, A7, A5, B9
"""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from sparing.desk.office import open_office
from tests.conftest import UserRepository
from tests.engine.small import SCRIPT
from tests.repositories import git
from tests.terminal import sparing


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


def test_a_gate_is_answered_from_any_process(started: tuple[Path, dict[str, str]]) -> None:
    """A6, A5, H1: the run ends with a code of its own, .meta.json is what the database knows, an
    answer given while no engine runs counts later, the first one counts, and while work goes on
    nothing appears in the user's folder."""
    path, environ = started
    said = sparing(path, "status", "--json").json["features"][0]
    assert said["next_command"] == "sparing approve 001"
    assert said["waits_for"] == "your approval of plan"
    assert_meta_is_right(path)
    assert sparing(path, "approve", "1").code == 0
    said = sparing(path, "status", "--json").json["features"][0]
    assert (said["answered"], said["next_command"]) == ("approve", "sparing run 001")
    second = sparing(path, "reject", "1", "something else")
    assert second.code == 1
    assert f"is already answered (approve by {open_office(path).sender} at " in second.err
    said = sparing(path, "run", "--json", environ=environ)
    assert said.json["features"][0]["stage"] == "done"
    assert not (path / "made.txt").exists()


def assert_meta_is_right(path: Path) -> None:
    text = git(path, "show", "feature/001-make-a-file:docs/features/001-make-a-file/.meta.json")
    meta = json.loads(text)
    assert (meta["id"], meta["flow"], meta["tier"], meta["status"]) == ("001", "L1", "L1", "active")
    assert meta["lastCompletedPhase"] == "plan"
    assert meta["phases"]["plan"]["completed"] is not None


def test_a_rejection_runs_the_stage_again(started: tuple[Path, dict[str, str]]) -> None:
    path, environ = started
    assert sparing(path, "reject", "1", "name the file made.txt").code == 0
    said = sparing(path, "run", "--json", environ=environ)
    assert said.code == 2
    shown = sparing(path, "show", "1", "--json").json
    assert (shown["stage"], shown["position"]) == ("plan", "stuck")
    assert "left no change and says: planned, at length" in shown["waits_for"]


@pytest.mark.long
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
