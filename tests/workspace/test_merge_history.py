"""A finished branch arrives as one commit, or replayed on its base. Covers: D6, H3."""

from __future__ import annotations

from pathlib import Path

import pytest

from sparing.change import MergeHistory
from sparing.workspace.git.merge_into_base import Handover, hand_over, name_commands
from sparing.workspace.git.merge_trees import MergedTree, merge_trees
from sparing.workspace.git.object_reader import kept_open
from sparing.workspace.git.repository import contains
from sparing.workspace.git.worktree import Worktree
from tests.repositories import commit_files, git, make_repository, write_files
from tests.workspace.features import STAMP, commit, make_worktree, merge_of


def branch(folder: Path, moved: bool = True) -> Worktree:
    """Two commits on a branch, and one on its base if that has moved."""
    checkout = make_repository(folder / "repository")
    worktree = make_worktree(checkout)
    for name in ("a.txt", "b.txt"):
        write_files(worktree.path, {name: f"{name}\n"})
        commit(worktree, parent=worktree.tip(), step=name)
    if moved:
        commit_files(checkout, {"c.txt": "c\n"}, "ours")
    return worktree


def hand(worktree: Worktree, history: MergeHistory) -> Handover:
    merge = merge_of(worktree)._replace(history=history)
    return hand_over(worktree.repository, merge, True, STAMP, "Why.")


def test_a_squash_is_one_commit_on_top(tmp_path: Path) -> None:
    """D6: with the summary as its message; played again it is found."""
    worktree = branch(tmp_path)
    done = hand(worktree, MergeHistory.SQUASH)
    checkout = worktree.repository.checkout
    assert (done.merged, git(checkout, "log", "--format=%s", "main").splitlines()) == (
        True, ["merge", "ours", "first commit"],
    )  # fmt: skip
    assert git(checkout, "log", "-1", "--format=%b", "main").startswith("Why.")
    assert sorted(p.name for p in checkout.glob("*.txt")) == ["a.txt", "b.txt", "c.txt"]
    assert done.note == f"merged into main as one commit; {checkout} is up to date"
    again = hand(worktree, MergeHistory.SQUASH)
    assert (again.merged, again.commit) == (True, done.commit)


def test_a_squash_names_all_who_helped(tmp_path: Path) -> None:
    """D6: each trailer of the branch once; ids of its steps mean nothing on the base."""
    worktree = branch(tmp_path)
    for name, role in (("d.txt", "builder"), ("e.txt", "tester"), ("f.txt", "builder")):
        write_files(worktree.path, {name: f"{name}\n"})
        git(worktree.path, "add", name)
        helped = f"Assisted-by: Claude Code ({role})\nRun-Id: r\nStep-Id: {name}"
        git(worktree.path, "commit", "-qm", f"Add {name}\n\nWhy: not a trailer.\n\n{helped}")
    hand(worktree, MergeHistory.SQUASH)
    said = git(worktree.repository.checkout, "log", "-1", "--format=%b", "main").strip()
    assert said == (
        "Why.\n\nAssisted-by: Claude Code (builder)\nAssisted-by: Claude Code (tester)\n"
        f"{STAMP.trailers.strip()}"
    )


def test_a_rebase_has_every_commit_and_no_merge(tmp_path: Path) -> None:
    """D6, H3: author, dates and words stay; equal input has equal ids."""
    worktree = branch(tmp_path / "one")
    done = hand(worktree, MergeHistory.REBASE)
    checkout = worktree.repository.checkout
    assert git(checkout, "log", "--format=%s", "main").splitlines() == [
        "A step", "A step", "ours", "first commit",
    ]  # fmt: skip
    assert git(checkout, "rev-list", "--merges", "main") == ""
    assert git(checkout, "log", "-1", "--format=%an %at", "main") == "Sparing 1700000500"
    assert hand(worktree, MergeHistory.REBASE).commit == done.commit
    assert hand(branch(tmp_path / "two"), MergeHistory.REBASE).commit == done.commit


def test_a_branch_that_is_ahead_of_its_base_is_taken_as_it_is(tmp_path: Path) -> None:
    """D6: exactly the commit that the last gate showed."""
    worktree = branch(tmp_path, moved=False)
    assert hand(worktree, MergeHistory.REBASE).commit == worktree.tip()


def test_a_conflict_moves_nothing(tmp_path: Path) -> None:
    """D6"""
    worktree = branch(tmp_path)
    commit_files(worktree.repository.checkout, {"b.txt": "other\n"}, "theirs")
    before = git(worktree.repository.checkout, "rev-parse", "main")
    for history in (MergeHistory.SQUASH, MergeHistory.REBASE):
        done = hand(worktree, history)
        assert (done.merged, "both changed: b.txt" in done.note) == (False, True)
    assert git(worktree.repository.checkout, "rev-parse", "main") == before


def test_the_commands_to_type_do_the_same(tmp_path: Path) -> None:
    """D6"""
    worktree = branch(tmp_path)
    merge = merge_of(worktree)
    told = {
        history: name_commands(worktree.repository, merge._replace(history=history), STAMP).commands
        for history in (MergeHistory.SQUASH, MergeHistory.REBASE)
    }
    assert told[MergeHistory.SQUASH][1:] == (
        f"git merge --squash {merge.branch}",
        "git commit -m merge",
    )
    assert told[MergeHistory.REBASE][1:] == (f"git cherry-pick main..{merge.branch}",)


@pytest.mark.parametrize("moved", [False, True])
def test_a_branch_with_the_base_in_it_is_merged_without_git(tmp_path: Path, moved: bool) -> None:
    """D6: the tree is the one that git merges, and so is the answer to what contains what."""
    worktree = branch(tmp_path, moved)
    repo, tip = worktree.repository, worktree.tip()
    base = git(repo.checkout, "rev-parse", "main")
    by_git = git(repo.checkout, "merge-tree", "--write-tree", base, tip)
    assert merge_trees(repo, base, tip) == MergedTree(by_git, ())
    with kept_open():
        assert merge_trees(repo, base, tip) == MergedTree(by_git, ())
        assert [contains(repo, base, tip), contains(repo, tip, base)] == [False, not moved]
