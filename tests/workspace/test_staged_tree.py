"""Trees and indexes that are written without git are the ones that git writes. Covers: H1, H3."""

from __future__ import annotations

import os
import shutil
from collections.abc import Callable, Generator
from pathlib import Path

import pytest
from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st

from sparing.workspace.git import private_index
from sparing.workspace.git.direct.index_file import read_index, write_index
from sparing.workspace.git.direct.staged_tree import staged_tree, write_staged
from sparing.workspace.git.object_reader import NoAnswer, kept_open
from sparing.workspace.git.worktree import Worktree
from sparing.workspace.project.paths import PathRefused
from tests.repositories import git, make_repository, write_files
from tests.workspace.features import make_worktree

START = {"a.txt": "a\n", "b/c/d.txt": "d\n", "b/e.txt": "e\n", "b.txt": "b\n", "b0/x": "x\n"}
NAMES = st.sampled_from(["a.txt", "b", "b/c", "b/c/d.txt", "b/e.txt", "b.txt", "b0/y", "n/é", "z"])
CHANGES = st.lists(st.tuples(NAMES, st.sampled_from(["", "gone", "one\n", "two\r\n", "run"])))


@pytest.fixture(autouse=True)
def open_git() -> Generator[None]:
    with kept_open():
        yield


def _change(root: Path, name: str, what: str) -> None:
    path = root / name
    if path.is_dir():
        shutil.rmtree(path)
    elif path.exists():
        path.unlink()
    if what == "gone" or any(parent.is_file() for parent in path.parents if parent != root):
        return
    write_files(root, {name: what})
    path.chmod(0o755 if what == "run" else 0o644)


def _by_git(worktree: Worktree, found: private_index.Scan) -> tuple[str, str]:
    """What git makes of the same files: the tree, and what its index lists."""
    own = worktree.git()
    index = own.git_dir / "asked.index"
    env = {"GIT_INDEX_FILE": str(index)}
    own.run("read-tree", worktree.tip(), env=env)
    gone = private_index.lines(found.deleted)
    own.run("update-index", "--force-remove", "-z", "--stdin", stdin=gone, env=env)
    there = private_index.lines(found.on_disk)
    own.run("update-index", "--add", "--remove", "-z", "--stdin", stdin=there, env=env)
    return own.text("write-tree", env=env), own.text("ls-files", "--stage", env=env)


@given(changes=CHANGES)
@example(changes=[("b", "one\n")])
@example(changes=[("a.txt", "gone"), ("b/e.txt", "gone"), ("b/c/d.txt", "gone")])
@example(changes=[("b.txt", "run"), ("n/é", ""), ("b0/y", "two\r\n")])
@settings(suppress_health_check=[HealthCheck.function_scoped_fixture])
def test_the_tree_is_the_one_that_git_writes(
    tmp_path_factory: pytest.TempPathFactory, changes: list[tuple[str, str]]
) -> None:
    """H3: the same tree and the same entries, and git finds the folder equal to the index."""
    place = tmp_path_factory.getbasetemp() / "staged"
    checkout = place / "repository"
    worktree = make_worktree(checkout if checkout.is_dir() else make_repository(checkout, START))
    shutil.rmtree(worktree.path)
    worktree = make_worktree(checkout)
    for name, what in changes:
        _change(worktree.path, name, what)
    own, objects = worktree.git(), worktree.repository.git()
    private_index.load(own, worktree.tip())
    found = private_index.scan(own)
    tree, listed = _by_git(worktree, found)
    if tree == git(checkout, "hash-object", "-t", "tree", "/dev/null"):
        return
    assert write_staged(own, objects, worktree.tip(), found) == tree
    assert own.text("ls-files", "--stage") == listed
    assert private_index.scan(own) == private_index.Scan()
    assert git(checkout, "fsck", "--no-dangling") == ""


def _attributes(worktree: Worktree) -> None:
    write_files(worktree.path, {".gitattributes": "* text=auto\n"})


def _setting(key: str, value: str) -> Callable[[Worktree], None]:
    def set_it(worktree: Worktree) -> None:
        git(worktree.repository.checkout, "config", key, value)

    return set_it


def _link(worktree: Worktree) -> None:
    (worktree.path / "new.txt").unlink()
    (worktree.path / "new.txt").symlink_to("a.txt")


def _hard_link(worktree: Worktree) -> None:
    os.link(worktree.path / "a.txt", worktree.path / "second.txt")


@pytest.mark.parametrize(
    "unusual",
    [
        _attributes,
        _setting("core.autocrlf", "true"),
        _setting("core.fileMode", "false"),
        _setting("core.sharedRepository", "group"),
        _setting("index.version", "4"),
        _link,
        _hard_link,
    ],
)
def test_what_is_unusual_is_gits(tmp_path: Path, unusual: Callable[[Worktree], None]) -> None:
    """H3: where files may be converted or kept in another way git is asked, and gives its tree."""
    worktree = make_worktree(make_repository(tmp_path / "repository", START))
    write_files(worktree.path, {"new.txt": "one\r\n"})
    unusual(worktree)
    own, objects = worktree.git(), worktree.repository.git()
    private_index.load(own, worktree.tip())
    found = private_index.scan(own)
    with pytest.raises((NoAnswer, PathRefused)):
        write_staged(own, objects, worktree.tip(), found)
    tree, listed = _by_git(worktree, found)
    assert staged_tree(own, objects, worktree.tip(), found) == tree
    assert own.text("ls-files", "--stage") == listed


def test_an_index_is_read_and_written_back(tmp_path: Path) -> None:
    """H3: every entry as it was; what is damaged or of another kind is not read."""
    worktree = make_worktree(make_repository(tmp_path / "repository", START))
    own, index = worktree.git(), private_index.index_of(worktree.git())
    before = own.text("ls-files", "--stage", "--debug")
    entries = read_index(index)
    assert entries is not None
    write_index(index, entries)
    assert own.text("ls-files", "--stage", "--debug") == before
    data = index.read_bytes()
    index.write_bytes(data[:40] + b"\xff" + data[41:])
    assert read_index(index) is None
    index.write_bytes(data[:20])
    assert read_index(index) is None
