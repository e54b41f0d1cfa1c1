"""What an agent changes of its set-up runs only after a person has agreed to the difference.

The base commit's files have to be all that a set-up sees, whatever way an agent tries.

Covers: K2, H7
"""

from __future__ import annotations

from pathlib import Path

import pytest

from sparing.desk.setup.worktree_setup import changed_setup
from sparing.workspace.checks.installed_packages import tools_of
from tests.engine.setup_scene import Scene
from tests.repositories import write_files
from tests.workspace.setup_ways import LINKED, MINE, NESTED, PACKAGE, PIP, WAYS, WORDS


@pytest.mark.long
def test_a_worktree_made_again_is_set_up_from_the_base(tmp_path: Path) -> None:
    """H7: a new requirement is not installed because a folder vanished."""
    scene = Scene(tmp_path, {"requirements.txt": "tinywords\n"}, "pip install -r requirements.txt")
    scene.opened()
    scene.work({"requirements.txt": f"tinywords\n{MINE}", "app.py": "import tinywords\n"})
    scene.vanish()
    told = scene.opened()
    assert scene.runs() == 1
    assert MINE not in scene.seen()
    assert (scene.worktree.path / "requirements.txt").read_text() == f"tinywords\n{MINE}"
    (line,) = [text for kind, text in told if kind == "warning"]
    assert "requirements.txt" in line
    assert "sparing trust --setup 001" in line


def test_no_way_leads_to_an_installation_that_nobody_was_asked_about(tmp_path: Path) -> None:
    """H7: an agent tries all of them at once; the set-up sees the files of the base."""
    files = {name: text for one, _, _ in WAYS.values() for name, text in one.items()}
    change = {name: text for _, _, one in WAYS.values() for name, text in one.items()}
    run = [(one, names) for _, one, names in WAYS.values() if "python3" not in one]
    commands = dict.fromkeys(one for one, _ in run)
    scene = Scene(tmp_path, {**files, **LINKED, **NESTED}, *commands)
    scene.work(change)
    scene.vanish()
    (line,) = [text for kind, text in scene.opened() if kind == "warning"]
    told = {name for _, names in run for name in names}
    assert told <= {*changed_setup(scene.office, scene.row).files}
    assert " more; the work continues with the set-up of " in line
    assert scene.runs() == len(commands)
    assert MINE.strip() not in scene.seen()
    assert {name for name in change if (scene.caches / "seen" / name).exists()} <= {*files}


def test_what_a_person_agreed_to_is_installed(tmp_path: Path) -> None:
    """K2: from the commit that was agreed to, before the next turn; what comes later is not."""
    scene = Scene(tmp_path, WORDS, PIP)
    scene.opened()
    scene.work({"requirements.txt": f"tinywords\n{MINE}", "app.py": "A = 1\n"})
    scene.opened()
    assert scene.runs() == 1
    found = changed_setup(scene.office, scene.row)
    assert (found.files, found.others) == (("requirements.txt",), ("app.py",))
    assert f"+{MINE}" in found.diff
    scene.decide(agreed=True)
    agreed = scene.row.head
    scene.work({"app.py": "A = 2\n"})
    assert scene.opened()[-1] == ("setup", f"{PIP} (as you agreed, from {agreed[:10]})")
    assert scene.runs() == 2
    assert MINE in scene.seen()
    assert "A = 1" in scene.seen()
    assert (scene.worktree.path / "app.py").read_text() == "A = 2\n"
    scene.opened()
    assert scene.runs() == 2
    scene.work({"requirements.txt": "another\n"})
    assert scene.opened()[-1][1].startswith("the feature changes its set-up")
    assert "-tinywords\n" in changed_setup(scene.office, scene.row).diff
    scene.vanish()
    copied = f"{PIP} (as you agreed, from {agreed[:10]}) (copied from an earlier set-up)"
    assert scene.opened()[-1] == ("setup", copied)
    assert scene.runs() == 2
    assert MINE in scene.seen()
    assert "another" not in scene.seen()


@pytest.mark.long
def test_an_agreement_does_not_outlive_its_commit(tmp_path: Path) -> None:
    """H7: the same list on a branch that no longer has the commit is asked about again."""
    scene = Scene(tmp_path, WORDS, PIP)
    scene.work({"requirements.txt": MINE})
    scene.decide(agreed=True)
    with scene.worktree.held() as git:
        git.run("update-ref", scene.worktree.ref, scene.row.feature.base_commit)
    scene.work({"requirements.txt": MINE, "tool.py": "T = 1\n"})
    scene.opened()
    assert MINE not in scene.seen()


@pytest.mark.long
def test_a_no_is_remembered_and_told_once(tmp_path: Path) -> None:
    scene = Scene(tmp_path, WORDS, PIP)
    scene.opened()
    scene.work({"requirements.txt": MINE})
    told = scene.opened()
    assert scene.opened() == told
    scene.decide(agreed=False)
    scene.vanish()
    assert [kind for kind, _ in scene.opened()] == ["setup", "warning", "setup"]
    assert MINE not in scene.seen()


def test_a_set_up_that_a_feature_brings_waits_for_a_person(tmp_path: Path) -> None:
    """K2: the base had none; nothing runs until somebody agrees."""
    scene = Scene(tmp_path, {"README.md": "# Sample\n"}, "auto")
    assert scene.opened() == []
    scene.work(PACKAGE)
    ((kind, line),) = scene.opened()
    assert (kind, "package-lock.json" in line) == ("warning", True)
    assert not scene.caches.exists()
    scene.decide(agreed=True)
    assert scene.opened()[-1][0] == "setup"
    assert scene.runs() == 1


@pytest.mark.long
def test_a_lane_is_set_up_from_the_base(tmp_path: Path) -> None:
    """H7: a worktree for a task begins at the branch's head, its set-up does not."""
    scene = Scene(tmp_path, WORDS, PIP)
    scene.work({"requirements.txt": MINE})
    scene.worktree = scene.around.worktree(scene.row, scene.row.head, "1")
    assert scene.opened() == [("setup", PIP)]
    assert MINE not in scene.seen()
    assert (scene.worktree.path / "requirements.txt").read_text() == MINE


@pytest.mark.long
def test_nothing_that_git_ignores_is_within_reach(tmp_path: Path) -> None:
    """H7: an agent's own program lies where a set-up looks for one; it stays, and neither
    the set-up nor a check sees it."""
    scene = Scene(tmp_path, {**WORDS, ".gitignore": ".venv\n.npmrc\n"}, PIP)
    scene.opened()
    write_files(scene.worktree.path, {".venv/bin/pip": MINE, ".npmrc": MINE, "note.txt": MINE})
    (scene.worktree.path / ".git").unlink()
    scene.worktree = scene.around.worktree(scene.row, scene.row.head)
    scene.opened()
    assert scene.runs() == 1
    assert MINE not in scene.seen()
    assert not list(tools_of(scene.worktree.path).parent.parent.iterdir())
    for name in (".venv/bin/pip", ".npmrc", "note.txt"):
        assert (scene.worktree.path / name).read_text() == MINE
