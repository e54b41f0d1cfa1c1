"""Repositories that few people have, in places that few people choose.

Covers: H1
"""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path

import pytest

from sparing.errors import RepositoryError
from sparing.workspace.git.commit import changed_paths
from sparing.workspace.git.merge_into_base import hand_over
from sparing.workspace.git.remove_worktree import retire
from sparing.workspace.git.repository import find_repository
from tests.repositories import commit_files, git, make_repository, write_files
from tests.workspace.features import STAMP, commit, files_of, make_worktree, merge_of


def shallow(place: Path) -> Path:
    source = commit_files(make_repository(place / "source"), {"b": "b"}, "second")
    git(place, "clone", "--quiet", "--depth=1", f"file://{source}", "clone")
    return place / "clone"


def submodule(place: Path) -> Path:
    inner = make_repository(place / "inner")
    checkout = make_repository(place / "outer")
    git(checkout, "-c", "protocol.file.allow=always", "submodule", "--quiet", "add", str(inner))
    git(checkout, "commit", "--quiet", "-m", "submodule")
    return checkout


def odd_names(place: Path) -> Path:
    names = (b"caf\xe9.txt", "ü.txt".encode(), b"-dash", b"sp ace", b"new\nline", b'quo"te')
    files = {os.fsdecode(name): "x\n" for name in names}
    return make_repository(place / "r", {**files, "README.md": "#\n"})


def case_clash(place: Path) -> Path:
    return make_repository(place / "r", {"File.txt": "1\n", "file.txt": "2\n", "README.md": "#\n"})


def packed(place: Path) -> Path:
    checkout = make_repository(place / "r")
    git(checkout, "gc", "--quiet")
    return checkout


def detached(place: Path) -> Path:
    checkout = make_repository(place / "r")
    git(checkout, "checkout", "--quiet", "--detach")
    return checkout


def long_ids(place: Path) -> Path:
    place.mkdir(exist_ok=True)
    git(place, "init", "--quiet", "--initial-branch=main", "--object-format=sha256", "r")
    return commit_files(place / "r", {"README.md": "# Sample\n"}, "first commit")


@pytest.mark.parametrize(
    "make", [shallow, submodule, odd_names, case_clash, packed, detached, long_ids]
)
def test_unusual_repositories(tmp_path: Path, make: Callable[[Path], Path]) -> None:
    """Work as any other. Unborn, bare, sparse, autocrlf and git-lfs have tests of their own."""
    checkout = make(tmp_path)
    before = git(checkout, "status", "--porcelain")
    worktree = make_worktree(checkout)
    assert changed_paths(worktree, worktree.tip()) == ()
    write_files(worktree.path, {"README.md": "# Changed\n", "new.txt": "new\n"})
    assert files_of(worktree, commit(worktree)) == ["README.md", "new.txt"]
    git(checkout, "checkout", "--quiet", "--detach")
    done = hand_over(worktree.repository, merge_of(worktree), False, STAMP)
    assert done.merged
    assert retire(worktree, done.commit) == ""
    assert git(checkout, "status", "--porcelain") == before


@pytest.mark.parametrize(
    "name", ["with space", "quo'te", 'dou"ble', "-dash", "ümläut", "new\nline"]
)
def test_unusual_places(tmp_path: Path, name: str) -> None:
    """Paths of the repository itself; a newline is one that git can't tell, and is refused."""
    checkout = make_repository(tmp_path / name)
    if "\n" in name:
        with pytest.raises(RepositoryError) as caught:
            find_repository(checkout)
        assert len(str(caught.value).splitlines()) == 2
        return
    worktree = make_worktree(checkout)
    write_files(worktree.path, {"a.txt": "a\n"})
    commit(worktree)
    told = hand_over(worktree.repository, merge_of(worktree), True, STAMP)
    assert told.merged
