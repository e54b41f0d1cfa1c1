"""Removing the worktree of a feature that is over."""

from __future__ import annotations

from pathlib import Path
from typing import NamedTuple

from sparing.desk.office import Office
from sparing.errors import FeatureError
from sparing.event import CleanedEvent
from sparing.feature import FeatureStatus
from sparing.records import events
from sparing.records.events import Event
from sparing.records.features import FeatureRow
from sparing.workspace.git.own_git import remove_unused
from sparing.workspace.git.remove_worktree import retire
from sparing.workspace.git.repository import branch_commit
from sparing.workspace.git.worktree import Worktree


class CleanupResult(NamedTuple):
    stays: str
    """Why its worktree is still there; empty if it is gone."""
    branch: bool
    """True if its branch exists."""


def clean(office: Office, row: FeatureRow, at: float, *, named: bool) -> CleanupResult:
    """Remove the worktree of a feature that is over. Its branch stays.

    A feature named explicitly may be unmerged, since its commits are on the branch.
    """
    feature, repo = row.feature, office.repository
    if row.status not in (FeatureStatus.COMPLETED, FeatureStatus.ABANDONED):
        raise FeatureError(
            f"feature {feature.id} is not finished: its worktree is needed",
            f"sparing show {feature.id}",
        )
    worktree = Worktree(repo, office.folder.worktree(feature.name), feature.branch)
    tip = branch_commit(repo, feature.branch)
    home = tip if named and tip else branch_commit(repo, feature.base_branch) or row.head
    if tip is None and not Path(worktree.path).exists():
        return CleanupResult("", branch=False)
    why = retire(worktree, home, office.folder.redactor.known) if tip else _branchless(worktree)
    if not why:
        remove_unused(office.folder.histories, worktree.path.parent)
        with office.database.write() as tx:
            cleaned, key, branch = CleanedEvent(), feature.key, feature.branch
            name = f"{key}.{cleaned.kind}"
            events.add(tx, Event.of(cleaned, key=name, feature=key, at=at, text=branch))
    return CleanupResult(why, tip is not None)


def _branchless(worktree: Worktree) -> str:
    return f"its branch {worktree.branch} is gone; look before you remove {worktree.path}"
