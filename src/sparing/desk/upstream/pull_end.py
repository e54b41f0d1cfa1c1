"""A pull request that was merged or closed at its host ends its feature, and tidies up.

Nothing is lost: a worktree with uncommitted work stays, a branch is deleted only if all of it was
merged, and its commits stay under a ref of ours. A feature that is running to fix its pull request
is paused first and ended once it has stopped.
"""

from __future__ import annotations

from contextlib import suppress
from dataclasses import replace
from typing import NamedTuple

from sparing.branch_event import PullEvent
from sparing.desk.features.cleanup import clean
from sparing.desk.features.merge_status import handover_event
from sparing.desk.features.orders import pause
from sparing.desk.features.view import reload
from sparing.desk.gates import answers
from sparing.desk.office import Office
from sparing.desk.upstream.pull_requests import PullLook, pull_words
from sparing.errors import FeatureError
from sparing.feature import FeatureStatus
from sparing.flow.state import Cause, FlowState, Position
from sparing.pull_status import PullState
from sparing.records import events, features, gates
from sparing.records.events import Event
from sparing.records.features import FeatureRow
from sparing.workspace.git.remove_worktree import drop_branch
from sparing.workspace.git.repository import branch_commit

SENDER = "gh"


class PullEnd(NamedTuple):
    words: str
    kept: tuple[str, ...] = ()
    """What was kept, and where, one line each."""
    later: bool = False
    """True if the feature is running: it ends once it has stopped."""


def end_feature(office: Office, found: PullLook, at: float) -> PullEnd:
    """End the feature of a pull request that is over; repeating it changes nothing."""
    row, words = reload(office, found.row), pull_words(found.told)
    if row.running:
        with suppress(FeatureError):  # it has just come to rest
            pause(office, row, SENDER, at)
        return PullEnd(f"{words}; feature {row.feature.id} stops after its current turn", (), True)
    merged, whole = found.told.state == PullState.MERGED, _is_whole(office, row, found.told.head)
    _settle(office, row, merged=merged, words=words, at=at)
    row = reload(office, row)
    stays = clean(office, row, at, named=True).stays
    kept = [f"its worktree stays: {stays}"] if stays else []
    branch, tip = row.feature.branch, branch_commit(office.repository, row.feature.branch)
    ref = drop_branch(office.repository, branch, tip) if merged and whole and tip else ""
    if ref:
        kept.append(f"the branch {branch} is removed; its commits are kept as {ref}")
    elif tip:
        kept.append(f"the branch {branch} stays at {tip[:10]}")
    _note_ended(office, row, found.told, ref, at)
    return PullEnd(f"{words}; feature {row.feature.id} has ended", tuple(kept))


def _is_whole(office: Office, row: FeatureRow, head: str) -> bool:
    """Whether the pull request in the end contained everything on the branch; for a squash or a
    rebase, whether nothing came after the hand-over."""
    tip = branch_commit(office.repository, row.feature.branch)
    handed = row.status is FeatureStatus.COMPLETED and tip == row.head
    return tip == head or (handed and handover_event(office, row).commit == head)


def _settle(office: Office, row: FeatureRow, *, merged: bool, words: str, at: float) -> None:
    status = FeatureStatus.COMPLETED if merged else FeatureStatus.ABANDONED
    position = Position.DONE if merged else Position.ABANDONED
    if row.status is status:
        return
    state = FlowState.load(row.place["state"])
    ended = replace(state, position=position, reason=words, cause=Cause.NONE, held=None)
    place, key = {**row.place, "state": ended.dump()}, row.feature.key
    with office.database.write() as tx:
        if not features.set_status(tx, row, status, place, at):
            raise answers.moved_on(features.get(tx, key) or row)
        gate = gates.waiting(tx, key)
        if gate is not None:
            gates.answer(tx, gate.id, _word(status), "", SENDER, at)


def _word(status: FeatureStatus) -> str:
    """How a gate was closed that no longer needs an answer."""
    return PullState.MERGED.value if status is FeatureStatus.COMPLETED else PullState.CLOSED.value


def _note_ended(office: Office, row: FeatureRow, told: PullEvent, ref: str, at: float) -> None:
    key, text = row.feature.key, f"{pull_words(told)}; the feature has ended"
    noted, name = replace(told, kept=ref, ended=True), f"{row.feature.key}.pull.ended"
    with office.database.write() as tx:
        events.add(tx, Event.of(noted, key=name, feature=key, at=at, text=text))
