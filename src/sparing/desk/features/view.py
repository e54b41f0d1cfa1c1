"""What a person may see: plain values made from the records, the same for every interface."""

from __future__ import annotations

import json
from collections.abc import Sequence

from sparing.desk.features.engine_presence import engine_runs
from sparing.desk.gates.actions import GateAction, choices
from sparing.desk.gates.open_questions import questions
from sparing.desk.office import Office, every_row
from sparing.event import SandboxEvent
from sparing.feature import FeatureStatus
from sparing.flow.flows import FLOWS
from sparing.flow.state import Cause, FlowState, Position
from sparing.lazy_dataclass import lazy_dataclass
from sparing.money import CapScope, Reached, day_of
from sparing.records import claims, events, features, gates, mailbox
from sparing.records.claims import Overview
from sparing.records.features import FeatureRow
from sparing.records.findings import findings_of
from sparing.turn_event import BudgetEvent

RESOLVED = "resolved"
"""Stored state of a finding that is settled."""


@lazy_dataclass
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
    """What a person is asked for; empty if nothing."""
    answered: str
    """An answer not yet processed by the engine."""
    branch: str
    updated: float
    next_command: str
    worktree: str
    cause: str
    """Why a stage is stuck: failed, budget, loop or none of them."""
    sandbox: str = ""
    """Sandbox level when it last ran; empty before the first time."""
    choices: tuple[GateAction, ...] = ()
    """All actions that lead on from where it waits, the likeliest first."""
    questions: tuple[str, ...] = ()
    """What its author asks."""
    starter: str = ""
    """Who started it, where several people share the records."""


def feature_view(office: Office, row: FeatureRow, at: float | None = None) -> FeatureView:
    """`at`: the current time, if known; a daily cap no longer applies once its day is over."""
    with office.database.read() as connection:
        gate = gates.waiting(connection, row.feature.key)
        letter = mailbox.pending(connection, gate.id) if gate else None
        stop = events.last_what(connection, row.feature.key, BudgetEvent) if gate else None
        sandbox = events.last_what(connection, row.feature.key, SandboxEvent)
    feature, state = row.feature, FlowState.load(row.place["state"])
    redone = "rerun" if row.place.get("talk", {}).get("rewind") else ""
    past = stop is not None and is_past(stop, at)
    waits = "" if gate is None else _waits(gate, stop if past and stop else None)
    stop = None if past else stop
    open_ = () if letter or row.running else _choices(office, row, stop)
    return FeatureView(
        id=feature.id,
        name=feature.name,
        title=feature.title,
        flow=feature.flow,
        status=row.status.value,
        stage=state.stage,
        position=state.position.value,
        running=row.running,
        stages_done=sum(over for _, over in begun_stages(row)),
        stages=len(FLOWS[feature.flow].stages),
        waits_for=waits,
        answered=letter.verb if letter else redone,
        branch=feature.branch,
        updated=row.updated,
        next_command=open_[0].command if open_ else _next_command(office, row),
        worktree=str(office.folder.worktree(feature.name)),
        cause=state.cause.value if state.position is Position.STUCK else "",
        sandbox=sandbox.level if sandbox else "",
        choices=open_,
        questions=tuple(one.text for one in questions(office, row)) if gate else (),
        starter=row.starter if office.database.server else "",
    )


def begun_stages(row: FeatureRow) -> list[tuple[str, bool]]:
    """The stages that were worked on, as the flow orders them, and whether each is over.

    After a step back the later ones are not: they run again.
    """
    names, marks = FLOWS[row.feature.flow].names, row.place.get("marks", {})
    here = names.index(FlowState.load(row.place["state"]).stage)
    return [
        (one, marks[one][1] is not None and place <= here)
        for place, one in enumerate(names)
        if one in marks
    ]


def is_past(stop: Reached, at: float | None) -> bool:
    """Whether it is a daily cap whose day is over, which no longer blocks anything."""
    return at is not None and stop.scope in (CapScope.DAY, CapScope.ALL) and stop.name != day_of(at)


def _waits(gate: gates.Gate, past: Reached | None = None) -> str:
    """What the feature waits for; at a gate that no rule lets pass, also why."""
    if past is not None and gate.kind == Cause.BUDGET.value:
        return (
            f"your go-ahead: the {past.measure} cap of {past.name} stopped it, and that day is over"
        )
    approval = f"your approval of {gate.stage}"
    if gate.kind != Position.GATE.value or not gate.reason:
        return gate.reason or approval
    return f"{approval}; {gate.reason}"


def list_views(office: Office, at: float | None = None) -> list[FeatureView]:
    return [feature_view(office, row, at) for row in every_row(office)]


def open_rows(office: Office) -> list[FeatureRow]:
    """Features that are neither done nor given up."""
    return [
        row
        for row in every_row(office)
        if row.status in (FeatureStatus.PLANNED, FeatureStatus.ACTIVE)
    ]


def has_unread(office: Office) -> bool:
    """Whether somebody has started or answered a feature and no engine has acted on it yet."""
    with office.database.read() as connection:
        return bool(mailbox.unread(connection))


def reload(office: Office, row: FeatureRow) -> FeatureRow:
    with office.database.read() as connection:
        found = features.get(connection, row.feature.key)
    return found or row


def overview(office: Office, executor: str) -> Overview:
    """All features, and what this process has to act on."""
    with office.database.read() as connection:
        return claims.overview(connection, executor)


def same_rows(rows: Sequence[FeatureRow], every: Sequence[FeatureRow]) -> list[FeatureRow]:
    """These rows as they are now."""
    found = {row.feature.key: row for row in every}
    return [found.get(row.feature.key, row) for row in rows]


def waiting_gate(office: Office, row: FeatureRow) -> gates.Gate | None:
    """The open gate, unless its answer is already in the mailbox."""
    with office.database.read() as connection:
        return gates.unanswered(connection, row.feature.key)


def choices_of(office: Office, row: FeatureRow, at: float | None = None) -> tuple[GateAction, ...]:
    """Actions that lead on from where a feature waits; empty if it does not wait."""
    with office.database.read() as connection:
        stop = events.last_what(connection, row.feature.key, BudgetEvent)
    return _choices(office, row, None if stop and is_past(stop, at) else stop)


def _choices(office: Office, row: FeatureRow, stop: Reached | None) -> tuple[GateAction, ...]:
    state = FlowState.load(row.place["state"])
    if state.position not in (Position.GATE, Position.STUCK):
        return ()
    findings = state.position is Position.STUCK and _holds_up(office, row, state.stage)
    return choices(row.feature.id, state, stop, findings=findings)


def _holds_up(office: Office, row: FeatureRow, stage: str) -> bool:
    """Whether an unsettled finding counts; read from the stored form, for speed."""
    with office.database.read() as connection:
        bodies = [json.loads(one.body) for one in findings_of(connection, row.feature.key, stage)]
    return any(one["counts"] and not one["into"] and one["status"] != RESOLVED for one in bodies)


def _next_command(office: Office, row: FeatureRow) -> str:
    """A running engine takes up any feature that has begun; a second engine would be refused."""
    number = row.feature.id
    if row.status.is_over:
        return f"sparing show {number}"
    begun = row.status is not FeatureStatus.PLANNED
    return f"sparing watch {number}" if begun and engine_runs(office) else f"sparing run {number}"
