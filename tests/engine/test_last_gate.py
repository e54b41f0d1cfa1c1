"""Before anything is merged a person sees the very commit that will be: the last gate.

Covers: A7, D6, A5
"""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from sparing.desk.features.view import waiting_gate
from sparing.desk.gates.gate import gate_view, since_diff
from sparing.desk.office import every_row, open_office
from tests.engine.last_gate_scene import BACK, BRANCH, FOLDER, MADE, Scene, scene_in
from tests.engine.small import SCRIPT as SMALL
from tests.repositories import git, make_repository, write_files
from tests.terminal import sparing
from tests.typed import Typed

HISTORIES = {
    "squash": "everything up to this commit becomes one commit on main",
    "rebase": "the commits up to this one are rebased onto main",
}


@pytest.fixture
def scene(tmp_path: Path) -> Scene:
    return scene_in(tmp_path)


def test_what_finish_makes_is_shown_before_it_is_merged(scene: Scene) -> None:
    """A7, D6, A5: retrospective, lessons and a repair wait for a person, in the very commit that
    is merged; it says completed while the database does not yet."""
    seen, main = scene.tip, git(scene.path, "rev-parse", "main")
    scene.run(2)
    assert (scene.row["stage"], scene.row["position"]) == ("finish", "gate")
    assert scene.row["status"] == "active"
    assert git(scene.path, "rev-parse", "main") == main
    assert scene.subjects(seen) == MADE
    assert (scene.meta()["status"], scene.meta()["lastCompletedPhase"]) == ("completed", "finish")
    assert scene.meta()["completed"] is not None
    assert scene.files() == [".meta.json", "prd.md", "retro.md"]
    shown = scene.tip
    assert_it_is_said(scene, seen, shown)
    assert scene("approve", "1").code == 0
    scene.run(0)
    assert (scene.tip, scene.row["status"]) == (shown, "completed")
    assert git(scene.path, "rev-parse", "main^1", "main^2").split() == [main, shown]
    assert git(scene.path, "diff", "--stat", "main", shown) == ""


def assert_it_is_said(scene: Scene, seen: str, shown: str) -> None:
    """What a person reads before they approve, and what stands in the diff."""
    said = scene("show", "1").out
    assert f"  final commit: {shown[:10]} (.meta.json: completed)\n" in said
    assert "  checks: test passed\n" in said
    assert "  if you approve: exactly this commit is merged into main\n" in said
    for history, words in HISTORIES.items():
        other = {**scene.environ, "SPARING_COMMITS__HISTORY": history}
        assert f"  if you approve: {words}\n" in sparing(scene.path, "show", "1", environ=other).out
    office = open_office(scene.path)
    (row,) = every_row(office)
    gate = waiting_gate(office, row)
    assert gate is not None
    found = gate_view(office, row, gate, 0.0)
    assert (found.since, found.head, found.again) == (seen, shown, True)
    changed = [f"{FOLDER}/retro.md", "docs/knowledge-bank/patterns.md", "state.txt"]
    assert set(changed) <= set(found.files)
    diff = since_diff(office, found)
    assert "+# Retro of paging" in diff
    assert "+good" in diff


@pytest.mark.long
def test_a_rejection_takes_it_back(scene: Scene) -> None:
    """D6, F7, A5: the branch says active again, the logs are back, and your words reach the
    implementer; then the gate shows another commit, which says completed again."""
    scene.run(2)
    rejected = scene.tip
    assert scene("reject", "1", "cursors must be signed").code == 0
    scene.run(2)
    assert (scene.row["stage"], scene.row["position"]) == ("finish", "gate")
    assert scene.subjects(rejected) == [BACK, "Rework finish as asked (001)", MADE[-1]]
    back = git(scene.path, "rev-list", "--reverse", f"{rejected}..{BRANCH}").split()[0]
    assert (scene.meta(back)["status"], scene.meta(back)["completed"]) == ("active", None)
    assert "implementation-log.md" in scene.files(back)
    assert ".review-history.md" in scene.files(back)
    assert git(scene.path, "show", f"{BRANCH}:cursor.txt") == "signed"
    assert scene.meta()["status"] == "completed"
    assert scene.files() == [".meta.json", "prd.md", "retro.md"]
    shown = scene.tip
    assert scene("approve", "1").code == 0
    scene.run(0)
    assert git(scene.path, "rev-parse", "main^2") == shown == scene.tip


@pytest.mark.long
def test_what_is_put_on_the_branch_after_the_approval_is_asked_about(scene: Scene) -> None:
    """A7, I1: the approval is read, the process dies before the hand-over, and somebody commits:
    nothing of that is merged before a person has seen it."""
    scene.run(2)
    shown, main = scene.tip, git(scene.path, "rev-parse", "main")
    assert scene("approve", "1").code == 0
    dying = {**scene.environ, "SPARING_ENGINE__CRASH_AT": "handover:begin"}
    assert sparing(scene.path, "run", "--no-input", environ=dying).code == -9
    worktree = Path(scene.row["worktree"])
    write_files(worktree, {"late.txt": "late\n"})
    git(worktree, "add", "late.txt")
    git(worktree, "commit", "--quiet", "-m", "mine")
    late = scene.tip
    scene.run(2)
    assert (scene.row["stage"], scene.row["position"]) == ("finish", "gate")
    words = f"{BRANCH} was changed after {shown[:10]} was approved (late.txt)"
    assert words in scene.row["waits_for"]
    assert git(scene.path, "rev-parse", "main") == main
    assert scene("approve", "1").code == 0
    scene.run(0)
    assert git(scene.path, "rev-parse", "main^1", "main^2").split() == [main, late]


@pytest.mark.long
def test_a_tier_s_last_gate_shows_what_is_merged_too(tmp_path: Path) -> None:
    """A7, A2, A5: at done the branch says completed, and exactly that commit is merged."""
    path = make_repository(tmp_path / "gate")
    write_files(tmp_path, {"script.toml": SMALL})
    environ = {
        "SPARING_AGENT__BACKEND": "scripted",
        "SPARING_AGENT__SCRIPT": str(tmp_path / "script.toml"),
        "SPARING_WORKSPACE__HAND_OVER": "merge",
        "SPARING_FLOW__GATES": "done",
    }
    assert sparing(path, "start", "Make a file", "--flow", "L1", environ=environ).code == 0
    assert sparing(path, "run", "--no-input", environ=environ).code == 2
    branch = "feature/001-make-a-file"
    shown = git(path, "rev-parse", branch)
    meta = json.loads(git(path, "show", f"{branch}:docs/features/001-make-a-file/.meta.json"))
    assert (meta["status"], meta["lastCompletedPhase"]) == ("completed", "done")
    assert sparing(path, "approve", "1", environ=environ).code == 0
    said = sparing(path, "run", "--no-input", environ=environ)
    assert said.code == 0, said.err
    assert git(path, "rev-parse", branch, "main^2").split() == [shown, shown]


def test_what_the_last_gate_announces_is_done(tmp_path: Path) -> None:
    """A7, A2: settings that were changed while the engine ran count for what the screen says and
    for the hand-over."""
    path = make_repository(tmp_path / "gate")
    write_files(tmp_path, {"script.toml": SMALL})
    environ = {
        "SPARING_AGENT__BACKEND": "scripted",
        "SPARING_AGENT__SCRIPT": str(tmp_path / "script.toml"),
        "SPARING_FLOW__GATES": "plan,done",
    }
    start = ("start", "Make a file", "--flow", "L1", "--hand-over", "merge")
    assert sparing(path, *start, environ=environ).code == 0
    typed = Typed(path, "run", environ=environ)
    typed.wait_for("or later")
    write_files(path, {"sparing.toml": '[commits]\nhistory = "squash"\n'})
    typed.type("approve\r")
    typed.wait_for("becomes one commit on main")
    typed.wait_for("or later")
    typed.type("approve\r")
    assert typed.end() == 0, typed.screen
    assert "merged into main as one commit" in typed.screen
    assert git(path, "rev-list", "--count", "--merges", "main") == "0"
