"""A base that moved, brought into a feature whose worktree holds one package alone.

Covers: A9, K2
"""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.engine.built import SATISFIED, task, turn
from tests.repositories import git
from tests.upstream.scene import Scene, scene
from tests.upstream.test_sync import BOTH, OURS, RESOLVES, THEIRS

pytestmark = pytest.mark.nightly

FILES = {
    "api/Makefile": "test:\n\ttest -f a.txt\n",
    "api/a.txt": "a\n",
    "web/w.txt": "w\n",
    "lib/shared.txt": "one\ntwo\nthree\n",
}
TASKS = task("1", "Change the shared file", "lib/shared.txt")
SCRIPT = RESOLVES.replace('"shared.txt"', '"lib/shared.txt"')
SPARSE = {"SPARING_WORKSPACE__ROOT": "api", "SPARING_WORKSPACE__SPARSE": "on"}


def waiting(folder: Path) -> Scene:
    """At the gate of its implement stage; the task's file lies outside of the package."""
    script = SCRIPT + turn("1", {"lib/shared.txt": OURS}) + SATISFIED
    found = scene(folder, TASKS, script, FILES)
    said = found.built.sparing("run", "--no-input", **SPARSE)
    assert said.code == 2, said.err
    return found


def on_disk(there: Scene) -> set[str]:
    name = there.built.row.feature.name
    (tree,) = (there.built.folder / "state").glob(f"*/worktrees/{name}")
    found = {str(one.relative_to(tree)) for one in tree.rglob("*") if one.is_file()}
    return {path for path in found if path.startswith(("api/", "web/", "lib/"))}


@pytest.mark.parametrize("how", ["merge", "rebase"])
def test_others_files_come_in_and_stay_out(tmp_path: Path, how: str) -> None:
    """A9: merged or rebased, the branch has everything; the folder still holds its part."""
    there = waiting(tmp_path)
    assert on_disk(there) == {"api/Makefile", "api/a.txt", "lib/shared.txt"}
    there.push({"web/w.txt": "other\n", "web/new.txt": "new\n", "api/b.txt": "b\n"})
    said = there.built.sparing("sync", "1", "--fetch", SPARING_COMMITS__SYNC=how, **SPARSE)
    assert said.code == 0, said.err
    assert (there.text("web/w.txt"), there.text("web/new.txt")) == ("other", "new")
    assert there.text("lib/shared.txt") == OURS.strip()
    assert on_disk(there) == {"api/Makefile", "api/a.txt", "api/b.txt", "lib/shared.txt"}
    done = there.built.sparing("run", "--yes", SPARING_WORKSPACE__HAND_OVER="merge", **SPARSE)
    assert done.code == 0, done.err
    assert git(there.repository, "show", "main:web/new.txt") == "new"
    assert git(there.repository, "show", "main:lib/shared.txt") == OURS.strip()


def test_a_conflict_outside_of_the_package(tmp_path: Path) -> None:
    """A9: the file is on disk for whoever settles it."""
    there = waiting(tmp_path)
    there.push({"lib/shared.txt": THEIRS})
    said = there.built.sparing("sync", "1", "--fetch", "--yes", **SPARSE)
    assert said.code == 0, said.err
    assert there.text("lib/shared.txt") == BOTH.strip()
    assert there.text("web/w.txt") == "w"
