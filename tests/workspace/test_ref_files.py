"""HEAD and branches are read from git's files as git reads them, or left to git.

Covers: H2, K2
"""

from __future__ import annotations

from pathlib import Path

import pytest

from sparing.workspace.git.base_branch import resolve_base
from sparing.workspace.git.direct.ref_files import RefValue, known_ref
from sparing.workspace.git.repository import BranchHead, head, locate_repository
from tests.repositories import commit_files, git, make_repository


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return make_repository(tmp_path / "sample")


def of(path: Path, name: str = "HEAD") -> RefValue | None:
    return known_ref(path / ".git", name)


@pytest.mark.parametrize("packed", [False, True])
@pytest.mark.parametrize("branch", ["main", "feature/001-a.b", "x/y/z_1"])
def test_a_branch_loose_or_packed(path: Path, branch: str, packed: bool) -> None:
    git(path, "switch", "--quiet", "--force-create", branch)
    commit_files(path, {"a.txt": branch}, "second")
    if packed:
        git(path, "pack-refs", "--all")
    tip = git(path, "rev-parse", "HEAD")
    assert of(path) == (f"refs/heads/{branch}", tip)
    assert head(locate_repository(path)) == BranchHead(branch, tip)


def test_a_loose_ref_outranks_a_packed_one(path: Path) -> None:
    git(path, "pack-refs", "--all")
    commit_files(path, {"a.txt": "a"}, "second")
    assert of(path) == ("refs/heads/main", git(path, "rev-parse", "HEAD"))


def test_a_detached_head_has_no_branch(path: Path) -> None:
    git(path, "checkout", "--quiet", "--detach")
    tip = git(path, "rev-parse", "HEAD")
    assert of(path) == ("HEAD", tip)
    assert head(locate_repository(path)) == BranchHead(None, tip)


def test_a_branch_without_a_commit_is_known_to_be_empty(path: Path) -> None:
    git(path, "switch", "--quiet", "--orphan", "new")
    assert of(path) == ("refs/heads/new", "")


def test_a_linked_worktree_has_its_own_head(path: Path, tmp_path: Path) -> None:
    git(path, "worktree", "add", "--quiet", "-b", "other", str(tmp_path / "linked"))
    commit_files(tmp_path / "linked", {"b.txt": "b"}, "there")
    found = head(locate_repository(tmp_path / "linked"))
    assert found == BranchHead("other", git(tmp_path / "linked", "rev-parse", "HEAD"))
    assert head(locate_repository(path)) == BranchHead("main", git(path, "rev-parse", "HEAD"))


def test_a_repository_of_longer_ids(tmp_path: Path) -> None:
    tmp_path.joinpath("long").mkdir()
    git(tmp_path / "long", "init", "--quiet", "--object-format=sha256", "--initial-branch=main")
    commit_files(tmp_path / "long", {"a.txt": "a"}, "first")
    assert of(tmp_path / "long") == ("refs/heads/main", git(tmp_path / "long", "rev-parse", "HEAD"))


def test_the_branch_that_origin_names(path: Path) -> None:
    commit_files(path, {"a.txt": "a"}, "second")
    git(path, "branch", "release", "HEAD~1")
    git(path, "update-ref", "refs/remotes/origin/release", "HEAD~1")
    git(path, "symbolic-ref", "refs/remotes/origin/HEAD", "refs/remotes/origin/release")
    wanted = BranchHead("release", git(path, "rev-parse", "HEAD~1"))
    assert resolve_base(locate_repository(path), "") == wanted


@pytest.mark.parametrize(
    "content",
    ["ref: refs/heads/../../secret\n", "ref: HEAD\n", "garbage\n", "ref: refs/heads/a b\n"],
)
def test_odd_contents_are_left_to_git(path: Path, content: str) -> None:
    (path / ".git" / "HEAD").write_text(content)
    assert of(path) is None


def test_links_and_other_formats_are_left_to_git(path: Path) -> None:
    (path / ".git" / "HEAD").rename(path / ".git" / "moved")
    (path / ".git" / "HEAD").symlink_to("moved")
    assert of(path) is None
    (path / ".git" / "reftable").mkdir()
    assert of(path, "refs/heads/main") is None
