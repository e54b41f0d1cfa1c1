"""The last gate after a death, a third no, a step back. Covers: A5, D6, F7, I1"""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.engine.last_gate_scene import BACK, BRANCH, MADE, Scene, scene_in
from tests.repositories import git
from tests.terminal import sparing


@pytest.fixture
def scene(tmp_path: Path) -> Scene:
    return scene_in(tmp_path)


def test_a_death_between_approval_and_hand_over_changes_nothing(scene: Scene) -> None:
    """I1, D6: after the merge, before it was noted: the same merge of the same commit."""
    scene.run(2)
    shown = scene.tip
    assert scene("approve", "1").code == 0
    dying = {**scene.environ, "SPARING_ENGINE__CRASH_AT": "handover:end"}
    assert sparing(scene.path, "run", "--no-input", environ=dying).code == -9
    merged = git(scene.path, "rev-parse", "main", "main^2").split()
    assert merged[1] == shown
    scene.run(0)
    assert git(scene.path, "rev-parse", "main", BRANCH).split() == merged
    assert scene.row["status"] == "completed"


def test_a_death_while_it_is_taken_back_changes_nothing(scene: Scene) -> None:
    """I1, F7: a rejection is one commit, however often the step is played."""
    scene.run(2)
    rejected = scene.tip
    assert scene("reject", "1", "cursors must be signed").code == 0
    dying = {**scene.environ, "SPARING_ENGINE__CRASH_AT": "reopen:end"}
    assert sparing(scene.path, "run", "--no-input", environ=dying).code == -9
    back = scene.tip
    assert scene.subjects(rejected) == [BACK]
    scene.run(2)
    assert scene.subjects(rejected) == [BACK, "Rework finish as asked (001)", MADE[-1]]
    assert git(scene.path, "rev-parse", f"{BRANCH}~2") == back


def test_going_back_takes_it_back_too(scene: Scene) -> None:
    """A5, A1: the feature is active again before the earlier stage begins."""
    scene.run(2)
    rejected = scene.tip
    assert scene("back", "1", "brainstorm").code == 0
    scene.run(2)
    assert (scene.row["stage"], scene.row["status"]) == ("brainstorm", "active")
    assert scene.subjects(rejected)[0] == BACK
    assert (scene.meta()["status"], scene.meta()["completed"]) == ("active", None)


def test_the_third_rejection_leaves_the_branch_active(scene: Scene) -> None:
    """F7, A5: the breaker blocks the feature; what its branch says is taken back as well."""
    scene.run(2)
    for _ in range(3):
        assert scene("reject", "1", "cursors must be signed").code == 0
        scene.run(2)
    assert "rejected 3 times" in scene.row["waits_for"]
    last = git(scene.path, "log", "-2", "--format=%s", BRANCH).splitlines()
    assert BACK in last, "and that it is blocked is on record"
    assert scene.meta()["status"] == "active"
