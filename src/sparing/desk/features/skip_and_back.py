"""Skipping to a later stage or going back to an earlier one; the cost is shown beforehand.

A feature that has not begun is moved at once; for any other, the jump answers its open gate.
"""

from __future__ import annotations

from typing import NamedTuple

from sparing.artifact import ArtifactName
from sparing.desk.gates import answers
from sparing.desk.gates.actions import choices
from sparing.desk.office import Office, settings_of
from sparing.errors import FeatureError, UsageError
from sparing.event import AnswerEvent
from sparing.feature import FeatureStatus
from sparing.flow.advance import advance, left_out
from sparing.flow.flows import FLOWS
from sparing.flow.stage import Stage, StageWork
from sparing.flow.state import Do, FlowState, Outcome, OutcomeKind, Position
from sparing.money import dollars
from sparing.records import events, features, totals
from sparing.records.events import Event
from sparing.records.features import FeatureRow
from sparing.workspace.git.commit import read_file

WITHOUT = {
    StageWork.IMPLEMENT: "no task is implemented and no code is reviewed",
    StageWork.BUILD: "no code is written",
    StageWork.JUDGE: "nobody reviews the result",
    StageWork.CHECK: "the repository's checks don't run",
    StageWork.PROPOSE: "nothing is proposed",
}


ORIGINS = ("measured", "simulated", "estimated")


class Jump(NamedTuple):
    kind: OutcomeKind
    stage: str
    """The stage the feature is at."""
    to: str
    lost: tuple[str, ...]
    """What the person gives up by it, one line each."""


def plan_skip(office: Office, row: FeatureRow, to: str = "") -> Jump:
    """Plan a skip, of exactly one stage if `to` is empty; raises an error if it makes no sense."""
    need_rest(row)
    state = FlowState.load(row.place["state"])
    target = _stage(row, to) if to else _following(row, state)
    _allowed(office, row, Outcome(OutcomeKind.SKIP, target))
    stages = [FLOWS[state.flow].stage(name) for name in left_out(state, target)]
    lost = tuple(f"{one.name} is left out: {_without(office, row, one)}" for one in stages)
    return Jump(OutcomeKind.SKIP, state.stage, target, lost)


def plan_back(office: Office, row: FeatureRow, to: str) -> Jump:
    need_rest(row)
    state = FlowState.load(row.place["state"])
    target = _stage(row, to)
    if row.status is FeatureStatus.PLANNED:
        raise answers.no_gate(row)
    _allowed(office, row, Outcome(OutcomeKind.BACK, target))
    return Jump(OutcomeKind.BACK, state.stage, target, _again(office, row, state, target))


def jump(office: Office, row: FeatureRow, plan: Jump, sender: str, at: float) -> str:
    """Carry out the jump; returns the stage that is left."""
    outcome = Outcome(plan.kind, plan.to)
    if row.status is not FeatureStatus.PLANNED:
        return answers.answer(office, row, outcome, sender, at, stages_of(row))
    key, state = row.feature.key, advance(FlowState.load(row.place["state"]), outcome).state
    with office.database.write() as tx:
        if not features.move(tx, row, {**row.place, "state": state.dump()}, row.head, at):
            raise answers.moved_on(features.get(tx, key) or row)
        told = AnswerEvent(sender, plan.kind.value)
        name = f"{key}.{plan.kind.value}.{plan.to}"
        event = Event.of(told, key=name, feature=key, at=at, stage=plan.stage, text=plan.to)
        events.add(tx, event)
    return plan.stage


def need_rest(row: FeatureRow) -> None:
    if row.running:
        number = row.feature.id
        raise FeatureError(f"feature {number} is running", f"first: sparing pause {number}")


def stages_of(row: FeatureRow) -> str:
    return f"its stages: {', '.join(FLOWS[row.feature.flow].names)}"


def _allowed(office: Office, row: FeatureRow, outcome: Outcome) -> None:
    """Raise an error if the jump is not possible, before the person is asked to confirm it."""
    if row.status.is_over:
        raise answers.no_gate(row)
    unfit = answers.unfit_of(office, row)
    state = FlowState.load(row.place["state"])
    move = advance(state, Outcome(outcome.kind, outcome.target, unfit=unfit))
    if move.do is Do.REFUSE:
        raise FeatureError(move.note, _instead(row, state))


def _instead(row: FeatureRow, state: FlowState) -> str:
    """The command to suggest instead."""
    found = choices(row.feature.id, state)
    return found[0].command if found else f"sparing run {row.feature.id}"


def _stage(row: FeatureRow, name: str) -> str:
    if name not in FLOWS[row.feature.flow].names:
        raise UsageError(f"the flow {row.feature.flow} has no stage '{name}'", stages_of(row))
    return name


def _following(row: FeatureRow, state: FlowState) -> str:
    """The stage after the one that is skipped: at a gate, the current stage is already done."""
    names = FLOWS[state.flow].names
    position = names.index(state.stage) + 1 + (state.position is Position.GATE)
    if position >= len(names):
        what = "nothing comes after" if state.stage == names[-1] else "nothing can be skipped after"
        raise UsageError(f"{what} {state.stage}", _instead(row, state))
    return names[position]


def _without(office: Office, row: FeatureRow, stage: Stage) -> str:
    if stage.work is not StageWork.DOCUMENT or stage.writes is None:
        return WITHOUT[stage.work]
    folder = settings_of(office, row).flow.folder_of(row.feature)
    if _there(office, row, folder, stage.writes):
        return f"{stage.writes.filename} stays as it is, and nobody reviews it"
    return f"there will be no {stage.writes.filename}"


def _there(office: Office, row: FeatureRow, folder: str, name: ArtifactName) -> bool:
    return read_file(office.repository, row.head, f"{folder}/{name.filename}") is not None


def _again(office: Office, row: FeatureRow, state: FlowState, target: str) -> tuple[str, ...]:
    """Stages already worked on that would be redone, and what they have cost so far."""
    names = FLOWS[state.flow].names
    marks = row.place.get("marks", {})
    again = [one for one in names[names.index(target) :] if one in marks]
    with office.database.read() as connection:
        keys = [totals.stage_key(row.feature.key, one) for one in again]
        spent = [totals.get(connection, totals.FEATURE_STAGE, one) for one in keys]
    cost = dollars(sum(one.nano_usd for one in spent))
    counts = {name: sum(getattr(one, name) for one in spent) for name in ORIGINS}
    origin = " and ".join(name for name, count in counts.items() if count)
    so_far = f" ({cost} so far, {origin})" if origin else ""
    lines = [f"run and paid for again: {', '.join(again)}{so_far}"]
    if approved := [one for one in again if marks[one][1] is not None and one != state.stage]:
        lines.append(f"no longer approved: {', '.join(approved)}")
    return (*lines, "their documents stay until they are rewritten")
