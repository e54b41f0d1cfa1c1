"""What a person has put on a feature's branch, or changed in its own folder, while it waited."""

from __future__ import annotations

from pathlib import Path

from sparing.commit_purpose import Purpose
from sparing.records.features import FeatureRow
from sparing.runtime.commit_message import commit_stamp
from sparing.runtime.surroundings import Surroundings
from sparing.workspace.git.commit import changed_paths, commit_paths
from sparing.workspace.git.repository import branch_commit, contains
from sparing.workspace.project.leaks import refuse_secrets


def commit_edit(around: Surroundings, row: FeatureRow, at: float) -> str:
    """The commit with it; empty if there is nothing."""
    feature, repo = row.feature, around.repository
    tip = branch_commit(repo, feature.branch)
    if tip is None or tip != row.head:
        return tip if tip and contains(repo, tip, row.head) else ""
    if not (around.folder.worktree(feature.name) / ".git").is_file():
        return ""
    worktree = around.worktree(row, row.head)
    own = f"{around.feature_folder(row)}/"
    paths = [path for path in changed_paths(worktree, row.head) if path.startswith(own)]
    if not paths:
        return ""
    refuse_secrets(worktree, row.head, paths, around.folder.redactor.known)
    step = f"edit.{row.leg_id}.{row.head[:10]}"
    why = Purpose("docs", f"edit {', '.join(Path(path).name for path in paths)} by hand")
    stamp = commit_stamp(repo, around.settings(row), feature, why, step, at)
    change = commit_paths(worktree, row.head, paths, stamp)
    return "" if change.empty else change.commit
