"""What the last gate adds: the exact commit that is handed over, and how.

That commit already records the feature as completed; nothing is committed after it. The person
approving it has seen everything that came after their last approval.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any, assert_never

from sparing.change import MergeHistory
from sparing.config.settings import HandOver
from sparing.desk.office import Office, settings_of
from sparing.event import AnswerEvent, ChecksEvent, LearnedEvent
from sparing.flow.flows import FLOWS
from sparing.flow.state import FlowState, Position
from sparing.records import events
from sparing.records.events import Event
from sparing.records.features import FeatureRow
from sparing.records.gates import RULE
from sparing.workspace.checks.changes import Changed, standing
from sparing.workspace.git.commit import changed_files
from sparing.workspace.git.repository import contains
from sparing.workspace.git.snapshot import Snapshot

NOTES, BASE = 4, 5
"""Indexes in a stored mark of what was left open, and of the commit before its stage."""
MOST_NOTES = 8
SHORT = 10
_ON_BASE = {
    MergeHistory.ALL: "exactly this commit is merged into {}",
    MergeHistory.SQUASH: "everything up to this commit becomes one commit on {}",
    MergeHistory.REBASE: "the commits up to this one are rebased onto {}",
}
_PUSHED = {
    MergeHistory.ALL: "exactly this commit is pushed as {}",
    MergeHistory.SQUASH: "everything up to this commit is pushed as one commit on {}",
    MergeHistory.REBASE: "the commits up to this one are rebased and pushed as {}",
}


def is_last_gate(row: FeatureRow) -> bool:
    """Whether the commit waiting for approval is the one that would be handed over."""
    state = FlowState.load(row.place["state"])
    return state.position is Position.GATE and FLOWS[state.flow].is_last(state.stage)


def approved_commit(office: Office, row: FeatureRow, told: Sequence[Event]) -> str:
    """The commit a person approved last, if still on the branch; else where the stage began."""
    stage = FlowState.load(row.place["state"]).stage
    shown = [
        what.commit
        for what in (one.what for one in told)
        if isinstance(what, AnswerEvent)
        and what.answer == "approve"
        and not what.about
        and what.by != RULE
        and what.commit
    ]
    held = (one for one in reversed(shown) if contains(office.repository, row.head, one))
    mark: list[Any] = row.place.get("marks", {}).get(stage, [])
    base = str(mark[BASE]) if len(mark) > BASE else ""
    return next(held, "") or base or row.feature.base_commit


def last_gate_notes(office: Office, row: FeatureRow) -> tuple[str, ...]:
    """Notes for the last gate; empty at any other."""
    return tuple(_notes(office, row)) if is_last_gate(row) else ()


def _notes(office: Office, row: FeatureRow) -> Iterator[str]:
    yield f"checks: {_checks(office, row)}"
    yield from _redefined(office, row)
    left = [
        f"left open in {stage}: {note}"
        for stage, mark in row.place.get("marks", {}).items()
        for note in (mark[NOTES] if len(mark) > NOTES else ())
    ]
    yield from left[:MOST_NOTES]
    if len(left) > MOST_NOTES:
        yield f"left open: {len(left) - MOST_NOTES} more"
    yield from _lessons(office, row)
    yield f"final commit: {row.head[:SHORT]} (.meta.json: completed)"
    yield f"if you approve: {_handed(office, row)}"
    yield "if you reject: the final commit is undone and the stage runs again"


def _lessons(office: Office, row: FeatureRow) -> Iterator[str]:
    """Changes to the knowledge bank's texts, which every agent is given after the merge."""
    with office.database.read() as connection:
        learned = events.last_what(connection, row.feature.key, LearnedEvent)
    for words in learned.shown if learned else ():
        yield f"lesson, {words}"


def _checks(office: Office, row: FeatureRow) -> str:
    with office.database.read() as connection:
        found = events.last(connection, row.feature.key, ChecksEvent.kind)
    if found is None:
        return "not run"
    green = str(row.place.get("talk", {}).get("green", ""))
    told = found.what.words(found.text) if isinstance(found.what, ChecksEvent) else found.text
    return f"{told}{'; files have changed since' if _later(office, row, green) else ''}"


def _redefined(office: Office, row: FeatureRow) -> Iterator[str]:
    """Names of changed checks that no one was asked about, because none ran afterwards."""
    agreed = frozenset(map(str, row.place.get("talk", {}).get("agreed", ())))
    every = (_changed(office, row, root, agreed) for root in _roots(office, row))
    found = tuple(dict.fromkeys(one for some in every for one in some))
    for one in found[:MOST_NOTES]:
        yield f"checks were changed after their last run: {one.words}"
    if len(found) > MOST_NOTES:
        yield f"checks were changed after their last run: {len(found) - MOST_NOTES} more"


def _roots(office: Office, row: FeatureRow) -> tuple[str, ...]:
    """The folder that the feature is about, and the whole repository."""
    return tuple(dict.fromkeys((settings_of(office, row).workspace.root, "")))


def _changed(
    office: Office, row: FeatureRow, root: str, agreed: frozenset[str]
) -> tuple[Changed, ...]:
    base = Snapshot(office.repository, row.feature.base_commit, root)
    return standing(base, Snapshot(office.repository, row.head, root)).open(agreed)


def _later(office: Office, row: FeatureRow, green: str) -> bool:
    """Whether anything outside the feature's own folder changed after the checks passed."""
    if not green or not contains(office.repository, row.head, green):
        return False
    own = f"{office.loaded.settings.flow.folder_of(row.feature)}/"
    files = changed_files(office.repository, green, row.head)
    return any(not one.path.startswith(own) for one in files)


def _handed(office: Office, row: FeatureRow) -> str:
    feature, settings = row.feature, settings_of(office, row)
    how, history = settings.workspace.hand_over, settings.commits.history
    match how:
        case HandOver.PRINT:
            return f"nothing is merged; you get the command to merge into {feature.base_branch}"
        case HandOver.MERGE:
            return _ON_BASE[history].format(feature.base_branch)
        case HandOver.PULL_REQUEST:
            return f"{_PUSHED[history].format(feature.branch)}, for a pull request"
        case _:
            assert_never(how)
