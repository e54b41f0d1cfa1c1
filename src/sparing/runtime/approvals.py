"""An approval is for what its gate showed, and for nothing that came later.

What a person has put on the feature's branch since, or changed in the feature's own folder of the
worktree, becomes the feature's head as a commit of theirs; the approval is void and the gate asks
again. A branch that was moved elsewhere is not judged here: the next use of the worktree does.
"""

from __future__ import annotations

from typing import NamedTuple

from sparing.connection import Connection
from sparing.errors import SparingError
from sparing.event import EditEvent
from sparing.flow.state import FlowState
from sparing.records import events, features, mailbox
from sparing.records.events import Event
from sparing.records.features import FeatureRow
from sparing.records.mailbox import Letter
from sparing.runtime.person_edit import commit_edit
from sparing.runtime.surroundings import Surroundings
from sparing.workspace.git.commit import changed_files
from sparing.workspace.project.leaks import SecretsFound

APPROVE = "approve"


class Edit(NamedTuple):
    row: FeatureRow
    """As it was at the gate."""
    commit: str
    files: tuple[str, ...]


def edit_since(around: Surroundings, letter: Letter, at: float) -> Edit | None:
    """What a person changed after the gate that this letter approves was opened."""
    with around.database.read() as connection:
        row = features.get(connection, letter.feature)
    if letter.verb != APPROVE or row is None or row.running or letter.gate != row.leg_id:
        return None
    try:
        commit = commit_edit(around, row, at)
    except (SparingError, SecretsFound):
        # It can't become a commit: before the next turn it is put aside, and that is told.
        return None
    if not commit:
        return None
    files = changed_files(around.repository, row.head, commit)
    return Edit(row, commit, tuple(file.path for file in files))


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
