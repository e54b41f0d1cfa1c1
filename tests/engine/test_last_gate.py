"""Before anything is merged a person sees the very commit that will be: the last gate.

Covers: A7, D6, A5
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any, NamedTuple

import pytest

from sparing.desk.features.view import every_row, waiting_gate
from sparing.desk.gates.gate import gate_view, since_diff
from sparing.desk.office import open_office
from tests.engine.small import SCRIPT as SMALL
from tests.repositories import git, make_repository, write_files
from tests.terminal import Said, sparing

SCRIPT = '''
[[turn]]
role = "prd-author"
reply = "written"
[[turn.edit]]
path = "{folder}/prd.md"
text = """# PRD: paging
## Problem Statement
Lists are long, and whoever reads them waits for all of it. — Evidence: README.md.
## Goals
1. Pages with cursors.
"""
[[turn.edit]]
path = "{folder}/implementation-log.md"
text = """# Implementation Log
## Task 1.1: Cursors
- **Decisions:** opaque cursors
"""
[[turn.edit]]
path = "state.txt"
text = "broken\\n"

[[turn]]
role = "retro-facilitator"
reply = """{"retro_md": "# Retro of paging", "judgements": [], "entries": [
  {"kind": "pattern", "name": "Opaque cursors", "text": "Not parsed.", "provenance": "1.1"}]}"""

[[turn]]
role = "implementer"
prompt = "cursors must be signed"
reply = "Signed."
[[turn.edit]]
path = "cursor.txt"
text = "signed\\n"

[[turn]]
role = "implementer"
reply = "Repaired."
[[turn.edit]]
path = "state.txt"
text = "good\\n"

[[turn]]
role = "*"
reply = '{"approved": true, "findings": [], "summary": "Complete. No external claims."}'
'''
MAKEFILE = "test:\n\tgrep -q good state.txt\n"
FOLDER = "docs/features/001-paging"
BRANCH = "feature/001-paging"
MADE = [
    "sparing: finish retrospective",
    "sparing: finish by implementer",
    "sparing: finish done",
]
BACK = "sparing: finish taken back"


class Scene(NamedTuple):
    path: Path
    environ: dict[str, str]

    def __call__(self, *words: str) -> Said:
        return sparing(self.path, *words, environ=self.environ)

    def run(self, code: int) -> Said:
        said = self("run", "--no-input")
        assert said.code == code, said.err
        return said

    def subjects(self, since: str) -> list[str]:
        return git(self.path, "log", "--format=%s", "--reverse", f"{since}..{BRANCH}").splitlines()

    def meta(self, commit: str = BRANCH) -> dict[str, Any]:
        return json.loads(git(self.path, "show", f"{commit}:{FOLDER}/.meta.json"))

    def files(self, commit: str = BRANCH) -> list[str]:
        found = git(self.path, "ls-tree", "-r", "--name-only", commit, FOLDER).split()
        return [name.removeprefix(f"{FOLDER}/") for name in found]

    @property
    def tip(self) -> str:
        return git(self.path, "rev-parse", BRANCH)

    @property
    def row(self) -> dict[str, Any]:
        return self("list", "--json").json["features"][0]


@pytest.fixture
def scene(tmp_path: Path) -> Scene:
    """A feature whose idea is approved and that goes to its last stage with a broken check."""
    path = make_repository(tmp_path / "gate", {"Makefile": MAKEFILE, "state.txt": "good\n"})
    git(path, "switch", "--quiet", "--create", "elsewhere")
    write_files(tmp_path, {"script.toml": SCRIPT})
    environ = {
        "SPARING_AGENT__BACKEND": "scripted",
        "SPARING_AGENT__SCRIPT": str(tmp_path / "script.toml"),
        "SPARING_FLOW__ASSISTANTS": "retro-facilitator",
        "SPARING_WORKSPACE__HAND_OVER": "merge",
    }
    git(path, "switch", "--quiet", "main")
    scene = Scene(path, environ)
    assert scene("start", "Paging").code == 0
    git(path, "switch", "--quiet", "elsewhere")
    scene.run(2)
    assert scene("skip", "1", "finish").code == 0
    return scene


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
    assert f"  commit {shown[:10]} is the last: its .meta.json says completed\n" in said
    assert "  checks: 1 green\n" in said
    assert "  approved, exactly this commit is merged into main\n" in said
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


def test_a_rejection_takes_it_back(scene: Scene) -> None:
    """D6, F7, A5: the branch says active again, the logs are back, and your words reach the
    implementer; then the gate shows another commit, which says completed again."""
    scene.run(2)
    rejected = scene.tip
    assert scene("reject", "1", "cursors must be signed").code == 0
    scene.run(2)
    assert (scene.row["stage"], scene.row["position"]) == ("finish", "gate")
    assert scene.subjects(rejected) == [BACK, *MADE[1:]]
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
    words = f"{BRANCH} was changed after {shown[:10]} was to be handed over (late.txt)"
    assert words in scene.row["waits_for"]
    assert git(scene.path, "rev-parse", "main") == main
    assert scene("approve", "1").code == 0
    scene.run(0)
    assert git(scene.path, "rev-parse", "main^1", "main^2").split() == [main, late]


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
    assert scene.subjects(rejected) == [BACK, *MADE[1:]]
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
    assert git(scene.path, "log", "-1", "--format=%s", BRANCH) == BACK
    assert scene.meta()["status"] == "active"


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
