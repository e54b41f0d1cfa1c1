"""What a person may request besides an answer: a pause, the end, a message.

While nothing runs, abandoning takes effect at once. A running feature gets the order through the
mailbox and obeys between two moves, when the current work is finished and paid for.
"""

from __future__ import annotations

import hashlib
from contextlib import suppress
from enum import StrEnum
from typing import NamedTuple

from sparing.commits.meta_json import commit_meta
from sparing.desk.features.engine_presence import engine_runs
from sparing.desk.features.view import choices_of
from sparing.desk.gates import answers
from sparing.desk.office import Office, settings_of
from sparing.desk.shared_work import require_commits
from sparing.errors import FeatureError, SparingError, UsageError
from sparing.event import AnswerEvent
from sparing.feature import FeatureStatus
from sparing.flow.advance import advance
from sparing.flow.state import Cause, FlowState, Outcome, OutcomeKind, Position
from sparing.records import events, features, gates, mailbox
from sparing.records.events import Event
from sparing.records.features import FeatureRow
from sparing.records.mailbox import SAY, Letter
from sparing.stages.place import Place
from sparing.workspace.git.worktree import ensure_worktree

SAY_LIMIT = 4_000


class OrderTiming(StrEnum):
    """When an order takes effect."""

    NOW = "now"
    SOON = "after the current turn"
    NEXT = "in the author's next turn"


class OrderReceipt(NamedTuple):
    stage: str
    counts: OrderTiming


def stopped(office: Office) -> FeatureRow:
    """The only feature that was paused or blocked; raises an error if there is none or several."""
    with office.database.read() as connection:
        rows = [row for row in features.list_all(connection) if _is_stopped(row)]
    if not rows:
        raise FeatureError("no feature was stopped here", "see what there is: sparing list")
    if len(rows) > 1:
        names = ", ".join(row.feature.id for row in rows)
        first = rows[0].feature.id
        raise FeatureError(f"{len(rows)} features were stopped: {names}", f"sparing resume {first}")
    return rows[0]


def _is_stopped(row: FeatureRow) -> bool:
    state = FlowState.load(row.place["state"])
    return not row.status.is_over and not row.running and state.position is Position.STUCK


def resume(office: Office, row: FeatureRow, sender: str, at: float) -> str:
    """Continue interrupted work where it stopped; finished work is not repeated."""
    number, state = row.feature.id, FlowState.load(row.place["state"])
    if row.running and engine_runs(office):
        raise FeatureError(f"feature {number} is running", f"sparing watch {number}")
    if row.status is FeatureStatus.PLANNED or row.running:
        raise FeatureError(f"feature {number} is not paused", f"sparing run {number}")
    if state.position is Position.STUCK and state.cause is Cause.BUDGET:
        raised = choices_of(office, row, at)[0].command
        raise FeatureError(f"a cap is in the way: {state.reason}", raised)
    repair = f"sparing show {number}"
    return answers.answer(office, row, Outcome(OutcomeKind.CONTINUE), sender, at, repair)


def pause(office: Office, row: FeatureRow, sender: str, at: float) -> OrderReceipt:
    refuse_over(row)
    if not row.running:
        number = row.feature.id
        what = "has not begun" if row.status is FeatureStatus.PLANNED else "is already waiting"
        raise FeatureError(f"feature {number} {what}", f"sparing show {number}")
    return _tell_leg(office, row, "pause", sender, at)


def pause_all(office: Office, sender: str, at: float) -> tuple[FeatureRow, ...]:
    """Pause every feature running here; those that have just stopped need no order."""
    with office.database.read() as connection:
        rows = [row for row in features.list_all(connection) if row.running]
    told: list[FeatureRow] = []
    for row in rows:
        with suppress(FeatureError):
            pause(office, row, sender, at)
            told.append(row)
    return tuple(told)


def abandon(
    office: Office, row: FeatureRow, sender: str, at: float, reason: str = "abandoned by you"
) -> OrderReceipt:
    """Abandon the feature. Branch, worktree and records stay."""
    refuse_over(row)
    if row.running:
        return _tell_leg(office, row, "abandon", sender, at)
    state = FlowState.load(row.place["state"])
    ended = advance(state, Outcome(OutcomeKind.ABANDON, reason=reason)).state
    key = row.feature.key
    head = _on_record(office, row, ended, at)
    place = {**row.place, "state": ended.dump(), "head": head}
    with office.database.write() as tx:
        if not features.set_status(tx, row, FeatureStatus.ABANDONED, place, at, head):
            raise answers.moved_on(features.get(tx, key) or row)
        gate = gates.waiting(tx, key)
        if gate is not None:
            gates.answer(tx, gate.id, OutcomeKind.ABANDON.value, "", sender, at)
        told = AnswerEvent(sender, OutcomeKind.ABANDON.value)
        name, stage = f"{row.leg_id}.given-up", state.stage
        events.add(tx, Event.of(told, key=name, feature=key, at=at, stage=stage))
    return OrderReceipt(state.stage, OrderTiming.NOW)


def _on_record(office: Office, row: FeatureRow, ended: FlowState, at: float) -> str:
    """The head after recording the end; a feature that has not begun has no branch."""
    path = office.folder.worktree(row.feature.name)
    if not (path / ".git").is_file():
        return row.head
    place = Place.load({**row.place, "review": None, "state": ended.dump()})
    settings = settings_of(office, row)
    try:
        require_commits(office, row)
        worktree = ensure_worktree(office.repository, path, row.feature.branch, row.head)
        return commit_meta(worktree, settings, row, place, f"{row.leg_id}.given-up", at)
    except SparingError:  # the database is the truth; the branch may be gone
        return row.head


def say(office: Office, row: FeatureRow, words: str, sender: str, at: float) -> OrderReceipt:
    """Send a message to the author's next turn; it answers no gate."""
    refuse_over(row)
    said, repair = words.strip(), f'sparing say {row.feature.id} "use Redis"'
    if not said or len(said) > SAY_LIMIT:
        raise UsageError(f"a message is text of at most {SAY_LIMIT} characters", repair)
    answers.refuse_controls(said, repair)
    key, digest = row.feature.key, hashlib.sha256(said.encode()).hexdigest()[:8]
    with office.database.write() as tx:
        letter = Letter(0, key, SAY, "", said, sender)
        mailbox.post(tx, f"{key}.say.{at:.3f}.{digest}", letter, at)
    return OrderReceipt(FlowState.load(row.place["state"]).stage, OrderTiming.NEXT)


def _tell_leg(office: Office, row: FeatureRow, verb: str, sender: str, at: float) -> OrderReceipt:
    with office.database.write() as tx:
        now = features.get(tx, row.feature.key) or row
        if now.leg_id != row.leg_id or not now.running:
            raise answers.moved_on(now)
        letter = Letter(0, row.feature.key, verb, row.leg_id, "", sender)
        mailbox.post(tx, f"{row.leg_id}.{verb}", letter, at)
    return OrderReceipt(FlowState.load(now.place["state"]).stage, OrderTiming.SOON)


def refuse_over(row: FeatureRow) -> None:
    if row.status.is_over:
        number = row.feature.id
        raise FeatureError(f"feature {number} is {row.status}", f"sparing show {number}")
