"""An approval is for what its gate showed, and for nothing that came later.

What a person has since put on the feature's branch, or changed in the feature's own folder of the
worktree, becomes the feature's head as a commit of theirs; the approval is void and the gate asks
again. A branch that was moved elsewhere is not handled here but when the worktree is next used.
"""

from __future__ import annotations

from pathlib import Path
from typing import NamedTuple

from sparing.commit_purpose import Purpose
from sparing.commits.message import commit_stamp
from sparing.connection import Connection
from sparing.errors import SparingError
from sparing.event import EditEvent
from sparing.flow.state import FlowState
from sparing.records import events, features, mailbox
from sparing.records.events import Event
from sparing.records.features import FeatureRow
from sparing.records.mailbox import Letter
from sparing.runtime.surroundings import Surroundings
from sparing.workspace.git.commit import changed_files, changed_paths, commit_paths
from sparing.workspace.git.repository import branch_commit, contains
from sparing.workspace.project.leaks import SecretsFound, refuse_secrets

APPROVE = "approve"


class Edit(NamedTuple):
    row: FeatureRow
    """The feature's row at the gate."""
    commit: str
    files: tuple[str, ...]


def edit_since(around: Surroundings, letter: Letter, at: float) -> Edit | None:
    """What a person changed after the gate that this letter approves was opened."""
    with around.database.read() as connection:
        row = features.get(connection, letter.feature)
    if letter.verb != APPROVE or row is None or row.running or letter.gate != row.leg_id:
        return None
    try:
        commit = _commit_edit(around, row, at)
    except (SparingError, SecretsFound):
        # It can't become a commit: before the next turn it is put aside, and that is told.
        return None
    if not commit:
        return None
    files = changed_files(around.repository, row.head, commit)
    return Edit(row, commit, tuple(file.path for file in files))


def _commit_edit(around: Surroundings, row: FeatureRow, at: float) -> str:
    """The commit with what a person has put on the branch, or changed in the feature's own folder,
    while it waited; empty if there is nothing."""
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


def void(tx: Connection, letter: Letter, edit: Edit, at: float) -> bool:
    """Ask again, about the new commit; False if the feature has moved on meanwhile."""
    row, commit = edit.row, edit.commit
    if not features.move(tx, row, {**row.place, "head": commit}, commit, at):
        return False
    stage, key = FlowState.load(row.place["state"]).stage, row.feature.key
    text = f"the approval of {stage} is void: it was changed since ({', '.join(edit.files[:3])})"
    told = EditEvent(commit, "a person", edit.files)
    name = f"{row.leg_id}.edited.{commit[:10]}"
    events.add(tx, Event.of(told, key=name, feature=key, at=at, stage=stage, text=text))
    mailbox.void(tx, letter.n, text, at)
    return True
