"""What a person may see: plain values made from the records, the same for every door."""

from __future__ import annotations

from dataclasses import dataclass

from sparing.cap import Reached
from sparing.desk.office import Office
from sparing.feature import Status
from sparing.flow.flows import FLOWS
from sparing.flow.state import Cause, Position, State
from sparing.records import events, features, gates, mailbox
from sparing.records.events import Event
from sparing.records.features import FeatureRow

PASSING = frozenset(
    {
        *("auth", "quota", "overloaded", "network", "crashed", "timed out", "invalid session"),
        "set-up failed",
    }
)
"""How reasons begin that have nothing to do with what was made."""


@dataclass(frozen=True)
class FeatureView:
    id: str
    name: str
    title: str
    flow: str
    status: str
    stage: str
    position: str
    running: bool
    stages_done: int
    stages: int
    waits_for: str
    """What a human is asked, empty if nothing."""
    answered: str
    """An answer that waits for the engine."""
    branch: str
    updated: float
    next_command: str
    worktree: str
    cause: str
    """What kind of reason a stuck stage has: failed, budget, loop or none of them."""
    sandbox: str = ""
    """How far agents were confined when it last ran; empty before the first time."""


def feature_view(office: Office, row: FeatureRow) -> FeatureView:
    with office.database.read() as connection:
        gate = gates.waiting(connection, row.feature.key)
        letter = mailbox.pending(connection, gate.id) if gate else None
        stop = events.last(connection, row.feature.key, "budget") if gate else None
        walls = events.last(connection, row.feature.key, "sandbox")
    feature, state = row.feature, State.load(row.place["state"])
    done = [stage for stage, mark in row.place.get("marks", {}).items() if mark[1] is not None]
    waits = "" if gate is None else (gate.reason or f"your approval of {gate.stage}")
    return FeatureView(
        feature.id, feature.name, feature.title, feature.flow, row.status.value, state.stage,
        state.position.value, row.running, len(done), len(FLOWS[feature.flow].stages), waits,
        letter.verb if letter else "", feature.branch, row.updated,
        _next_command(row, state, bool(letter), stop), str(office.folder.worktree(feature.name)),
        state.cause.value if state.position is Position.STUCK else "",
        str(walls.data["level"]) if walls else "",
    )  # fmt: skip


def every_row(office: Office) -> list[FeatureRow]:
    with office.database.read() as connection:
        return features.list_all(connection)


def list_views(office: Office) -> list[FeatureView]:
    return [feature_view(office, row) for row in every_row(office)]


def open_rows(office: Office) -> list[FeatureRow]:
    """Features that are neither done nor given up."""
    return [row for row in every_row(office) if row.status in (Status.PLANNED, Status.ACTIVE)]


def reload(office: Office, row: FeatureRow) -> FeatureRow:
    with office.database.read() as connection:
        found = features.get(connection, row.feature.key)
    return found or row


def waiting_gate(office: Office, row: FeatureRow) -> gates.Gate | None:
    """The open gate, unless its answer is already in the mailbox."""
    with office.database.read() as connection:
        gate = gates.waiting(connection, row.feature.key)
        if gate is None or mailbox.pending(connection, gate.id):
            return None
        return gate


def can_resume(state: State) -> bool:
    """The work itself is fine: something around it failed, or a person wanted a pause."""
    if state.position is not Position.STUCK or state.held is None:
        return False
    return state.cause is Cause.PAUSED or state.reason.partition(":")[0] in PASSING


def _next_command(row: FeatureRow, state: State, answered: bool, stop: Event | None) -> str:
    number = row.feature.id
    if state.position in (Position.DONE, Position.ABANDONED):
        return f"sparing show {number}"
    if row.running or answered:
        return f"sparing run {number}"
    if state.position is Position.STUCK and state.cause is Cause.BUDGET and stop is not None:
        return f"sparing raise {number} {Reached.load(stop.data).advice}"
    if state.position is Position.STUCK and state.held is Position.HANDOVER:
        return f"sparing run {number}"
    if can_resume(state):
        return f"sparing resume {number}"
    if state.position is Position.STUCK and not state.acceptable:
        return f'sparing reject {number} "what should be different"'
    if state.position in (Position.GATE, Position.STUCK):
        return f"sparing approve {number}"
    return f"sparing run {number}"
