"""A worktree that nobody touched is not looked through again, and a touched one is. Covers: H1."""

from __future__ import annotations

import os
import time
from collections.abc import Callable, Generator
from contextlib import contextmanager
from pathlib import Path

import pytest

from sparing.errors import RepositoryError
from sparing.workspace.git import private_index
from sparing.workspace.git.direct import folder_stamp
from sparing.workspace.git.direct.folder_stamp import FolderStamp
from sparing.workspace.git.object_reader import kept_open
from sparing.workspace.git.worktree import Worktree
from tests.repositories import make_repository, write_files
from tests.workspace.features import commit, make_worktree

QUIET_SECONDS = 3 * folder_stamp.MOMENT_NS / 1e9


@contextmanager
def no_git() -> Generator[None]:
    """Within this context git can't be found."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("PATH", os.devnull)
        yield


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


def stamp_just_after(root: Path, text: str) -> FolderStamp:
    """Of a file that changed a moment ago; a machine that is busy may need several tries."""
    for _ in range(100):
        write_files(root, {"a.txt": text})
        found = folder_stamp.folder_stamp(root)
        if found is not None and found.recent:
            return found
    raise AssertionError("each time the file was older than a moment")


def test_what_changed_just_now_is_known_by_its_content(tmp_path: Path) -> None:
    """H1: a second change in the same tick would look like the first."""
    before = stamp_just_after(tmp_path, "a\n")
    time.sleep(QUIET_SECONDS)
    now = folder_stamp.folder_stamp(tmp_path)
    assert now is not None
    assert not now.recent
    assert before.is_of(now)
    other = tmp_path / "other"
    ((path, content),) = stamp_just_after(other, "b\n").recent
    assert path == str(other / "a.txt")
    in_one_tick = before._replace(recent=((str(tmp_path / "a.txt"), content),))
    assert not in_one_tick.is_of(now)


def test_a_file_that_the_program_just_wrote_is_not_looked_for_again(worktree: Worktree) -> None:
    """H1: once it is committed git is not asked, however short ago it was; until it changes."""
    with kept_open():  # as in an engine
        write_files(worktree.path, {"a.txt": "written\n"})
        assert not commit(worktree).empty
    with no_git():
        assert not private_index.scan(worktree.git()).paths
    time.sleep(QUIET_SECONDS)
    with no_git():
        assert not private_index.scan(worktree.git()).paths
    write_files(worktree.path, {"a.txt": "changed\n"})
    assert private_index.scan(worktree.git()).paths == ("a.txt",)


def test_a_large_file_that_changed_just_now_has_no_stamp(tmp_path: Path) -> None:
    """H1: git reads it faster."""
    large = "a" * (folder_stamp.MOST_BYTES + 1)

    def changed() -> FolderStamp | None:
        write_files(tmp_path, {"a.txt": large})
        return folder_stamp.folder_stamp(tmp_path)

    # A machine that is busy may take longer than a moment, but not a hundred times.
    assert any(changed() is None for _ in range(100))


def test_a_large_folder_has_no_stamp(tmp_path: Path) -> None:
    """H1: git reads it faster."""
    for number in range(folder_stamp.MOST_ENTRIES + 1):
        (tmp_path / str(number)).touch()
    time.sleep(QUIET_SECONDS)
    assert folder_stamp.folder_stamp(tmp_path) is None
