"""A worktree that nobody touched is not looked through again, and a touched one is. Covers: H1."""

from __future__ import annotations

import os
import time
from collections.abc import Callable
from pathlib import Path

import pytest

from sparing.errors import RepositoryError
from sparing.workspace.git import private_index
from sparing.workspace.git.direct import folder_stamp
from sparing.workspace.git.worktree import Worktree
from tests.repositories import make_repository, write_files
from tests.workspace.features import make_worktree

QUIET_SECONDS = 3 * folder_stamp.MOMENT_NS / 1e9


@pytest.fixture
def worktree(tmp_path: Path) -> Worktree:
    files = {"a.txt": "a\n", "b/c.txt": "c\n", ".gitignore": "*.log\n"}
    made = make_worktree(make_repository(tmp_path / "repository", files))
    time.sleep(QUIET_SECONDS)
    private_index.load(made.git(), made.tip())
    assert private_index.scan(made.git()) == private_index.Scan()
    return made


def test_an_untouched_worktree_starts_no_git(
    worktree: Worktree, monkeypatch: pytest.MonkeyPatch
) -> None:
    """H1: where git can't even be found the answer is known, until something is touched."""
    own = worktree.git()
    monkeypatch.setenv("PATH", os.devnull)
    assert private_index.scan(own) == private_index.Scan()
    write_files(worktree.path, {"new.txt": "new\n"})
    with pytest.raises(RepositoryError):
        private_index.scan(own)


def _same_size_and_time(worktree: Worktree) -> None:
    path = worktree.path / "a.txt"
    seen = path.stat()
    path.write_text("b\n")
    os.utime(path, ns=(seen.st_atime_ns, seen.st_mtime_ns))


def _replaced(worktree: Worktree) -> None:
    seen = (worktree.path / "a.txt").stat()
    fresh = worktree.path / "fresh"
    fresh.write_text("b\n")
    os.utime(fresh, ns=(seen.st_atime_ns, seen.st_mtime_ns))
    fresh.replace(worktree.path / "a.txt")


def _runs(worktree: Worktree) -> None:
    (worktree.path / "a.txt").chmod(0o755)


def _rule(worktree: Worktree) -> None:
    write_files(worktree.path, {"a.log": "ignored\n", ".gitignore": "*.tmp\n"})


def _own_rule(worktree: Worktree) -> None:
    rules = private_index.excludes_of(worktree.git_dir)
    rules.write_text("left.txt\n")
    write_files(worktree.path, {"left.txt": "ignored\n"})
    time.sleep(QUIET_SECONDS)
    assert not private_index.scan(worktree.git()).paths
    rules.unlink()


@pytest.mark.parametrize(
    ("change", "paths"),
    [
        (_same_size_and_time, ("a.txt",)),
        (_replaced, ("a.txt",)),
        (_runs, ("a.txt",)),
        (_rule, (".gitignore", "a.log")),
        (_own_rule, ("left.txt",)),
    ],
)
def test_whatever_is_touched_is_seen(
    worktree: Worktree, change: Callable[[Worktree], None], paths: tuple[str, ...]
) -> None:
    """H1: also what has the size and the time it had before, and rules that changed alone."""
    change(worktree)
    time.sleep(QUIET_SECONDS)
    assert private_index.scan(worktree.git()).paths == paths


def test_what_changed_just_now_has_no_stamp(tmp_path: Path) -> None:
    """H1: a second change in the same tick would look like the first."""

    def changed() -> bytes | None:
        write_files(tmp_path, {"a.txt": "a\n"})
        return folder_stamp.folder_stamp(tmp_path)

    # A machine that is busy may take longer than a moment, but not a hundred times.
    assert any(changed() is None for _ in range(100))
    time.sleep(QUIET_SECONDS)
    first = folder_stamp.folder_stamp(tmp_path)
    assert first is not None
    assert folder_stamp.folder_stamp(tmp_path) == first


def test_a_large_folder_has_no_stamp(tmp_path: Path) -> None:
    """H1: git reads it faster."""
    for number in range(folder_stamp.MOST_ENTRIES + 1):
        (tmp_path / str(number)).touch()
    time.sleep(QUIET_SECONDS)
    assert folder_stamp.folder_stamp(tmp_path) is None
