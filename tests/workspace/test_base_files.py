"""A set-up works on the files of one commit; what was there comes back, also after a kill.

Covers: K2, H7
"""

from __future__ import annotations

import os
import signal
import sys
from pathlib import Path

import pytest

from sparing.workspace.git.worktree import Worktree, ensure_worktree
from sparing.workspace.setup.base_files import base_files, put_back
from tests.repositories import git, make_repository, write_files
from tests.workspace.features import commit, make_worktree

FILES = {"app.py": "A = 1\n", "old.txt": "old\n", "src/a.py": "a\n", ".gitignore": "*.log\n"}


def listing(worktree: Worktree) -> dict[str, str]:
    root = worktree.path
    found = [path for path in sorted(root.rglob("*")) if path.name != ".git"]
    return {
        str(path.relative_to(root)): str(path.readlink()) if path.is_symlink() else path.read_text()
        for path in found
        if path.is_symlink() or path.is_file()
    }


class Scene:
    """A branch with a commit of its own, and with work in no commit."""

    def __init__(self, folder: Path) -> None:
        self.worktree = make_worktree(make_repository(folder / "sample", FILES))
        self.base = self.worktree.tip()
        (self.worktree.path / "old.txt").unlink()
        write_files(self.worktree.path, {"app.py": "A = 2\n", "deps/tracked.txt": "t\n"})
        commit(self.worktree)
        write_files(self.worktree.path, {"app.py": "A = 3\n", "new.txt": "new\n", "x.log": "log\n"})
        (self.worktree.path / "src/link").symlink_to("/nowhere")
        self.before = listing(self.worktree)

    @property
    def beside(self) -> list[str]:
        return sorted(path.name for path in self.worktree.path.parent.iterdir())


def test_what_was_there_comes_back_with_what_was_made(tmp_path: Path) -> None:
    scene = Scene(tmp_path)
    path = scene.worktree.path
    write_files(path, {"cache.log/kept": "by the agent\n"})
    before = listing(scene.worktree)
    with base_files(scene.worktree, scene.base):
        assert listing(scene.worktree) == FILES
        assert git(path, "rev-parse", "HEAD") == scene.base
        assert git(path, "status", "--porcelain") == ""
        made = {"deps/lib": "1\n", "src/made/x": "1\n", "x.log": "2\n", "deps/tracked.txt": "no\n"}
        write_files(path, {**made, "app.py": "A = 4\n", "new.txt/work": "no\n"})
    assert listing(scene.worktree) == {
        **before, "deps/lib": "1\n", "src/made/x": "1\n", "x.log": "2\n",
    }  # fmt: skip
    assert git(path, "symbolic-ref", "HEAD") == scene.worktree.ref
    assert "M app.py" in git(path, "status", "--porcelain")
    assert scene.beside == [path.name]


def test_a_link_of_an_agent_leads_nothing_out_of_the_worktree(tmp_path: Path) -> None:
    """H7: where a set-up's folder should be the branch has a link."""
    scene = Scene(tmp_path)
    outside = tmp_path / "outside"
    outside.mkdir()
    (scene.worktree.path / "src/a.py").unlink()
    (scene.worktree.path / "src/link").unlink()
    (scene.worktree.path / "src").rmdir()
    (scene.worktree.path / "src").symlink_to(outside)
    with base_files(scene.worktree, scene.base):
        write_files(scene.worktree.path, {"src/made/x": "1\n"})
    assert list(outside.iterdir()) == []


def test_an_error_leaves_all_as_it_was(tmp_path: Path) -> None:
    scene = Scene(tmp_path)

    def fail() -> None:
        with base_files(scene.worktree, scene.base):
            write_files(scene.worktree.path, {"half/made": "1\n", "app.py": "A = 4\n"})
            (scene.worktree.path / "half").chmod(0o500)
            raise RuntimeError

    with pytest.raises(RuntimeError):
        fail()
    assert listing(scene.worktree) == scene.before
    assert scene.beside == [scene.worktree.path.name]


def die_after(renames: int) -> None:
    """A signal that nobody can catch, right before one of the moves."""
    left = [renames]

    def count(event: str, _: tuple[object, ...]) -> None:
        if event == "os.rename":
            left[0] -= 1
            if left[0] < 0:
                os.kill(os.getpid(), signal.SIGKILL)

    sys.addaudithook(count)


@pytest.mark.parametrize("refilled", [False, True])
@pytest.mark.parametrize("renames", [1, 4, 7, 9, 11, 14, 17, 19, 22])
def test_a_kill_at_any_move_loses_nothing(tmp_path: Path, renames: int, refilled: bool) -> None:
    """K2: also where the worktree looked empty and was filled again before."""
    scene = Scene(tmp_path)
    child = os.fork()
    if child == 0:  # pragma: no cover - ends by a signal
        die_after(renames)
        with base_files(scene.worktree, scene.base):
            write_files(scene.worktree.path, {"made/x": "1\n"})
        os._exit(0)
    assert os.waitpid(child, 0)[1] == signal.SIGKILL, "there are fewer moves"
    worktree = scene.worktree
    if refilled:
        ensure_worktree(worktree.repository, worktree.path, worktree.branch, worktree.tip())
    put_back(worktree)
    found = listing(worktree)
    found.pop("made/x", None)
    assert found == scene.before
    assert scene.beside == [worktree.path.name]
