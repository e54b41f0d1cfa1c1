"""Where the user's repository is and where it stands; bad input is two lines.

Covers: A4, H1
"""

from __future__ import annotations

import shlex
from collections.abc import Callable
from pathlib import Path

import pytest

from sparing.errors import RepositoryError
from sparing.workspace.git.base_branch import resolve_base, taken_numbers
from sparing.workspace.git.repository import (
    BranchHead,
    find_repository,
    head,
    is_dirty,
)
from tests.conftest import UserRepository
from tests.guard import Guard
from tests.repositories import git, make_repository, write_files


def test_found_from_the_root_a_subfolder_and_a_linked_worktree(
    user_repository: UserRepository, guard: Guard
) -> None:
    checkout = user_repository()
    linked = checkout.parent / "linked"
    guard.expect(checkout, ".git/refs/heads/mine")
    git(checkout, "worktree", "add", "--quiet", "-b", "mine", str(linked), "idea")
    root = find_repository(checkout)
    assert (root.checkout, root.git_dir) == (checkout, checkout / ".git")
    assert find_repository(checkout / "src") == root
    other = find_repository(linked)
    assert (other.checkout, other.git_dir, other.key) == (linked, root.git_dir, root.key)
    assert head(other) == BranchHead("mine", git(checkout, "rev-parse", "idea"))
    assert (is_dirty(root), is_dirty(other)) == (True, False)


def test_key_tells_repositories_apart(tmp_path: Path) -> None:
    one = find_repository(make_repository(tmp_path / "one"))
    two = find_repository(make_repository(tmp_path / "two"))
    assert one.key != two.key
    assert len(one.key) == 12
    (tmp_path / "alias").symlink_to(tmp_path / "one")
    assert find_repository(tmp_path / "alias").key == one.key


def no_repository(path: Path) -> None:
    path.mkdir()


def no_commit(path: Path) -> None:
    path.mkdir()
    git(path, "init", "--quiet")


def bare(path: Path) -> None:
    path.mkdir()
    git(path, "init", "--quiet", "--bare")


def inside_git(path: Path) -> None:
    make_repository(path.parent / "r")
    path.symlink_to(path.parent / "r" / ".git")


def missing(path: Path) -> None:
    assert not path.exists()


def broken(path: Path) -> None:
    make_repository(path)
    (path / ".git" / "config").write_text("[core\n")


@pytest.mark.parametrize(
    ("make", "what"),
    [
        (no_repository, "is not in a git repository"),
        (no_commit, "has no commit yet"),
        (bare, "is a bare repository"),
        (inside_git, "there are no files to work on"),
        (missing, "is not a folder"),
        (broken, "git can't use"),
    ],
)
def test_a_folder_that_is_no_use_is_said_in_two_lines(
    tmp_path: Path, make: Callable[[Path], None], what: str
) -> None:
    place = tmp_path / "place"
    make(place)
    with pytest.raises(RepositoryError, match=what) as caught:
        find_repository(place)
    assert len(str(caught.value).splitlines()) == 2


@pytest.mark.parametrize("change", ["changed", "staged", "untracked", "deleted", "mode"])
def test_dirty(tmp_path: Path, change: str) -> None:
    repo = find_repository(make_repository(tmp_path / "r", {"a": "a", ".gitignore": "*.log\n"}))
    write_files(repo.checkout, {"x.log": "ignored"})
    assert not is_dirty(repo)
    match change:
        case "changed":
            write_files(repo.checkout, {"a": "b"})
        case "staged":
            git(repo.checkout, "rm", "--quiet", "--cached", "a")
        case "untracked":
            write_files(repo.checkout, {"deep/new": ""})
        case "deleted":
            (repo.checkout / "a").unlink()
        case _:
            (repo.checkout / "a").chmod(0o755)
    assert is_dirty(repo)


def test_base_is_the_branch_configured(tmp_path: Path) -> None:
    repo = find_repository(make_repository(tmp_path / "r"))
    git(repo.checkout, "branch", "develop")
    assert resolve_base(repo, "develop") == BranchHead("develop", head(repo).commit)
    with pytest.raises(RepositoryError, match="no branch 'nowhere'"):
        resolve_base(repo, "nowhere")


def test_base_is_else_that_of_origin_else_the_current_one(tmp_path: Path) -> None:
    repo = find_repository(make_repository(tmp_path / "r"))
    git(repo.checkout, "switch", "--quiet", "-c", "work")
    git(repo.checkout, "commit", "--quiet", "--allow-empty", "-m", "more")
    assert resolve_base(repo, "") == head(repo)
    git(repo.checkout, "update-ref", "refs/remotes/origin/main", "main")
    git(repo.checkout, "symbolic-ref", "refs/remotes/origin/HEAD", "refs/remotes/origin/main")
    assert resolve_base(repo, "") == BranchHead("main", git(repo.checkout, "rev-parse", "main"))
    git(repo.checkout, "branch", "-m", "main", "trunk")
    assert resolve_base(repo, "") == head(repo)


def test_detached_head_needs_a_base(tmp_path: Path) -> None:
    repo = find_repository(make_repository(tmp_path / "r"))
    git(repo.checkout, "switch", "--quiet", "--detach")
    assert head(repo).branch is None
    with pytest.raises(RepositoryError, match="HEAD is detached"):
        resolve_base(repo, "")
    assert resolve_base(repo, "main").branch == "main"


def test_a_detached_head_is_told_of_a_branch_that_exists(tmp_path: Path) -> None:
    """K1, K8: the command can be typed as it is, whatever the branch is called."""
    repo = find_repository(make_repository(tmp_path / "r", branch="our trunk's".replace(" ", "-")))
    git(repo.checkout, "branch", "feature/001-x")
    git(repo.checkout, "switch", "--quiet", "--detach")
    with pytest.raises(RepositoryError) as refused:
        resolve_base(repo, "")
    first, _, other = refused.value.repair.partition("; or: ")
    assert other == "sparing config set --project workspace.base_branch 'our-trunk'\"'\"'s'"
    git(repo.checkout, *shlex.split(first)[1:])
    assert resolve_base(repo, "").branch == "our-trunk's"
    git(repo.checkout, "switch", "--quiet", "--detach")
    for name in ("our-trunk's", "feature/001-x"):
        git(repo.checkout, "branch", "--quiet", "-D", name)
    with pytest.raises(RepositoryError) as refused:
        resolve_base(repo, "")
    assert refused.value.repair == "git switch --create main"


def test_a_detached_head_is_told_of_the_default_branch_of_origin(tmp_path: Path) -> None:
    """K1, K8: `git switch --create main` would make another one, at this commit."""
    make_repository(tmp_path / "r", branch="trunk")
    git(tmp_path, "clone", "--quiet", str(tmp_path / "r"), "clone")
    repo = find_repository(tmp_path / "clone")
    git(repo.checkout, "switch", "--quiet", "--detach")
    git(repo.checkout, "branch", "--quiet", "-D", "trunk")
    with pytest.raises(RepositoryError) as refused:
        resolve_base(repo, "")
    assert refused.value.repair == "git branch trunk origin/trunk"
    git(repo.checkout, *shlex.split(refused.value.repair)[1:])
    assert resolve_base(repo, "").branch == "trunk"


def test_a_detached_head_is_told_of_a_usual_branch_of_origin(tmp_path: Path) -> None:
    """K1, K8: `git fetch` and some tools that clone leave no `origin/HEAD`."""
    make_repository(tmp_path / "r", branch="master")
    git(tmp_path, "clone", "--quiet", str(tmp_path / "r"), "clone")
    repo = find_repository(tmp_path / "clone")
    git(repo.checkout, "switch", "--quiet", "--detach")
    git(repo.checkout, "branch", "--quiet", "-D", "master")
    git(repo.checkout, "remote", "set-head", "origin", "--delete")
    with pytest.raises(RepositoryError) as refused:
        resolve_base(repo, "")
    assert refused.value.repair == "git branch master origin/master"


def test_numbers_are_taken_by_folders_and_branches(user_repository: UserRepository) -> None:
    """A4: highest + 1, wherever the others are."""
    checkout = user_repository({"docs/features/003-old/spec.md": "", "docs/features/x/y": ""})
    git(checkout, "branch", "feature/007-a")
    repo = find_repository(checkout)
    assert taken_numbers(repo, "docs/features") == {3, 7}
    assert taken_numbers(repo, "elsewhere/") == {7}


def test_numbers_on_the_main_branch_count_from_every_other(tmp_path: Path) -> None:
    """A4: a branch that is behind does not give a number away twice."""
    checkout = make_repository(tmp_path / "r", {"docs/features/005-merged/spec.md": ""})
    git(checkout, "update-ref", "refs/remotes/origin/main", "main")
    git(checkout, "symbolic-ref", "refs/remotes/origin/HEAD", "refs/remotes/origin/main")
    git(checkout, "switch", "--quiet", "--create", "behind")
    git(checkout, "rm", "--quiet", "-r", "docs")
    git(checkout, "commit", "--quiet", "-m", "behind")
    assert taken_numbers(find_repository(checkout), "docs/features") == {5}


def test_numbers_in_the_checkout_and_on_origin_count(tmp_path: Path) -> None:
    """A4"""
    checkout = make_repository(tmp_path / "r")
    write_files(checkout, {"docs/features/012-here/spec.md": ""})
    git(checkout, "update-ref", "refs/remotes/origin/feature/020-theirs", "main")
    git(checkout, "update-ref", "refs/remotes/origin/099-not-a-feature", "main")
    assert taken_numbers(find_repository(checkout), "docs/features") == {12, 20}
