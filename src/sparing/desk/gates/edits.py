"""A person's own version of what a stage made: written at its gate, as a separate commit.

Nothing is accepted while the feature runs, nor from an empty file. Text that could not be accepted
stays in the state folder.
"""

from __future__ import annotations

import hashlib
import re
from pathlib import Path
from typing import NamedTuple

from sparing.artifact import ArtifactName
from sparing.codec import JsonObject
from sparing.commit_purpose import Purpose
from sparing.commits.message import commit_stamp
from sparing.context.documents.validate import validate_artifact
from sparing.desk.gates import answers
from sparing.desk.gates.actions import makes_code, with_edit
from sparing.desk.office import Office, settings_of
from sparing.desk.shared_work import hand_on
from sparing.errors import FeatureError, SparingError, UsageError
from sparing.event import EditEvent
from sparing.flow.flows import FLOWS
from sparing.flow.state import FlowState
from sparing.records import events, features, gates
from sparing.records.events import Event
from sparing.records.features import FeatureRow
from sparing.workspace.git.commit import changed_paths, commit_paths, read_file
from sparing.workspace.git.worktree import Worktree, ensure_worktree
from sparing.workspace.project.leaks import SecretsFound, refuse_secrets
from sparing.workspace.project.paths import Confined

CHECK, REPAIR = "check", "repair"
"""Steps of a stage: run the repository's checks, have an agent fix those that fail."""


class Draft(NamedTuple):
    """The current version of a document of a feature."""

    name: ArtifactName
    path: str
    text: str


class TakenEdit(NamedTuple):
    commit: str
    """Empty if nothing was changed."""
    warnings: tuple[str, ...] = ()


def draft(office: Office, row: FeatureRow, name: str = "") -> Draft | None:
    """The named document, or the one that the current stage makes; None if it makes none."""
    if name and name.removesuffix(".md") not in list(ArtifactName):
        known = ", ".join(one.value for one in ArtifactName)
        raise UsageError(f"there is no document '{name}'", f"documents: {known}")
    state = FlowState.load(row.place["state"])
    made = None if makes_code(state) else FLOWS[row.feature.flow].stage(state.stage).writes
    wanted = ArtifactName(name.removesuffix(".md")) if name else made
    if wanted is None:
        return None
    path = f"{office.loaded.settings.flow.folder_of(row.feature)}/{wanted.filename}"
    data = read_file(office.repository, row.head, path)
    if data is None:
        raise FeatureError(
            f"feature {row.feature.id} has no {wanted.filename} yet",
            f"sparing show {row.feature.id}",
        )
    return Draft(wanted, path, data.decode("utf-8", "replace"))


def edit_command(row: FeatureRow, given: Draft | None) -> str:
    """Names the document, as it may differ from the current stage's."""
    return f"sparing edit {row.feature.id}{f' {given.name}' if given else ''}"


def take_text(
    office: Office, row: FeatureRow, given: Draft, text: str, sender: str, at: float
) -> TakenEdit:
    """Commit a person's version of a document."""
    _need_gate(office, row)
    if not text.strip():
        raise UsageError(
            f"{given.name.filename} was saved empty; nothing is changed", edit_command(row, given)
        )
    text = text if text.endswith("\n") else text + "\n"
    if text == given.text:
        return TakenEdit("")
    tree = _worktree(office, row)
    Confined(tree.path).write_text(given.path, text)
    try:
        taken = _commit(office, row, tree, (given.path,), sender, at, given)
    except SparingError:  # what was refused is in the draft, and must not stay in the worktree
        Confined(tree.path).write_text(given.path, given.text)
        raise
    problems = validate_artifact(given.name, text)
    return TakenEdit(taken, tuple(problem.what for problem in problems))


def take_files(office: Office, row: FeatureRow, sender: str, at: float) -> TakenEdit:
    """Commit whatever a person has changed in the feature's worktree."""
    _need_gate(office, row)
    tree = _worktree(office, row)
    paths = changed_paths(tree, row.head)
    return TakenEdit(_commit(office, row, tree, paths, sender, at) if paths else "")


def draft_file(office: Office, row: FeatureRow, name: str) -> Path:
    """The file in which a person's text is kept while being written, one for each commit."""
    folder = office.folder.path / "drafts"
    folder.mkdir(mode=0o700, exist_ok=True)
    safe = re.sub(r"[^\w.-]", "-", name)
    return folder / f"{row.feature.id}-{row.head[:10]}-{safe}"


def _worktree(office: Office, row: FeatureRow) -> Worktree:
    path = office.folder.worktree(row.feature.name)
    return ensure_worktree(office.repository, path, row.feature.branch, row.head)


def _need_gate(office: Office, row: FeatureRow) -> None:
    with office.database.read() as connection:
        now = features.get(connection, row.feature.key) or row
        gate = gates.waiting(connection, row.feature.key)
        if now.leg_id != row.leg_id:
            raise answers.moved_on(now)
        if gate is None or now.running:
            raise answers.no_gate(now)
        answers.refuse_twice(connection, row, gate.id)


def _commit(
    office: Office, row: FeatureRow, tree: Worktree, paths: tuple[str, ...], sender: str, at: float,
    given: Draft | None = None,
) -> str:  # fmt: skip
    stage = FlowState.load(row.place["state"]).stage
    unique = tuple(dict.fromkeys(Path(path).name for path in paths))
    names = ", ".join(unique[:3]) + (" …" if len(unique) > 3 else "")
    why = Purpose("docs", f"edit {names} by hand")
    said = hashlib.sha256("\n".join((row.leg_id, *paths)).encode()).hexdigest()[:8]
    step = f"edit.{row.leg_id}.{row.head[:10]}.{said}"
    try:
        refuse_secrets(tree, row.head, paths, office.folder.redactor.known)
    except SecretsFound as found:
        raise UsageError(
            f"not committed, it contains secrets: {'; '.join(found.places)}",
            f"remove them: {edit_command(row, given)}",
        ) from None
    stamp = commit_stamp(tree.repository, settings_of(office, row), row.feature, why, step, at)
    change = commit_paths(tree, row.head, paths, stamp)
    if change.empty:
        return ""
    hand_on(office, row)
    place = _edited(row, change.commit)
    key, told = row.feature.key, EditEvent(change.commit, sender, tuple(paths))
    with office.database.write() as tx:
        if not features.move(tx, row, place, change.commit, at):
            raise answers.moved_on(features.get(tx, key) or row)
        name = f"{row.leg_id}.edited.{change.commit[:10]}"
        events.add(
            tx, Event.of(told, key=name, feature=key, at=at, stage=stage, text=stamp.subject)
        )
    return change.commit


def _edited(row: FeatureRow, commit: str) -> JsonObject:
    """The stored state with a person's version in it; changed code is checked first."""
    before = FlowState.load(row.place["state"])
    after = with_edit(before)
    place = {**row.place, "head": commit, "state": after.dump()}
    checks = after.held is not before.held or row.place.get("step") == REPAIR
    return {**place, "step": CHECK} if checks and makes_code(after) else place
