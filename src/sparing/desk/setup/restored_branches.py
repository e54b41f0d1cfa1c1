"""Branches that are ahead of records restored from an older copy.

The records don't know those commits: a stage would be run once more on top of its own result, and
find nothing to change. So the branch is reset to where the records have it. Its commits, and the
contents of the worktree, are kept under refs of ours.
"""

from __future__ import annotations

from typing import NamedTuple

from sparing.desk.office import Office
from sparing.records.features import FeatureRow, list_all
from sparing.workspace.git.objects import keep, move_ref
from sparing.workspace.git.repository import Repository, branch_commit, contains
from sparing.workspace.git.worktree import Worktree, restore


class BranchSetBack(NamedTuple):
    feature: str
    branch: str
    ref: str
    """Ref that keeps the branch's former commits."""


def set_branches_back(office: Office) -> tuple[BranchSetBack, ...]:
    """Reset branches of features under way; one that is checked out or merged is left alone."""
    with office.database.read() as connection:
        rows = list_all(connection)
    return tuple(found for row in rows if (found := _set_back(office, row)))


def _set_back(office: Office, row: FeatureRow) -> BranchSetBack | None:
    repo, branch = office.repository, row.feature.branch
    tip = branch_commit(repo, branch)
    if row.status.is_over or tip is None or not row.head or tip == row.head:
        return None
    if _is_checked_out(repo, branch) or not contains(repo, tip, row.head):
        return None
    base = branch_commit(repo, row.feature.base_branch)
    if base is not None and contains(repo, base, tip):
        return None
    name = f"{branch}-restored"
    ref = keep(repo.git(), name, tip)
    move_ref(repo.git(), f"refs/heads/{branch}", row.head, tip)
    path = office.folder.worktree(row.feature.name)
    if (path / ".git").is_file():
        restore(Worktree(repo, path, branch), row.head, f"{name}-files")
    return BranchSetBack(row.feature.id, branch, ref)


def _is_checked_out(repo: Repository, branch: str) -> bool:
    head = repo.git().text("symbolic-ref", "--quiet", "HEAD", ok_codes=(0, 1))
    return head == f"refs/heads/{branch}"
