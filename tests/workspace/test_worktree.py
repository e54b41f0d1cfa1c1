"""A worktree is found again, made again, put back; no work is dropped on the way.

Covers: H1, H3
"""

from __future__ import annotations

import os
import shutil
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from sparing.errors import RepositoryError
from sparing.workspace.git.commit import changed_paths
from sparing.workspace.git.repository import find_repository, head
from sparing.workspace.git.worktree import Worktree, ensure_worktree, restore
from tests.conftest import UserRepository
from tests.repositories import git, make_repository, write_files
from tests.workspace.features import BRANCH, commit, files_of, make_worktree
from tests.workspace.tree_id import tree_of


def is_clean(worktree: Worktree) -> bool:
    return (
        changed_paths(worktree, worktree.tip()) == ()
        and git(worktree.path, "status", "--porcelain") == ""
        and git(worktree.path, "symbolic-ref", "HEAD") == worktree.ref
    )


def test_the_first_call_makes_branch_and_folder_the_second_finds_them(
    user_repository: UserRepository,
) -> None:
    """H1: the guard compares the user's folder afterwards."""
    checkout = user_repository()
    first = make_worktree(checkout)
    assert is_clean(first)
    assert (first.path / "run.sh").stat().st_mode & 0o111
    write_files(first.path, {"src/app.py": "changed\n"})
    assert make_worktree(checkout) == first
    assert (first.path / "src/app.py").read_text() == "changed\n"


def test_a_branch_that_has_commits_already_is_kept(user_repository: UserRepository) -> None:
    checkout = user_repository()
    worktree = make_worktree(checkout)
    write_files(worktree.path, {"a.txt": "a\n"})
    change = commit(worktree)
    again = make_worktree(checkout)
    assert again.tip() == change.commit


def test_a_branch_of_the_same_name_without_our_base_is_refused(tmp_path: Path) -> None:
    checkout = make_repository(tmp_path / "r")
    git(checkout, "branch", BRANCH)
    git(checkout, "commit", "--quiet", "--allow-empty", "-m", "later")
    with pytest.raises(RepositoryError, match="does not contain"):
        make_worktree(checkout)


def test_a_branch_in_the_way_is_refused(tmp_path: Path) -> None:
    checkout = make_repository(tmp_path / "r")
    git(checkout, "branch", "feature")
    with pytest.raises(RepositoryError, match="another branch is in the way"):
        make_worktree(checkout)


def test_a_branch_that_the_user_checked_out_is_refused(tmp_path: Path) -> None:
    checkout = make_repository(tmp_path / "r")
    git(checkout, "switch", "--quiet", "-c", BRANCH)
    with pytest.raises(RepositoryError, match="git can't create a worktree"):
        make_worktree(checkout)


def test_a_folder_that_is_gone_is_made_again(user_repository: UserRepository) -> None:
    checkout = user_repository()
    worktree = make_worktree(checkout)
    write_files(worktree.path, {"a.txt": "a\n"})
    commit(worktree)
    shutil.rmtree(worktree.path)
    assert make_worktree(checkout) == worktree
    assert is_clean(worktree)
    assert (worktree.path / "a.txt").read_text() == "a\n"


@pytest.mark.parametrize("crash", ["empty", "no index", "no HEAD", "initializing", "forgotten"])
def test_what_a_crash_left_behind_is_completed(user_repository: UserRepository, crash: str) -> None:
    """Each state that a process can leave when it dies while the worktree is made."""
    checkout = user_repository()
    worktree = make_worktree(checkout)
    entry = worktree.git_dir
    match crash:
        case "empty":
            shutil.rmtree(worktree.path)
            worktree.path.mkdir()
            (entry / "index").unlink()
        case "no index":
            (entry / "index").unlink()
            (worktree.path / "README.md").unlink()
        case "no HEAD":
            (entry / "HEAD").unlink()
        case "initializing":
            (entry / "locked").write_text("initializing")
        case _:
            shutil.rmtree(entry)
    assert make_worktree(checkout) == worktree
    assert is_clean(worktree)


def test_work_in_a_folder_that_git_forgot_stays(user_repository: UserRepository) -> None:
    checkout = user_repository()
    worktree = make_worktree(checkout)
    write_files(worktree.path, {"src/app.py": "half done\n", "new.py": "new\n"})
    shutil.rmtree(worktree.git_dir)
    make_worktree(checkout)
    assert changed_paths(worktree, worktree.tip()) == ("new.py", "src/app.py")
    assert (worktree.path / "src/app.py").read_text() == "half done\n"


def test_a_worktree_that_the_user_locked_is_used_as_it_is(user_repository: UserRepository) -> None:
    checkout = user_repository()
    worktree = make_worktree(checkout)
    git(checkout, "worktree", "lock", "--reason", "mine", str(worktree.path))
    make_worktree(checkout)
    assert (worktree.git_dir / "locked").exists()


def test_other_worktrees_of_the_user_are_left_alone(tmp_path: Path) -> None:
    checkout = make_repository(tmp_path / "r")
    gone = tmp_path / "elsewhere" / "001-demo"
    git(checkout, "worktree", "add", "--quiet", "-b", "mine", str(gone))
    shutil.rmtree(gone)
    worktree = make_worktree(checkout)
    shutil.rmtree(worktree.path)
    make_worktree(checkout)
    assert is_clean(worktree)
    assert str(gone) in git(checkout, "worktree", "list")


def test_restore_puts_back_the_files_and_keeps_the_work(user_repository: UserRepository) -> None:
    worktree = make_worktree(user_repository())
    root = worktree.path
    before = tree_of(worktree)
    write_files(root, {"src/app.py": "half\n", "deep/er/new.py": "new\n", "x.log": "ignored\n"})
    (root / "README.md").unlink()
    (root / "run.sh").chmod(0o644)
    found = changed_paths(worktree, worktree.tip())
    ref = restore(worktree, worktree.tip(), "r1.s1.2")
    assert ref == "refs/sparing/salvage/r1.s1.2"
    assert is_clean(worktree)
    assert tree_of(worktree) == before
    assert not (root / "deep").exists()
    assert (root / "x.log").exists()
    kept = git(root, "diff", "--name-only", worktree.tip(), ref).splitlines()
    assert tuple(kept) == found
    assert git(root, "show", f"{ref}:src/app.py") == "half"


def test_restore_with_nothing_to_do_says_so_and_played_again_says_the_same(
    user_repository: UserRepository,
) -> None:
    """H3"""
    worktree = make_worktree(user_repository())
    assert restore(worktree, worktree.tip(), "s") is None
    write_files(worktree.path, {"a": "1\n"})
    first = restore(worktree, worktree.tip(), "s")
    assert restore(worktree, worktree.tip(), "s") == first
    write_files(worktree.path, {"a": "2\n"})
    second = restore(worktree, worktree.tip(), "s")
    assert (first, second) == ("refs/sparing/salvage/s", "refs/sparing/salvage/s-2")
    assert git(worktree.path, "show", "refs/sparing/salvage/s:a") == "1"


@pytest.mark.parametrize("name", ["a/b", "a", "a..b", ".a", "x y~^:?*[", "a.lock", "a.lock/", "ü"])
def test_any_name_will_do_for_what_is_kept(tmp_path: Path, name: str) -> None:
    worktree = make_worktree(make_repository(tmp_path / "r"))
    for content in ("1", "2"):
        write_files(worktree.path, {"a": content})
        ref = restore(worktree, worktree.tip(), name)
        assert ref is not None
        assert git(worktree.path, "show", f"{ref}:a") == content


def test_restore_undoes_traps(user_repository: UserRepository) -> None:
    """H4: links, pipes, folders for files and a repository in the folder."""
    outside = user_repository({"precious": "stays\n"})
    worktree = make_worktree(user_repository())
    root = worktree.path
    shutil.rmtree(root / "src")
    (root / "src").symlink_to(outside)
    (root / "README.md").unlink()
    os.mkfifo(root / "README.md")
    (root / "run.sh").unlink()
    write_files(root, {"run.sh/file": "x\n", "run.sh/y.log": "ignored\n"})
    make_repository(root / "inner")
    restore(worktree, worktree.tip(), "s")
    assert is_clean(worktree)
    assert (root / "src" / "app.py").is_file()
    assert (root.with_name(f"{root.name}.aside-1") / ".git").is_dir()


@pytest.mark.parametrize("trick", ["repointed", "link", "removed", "own repository", "switched"])
def test_the_git_file_of_the_worktree_is_never_believed(
    user_repository: UserRepository, tmp_path: Path, trick: str
) -> None:
    """H2: vector 22, and HEAD turned to another branch."""
    worktree = make_worktree(user_repository())
    link = worktree.path / ".git"
    if trick == "switched":
        git(worktree.path, "symbolic-ref", "HEAD", "refs/heads/idea")
    else:
        link.unlink()
    if trick == "repointed":
        other = make_repository(tmp_path / "other")
        link.write_text(f"gitdir: {other / '.git'}\n")
    elif trick == "link":
        link.symlink_to(make_repository(tmp_path / "other") / ".git")
    elif trick == "own repository":
        make_repository(worktree.path, {"README.md": "# Sample\n"})
    write_files(worktree.path, {"a.txt": "a\n"})
    assert files_of(worktree, commit(worktree)) == ["a.txt"]
    restore(worktree, worktree.tip(), "s")
    assert is_clean(worktree)


def test_tree_of_changes_with_every_kind_of_write(user_repository: UserRepository) -> None:
    """H6: a reviewer that wrote is seen; ignored files do not count."""
    worktree = make_worktree(user_repository())
    root = worktree.path
    seen = [tree_of(worktree)]
    for act in (
        lambda: write_files(root, {"new.txt": "new\n"}),
        lambda: write_files(root, {"README.md": "other\n"}),
        lambda: (root / "src/app.py").unlink(),
        lambda: (root / "run.sh").chmod(0o644),
        lambda: make_repository(root / "inner"),
        lambda: (root / "README.md").unlink() or os.mkfifo(root / "README.md"),
    ):
        act()
        seen.append(tree_of(worktree))
        assert tree_of(worktree) == seen[-1]
    assert len(set(seen)) == len(seen)
    write_files(root, {"x.log": "ignored\n"})
    assert tree_of(worktree) == seen[-1]


def test_tree_of_is_the_tree_a_commit_would_have_and_leaves_no_litter(
    user_repository: UserRepository,
) -> None:
    checkout = user_repository()
    worktree = make_worktree(checkout)
    write_files(worktree.path, {"a/b.txt": "b\n"})
    objects = sorted((checkout / ".git" / "objects").rglob("*"))
    tree = tree_of(worktree)
    assert sorted((checkout / ".git" / "objects").rglob("*")) == objects
    assert git(worktree.path, "rev-parse", f"{commit(worktree).commit}^{{tree}}") == tree
    assert git(checkout, "fsck", "--no-dangling") == ""


def test_many_features_at_once(user_repository: UserRepository) -> None:
    """Commands of one repository wait for each other."""
    checkout = user_repository()
    repo = find_repository(checkout)
    base = head(repo).commit

    def work(number: int) -> int:
        path = checkout.parent / "many" / f"{number:03d}"
        worktree = ensure_worktree(repo, path, f"feature/{number:03d}-x", base)
        write_files(worktree.path, {"n.txt": f"{number}\n"})
        return len(files_of(worktree, commit(worktree)))

    with ThreadPoolExecutor(8) as pool:
        assert list(pool.map(work, range(1, 25))) == [1] * 24


def test_the_same_feature_from_many_sides_at_once(user_repository: UserRepository) -> None:
    checkout = user_repository()
    with ThreadPoolExecutor(8) as pool:
        made = list(pool.map(make_worktree, [checkout] * 8))
    assert len(set(made)) == 1
    assert is_clean(made[0])


def test_a_repository_that_is_gone_is_said_so(tmp_path: Path) -> None:
    worktree = make_worktree(make_repository(tmp_path / "r"))
    (tmp_path / "r").rename(tmp_path / "moved")
    with pytest.raises(RepositoryError):
        commit(worktree, parent="main")
