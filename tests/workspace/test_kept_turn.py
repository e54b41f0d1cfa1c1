"""A writer's turn is kept as a commit of ours until a branch holds it.

Covers: I1, H3
"""

from __future__ import annotations

import shutil

from sparing.workspace.git.commit import changed_paths
from sparing.workspace.git.kept_turn import drop_turns, keep_turn, lay_down, turn_ref
from sparing.workspace.git.worktree import Worktree, ensure_worktree
from tests.conftest import UserRepository
from tests.repositories import git, write_files
from tests.workspace.features import commit, make_worktree

TURN = ("k.g0.1.2.0-write", 1)


def nothing_refused(_paths: tuple[str, ...]) -> bool:
    return False


def keep(worktree: Worktree) -> str:
    return keep_turn(worktree, worktree.tip(), *TURN, nothing_refused)


def again(worktree: Worktree) -> Worktree:
    """As another process, or another machine, makes it."""
    shutil.rmtree(worktree.path)
    return ensure_worktree(worktree.repository, worktree.path, worktree.branch, worktree.tip())


def test_a_worktree_that_is_gone_comes_back_with_what_the_turn_left(
    user_repository: UserRepository,
) -> None:
    """I1: new, changed and deleted files; the branch has not moved."""
    worktree = make_worktree(user_repository({"old.txt": "old\n", "gone.txt": "gone\n"}))
    write_files(worktree.path, {"new/a.txt": "a\n", "old.txt": "changed\n"})
    (worktree.path / "gone.txt").unlink()
    head, kept = worktree.tip(), keep(worktree)
    assert kept
    assert git(worktree.path, "rev-parse", turn_ref(*TURN)) == kept
    assert git(worktree.path, "status", "--porcelain", "gone.txt").split() == ["D", "gone.txt"]
    worktree = again(worktree)
    assert changed_paths(worktree, head) == ()
    assert lay_down(worktree, head, *TURN)
    assert changed_paths(worktree, head) == ("gone.txt", "new/a.txt", "old.txt")
    assert commit(worktree, parent=head).commit == worktree.tip()


def test_what_is_as_the_turn_left_it_is_not_touched(user_repository: UserRepository) -> None:
    """H3: neither before the commit nor when the step is played again after it."""
    worktree = make_worktree(user_repository())
    write_files(worktree.path, {"a.txt": "a\n"})
    head = worktree.tip()
    keep(worktree)
    assert not lay_down(worktree, head, *TURN)
    commit(worktree, parent=head)
    write_files(worktree.path, {"a.txt": "later\n"})
    assert not lay_down(worktree, head, *TURN)
    assert (worktree.path / "a.txt").read_text() == "later\n"


def test_what_lies_there_instead_is_kept(user_repository: UserRepository) -> None:
    """H3: half of a turn, or somebody's edit, gives way and stays in a ref."""
    worktree = make_worktree(user_repository())
    write_files(worktree.path, {"a.txt": "a\n"})
    head = worktree.tip()
    keep(worktree)
    write_files(worktree.path, {"a.txt": "half", "b.txt": "b\n"})
    assert lay_down(worktree, head, *TURN)
    assert changed_paths(worktree, head) == ("a.txt",)
    (salvaged,) = git(worktree.path, "for-each-ref", "refs/sparing/salvage").splitlines()
    assert git(worktree.path, "show", f"{salvaged.split()[0]}:b.txt") == "b"


def test_nothing_is_kept_of_nothing_of_secrets_and_after_the_commit(
    user_repository: UserRepository,
) -> None:
    """H3, H8"""
    worktree = make_worktree(user_repository())
    assert keep(worktree) == ""
    write_files(worktree.path, {"a.txt": "a\n"})
    head = worktree.tip()
    assert keep_turn(worktree, head, *TURN, lambda paths: "a.txt" in paths) == ""
    assert keep(worktree) == keep(worktree) != ""
    drop_turns(worktree.repository, TURN[0], [1, 2])
    assert git(worktree.path, "for-each-ref", "refs/sparing/turns") == ""
