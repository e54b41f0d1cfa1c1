"""A feature's worktree and its commits, in one line for a test."""

from __future__ import annotations

from pathlib import Path

from sparing.change import Change
from sparing.workspace.git.commit import changed_files, commit_paths
from sparing.workspace.git.merge_into_base import Merge
from sparing.workspace.git.objects import CommitStamp
from sparing.workspace.git.repository import find_repository, head
from sparing.workspace.git.snapshot import Snapshot
from sparing.workspace.git.worktree import Worktree, ensure_worktree

BRANCH = "feature/001-demo"
AT = 1_700_000_500.25


def make_worktree(checkout: Path, branch: str = BRANCH) -> Worktree:
    repo = find_repository(checkout)
    folder = checkout.parent / "worktrees" / branch.rpartition("/")[2]
    return ensure_worktree(repo, folder, branch, head(repo).commit)


def commit(worktree: Worktree, *paths: str, parent: str = "", step: str = "s1") -> Change:
    """All that changed, unless paths are given."""
    parent = parent or worktree.tip()
    return commit_paths(worktree, parent, paths or (".",), CommitStamp("A step", "r1", step, AT))


def files_of(worktree: Worktree, change: Change) -> list[str]:
    """Paths of what a commit changed."""
    found = changed_files(worktree.repository, change.parent, change.commit)
    return [file.path for file in found]


STAMP = CommitStamp("merge", "r", "merge", AT)


def merge_of(worktree: Worktree, base: str = "main") -> Merge:
    """What would be merged: the branch as it stands."""
    return Merge(base, worktree.branch, worktree.tip())


def snapshot(checkout: Path) -> Snapshot:
    """What the checkout has committed."""
    repo = find_repository(checkout)
    return Snapshot(repo, head(repo).commit)
