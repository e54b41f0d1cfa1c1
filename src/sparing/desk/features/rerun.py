"""Running a stage again from scratch: a new generation from the commit before it began.

Works for any feature not running, even a finished one as long as none of it is merged. Nothing is
lost: the old commits stay under a ref, the history and the bill stay too. Counters, sessions,
findings and questions start over; a person's rulings still count. The engine moves the branch
itself when the new generation opens its worktree.
"""

from __future__ import annotations

from typing import Any, NamedTuple

from sparing.artifact import ArtifactName
from sparing.codec import JsonObject
from sparing.desk.gates import answers
from sparing.desk.office import Office
from sparing.errors import FeatureError, UsageError
from sparing.event import AnswerEvent
from sparing.feature import FeatureStatus
from sparing.flow.flows import FLOWS, TIERS
from sparing.flow.stage import Flow
from sparing.flow.state import FlowState, OutcomeKind, Position
from sparing.records import events, features, findings, gates, sessions
from sparing.records.events import Event
from sparing.records.features import FeatureRow
from sparing.workspace.git.objects import salvage_ref
from sparing.workspace.git.repository import branch_commit, common_ancestor, contains

BASE = 5
"""Index in a stored mark of the commit before its stage."""


class Rerun(NamedTuple):
    stage: str
    commit: str
    """The commit that the branch will point to."""
    undone: tuple[str, ...]
    """Stages whose work is taken off the branch, in order."""
    name: str
    """Name under which the old commits are kept."""

    @property
    def ref(self) -> str:
        return salvage_ref(self.name)


def plan_rerun(office: Office, row: FeatureRow, stage: str = "") -> Rerun:
    """What a rerun would do; raises an error where it makes no sense."""
    number, flow = row.feature.id, FLOWS[row.feature.flow]
    if row.status is FeatureStatus.PLANNED:
        raise FeatureError(f"feature {number} has not begun", f"sparing run {number}")
    if row.running:
        raise FeatureError(f"feature {number} is running", f"first: sparing pause {number}")
    name = stage or FlowState.load(row.place["state"]).stage
    if name not in flow.names:
        stages = f"its stages: {', '.join(flow.names)}"
        raise UsageError(f"the flow {flow.name} has no stage '{name}'", stages)
    _refuse_merged(office, row)
    marks: dict[str, list[Any]] = row.place.get("marks", {})
    later = flow.names[flow.index(name) :]
    undone = tuple(one for one in later if one in marks)
    salvage = f"{row.feature.branch}-g{row.generation}"
    return Rerun(name, _base(row, flow, name), undone, salvage)


def rerun(office: Office, row: FeatureRow, stage: str, sender: str, at: float) -> Rerun:
    plan = plan_rerun(office, row, stage)
    key, before = row.feature.key, FLOWS[row.feature.flow].index(plan.stage)
    stages = FLOWS[row.feature.flow].names
    with office.database.write() as tx:
        gate = gates.waiting(tx, key)
        if gate is not None:
            answers.refuse_twice(tx, row, gate.id)
        if not features.regenerate(tx, row, _place(row, plan), plan.commit, at):
            raise answers.moved_on(features.get(tx, key) or row)
        features.set_base(tx, key, _base_commit(office, row, plan))
        if gate is not None:
            gates.answer(tx, gate.id, OutcomeKind.RERUN.value, plan.stage, sender, at)
        # A tier has one session for all its stages: it knows what is being taken back.
        kept = () if row.feature.flow in TIERS else stages[:before]
        sessions.forget(tx, key, kept)
        findings.forget(tx, key, stages[before:])
        told = AnswerEvent(
            by=sender, answer=OutcomeKind.RERUN.value, commit=plan.commit, kept=plan.ref
        )
        name = f"{row.leg_id}.rerun"
        events.add(tx, Event.of(told, key=name, feature=key, at=at, stage=plan.stage))
    return plan


def _base_commit(office: Office, row: FeatureRow, plan: Rerun) -> str:
    """The base the branch had at that commit, if the rerun goes back to before a newer base."""
    base, repo = row.feature.base_commit, office.repository
    return base if contains(repo, plan.commit, base) else common_ancestor(repo, base, plan.commit)


def _refuse_merged(office: Office, row: FeatureRow) -> None:
    feature, repo = row.feature, office.repository
    tip = branch_commit(repo, feature.base_branch) if feature.base_branch else None
    if tip is None or row.head == feature.base_commit:
        return
    if contains(repo, tip, row.head):
        raise FeatureError(
            f"feature {feature.id} is merged into {feature.base_branch}",
            'start another one: sparing start "…"',
        )


def _base(row: FeatureRow, flow: Flow, stage: str) -> str:
    mark: list[Any] | None = row.place.get("marks", {}).get(stage)
    if mark is not None and len(mark) > BASE and mark[BASE]:
        return str(mark[BASE])
    if stage == flow.names[0]:
        return row.feature.base_commit
    number = row.feature.id
    if mark is None:
        raise FeatureError(f"{stage} of feature {number} has not begun", _instead(row, flow, stage))
    raise FeatureError(
        f"the commit before {stage} of feature {number} is unknown",
        f"from its first stage: sparing rerun {number} {flow.names[0]}",
    )


def _instead(row: FeatureRow, flow: Flow, stage: str) -> str:
    """What to suggest: skip to a stage yet to come, or go back to one that was left out."""
    number, here = row.feature.id, FlowState.load(row.place["state"]).stage
    if row.status.is_over:
        begun = row.place.get("marks", {})
        before = [one for one in flow.names[: flow.index(stage)] if one in begun]
        return f"from a stage before it: sparing rerun {number} {(before or flow.names[:1])[-1]}"
    if flow.index(stage) < flow.index(here):
        return f"go back to it: sparing back {number} {stage}"
    return f"skip ahead to it: sparing skip {number} {stage}"


def _place(row: FeatureRow, plan: Rerun) -> JsonObject:
    """The stored state at which the new generation begins; anything not listed has its default."""
    old, flow = row.place, FLOWS[row.feature.flow]
    state = FlowState.load(old["state"])
    earlier = flow.names[: flow.index(plan.stage)]
    place: JsonObject = {
        "state": _state(state, flow, plan.stage).dump(),
        "head": plan.commit,
        "marks": {name: mark for name, mark in old.get("marks", {}).items() if name in earlier},
        "moves": old.get("moves", 0),
        "baseline": old.get("baseline", ""),
        "talk": {"rewind": plan.name},
    }
    # What was ruled in a review of this stage stays ruled.
    return {**place, "review": old["review"]} if _same_review(old, state, plan) else place


def _same_review(old: JsonObject, state: FlowState, plan: Rerun) -> bool:
    return state.stage == plan.stage and old.get("review") is not None


def _state(state: FlowState, flow: Flow, stage: str) -> FlowState:
    later = flow.stages[flow.index(stage) :]
    made = frozenset[ArtifactName](one.writes for one in later if one.writes is not None)
    names = [one.name for one in later]
    return FlowState(
        state.flow,
        stage,
        Position.TODO,
        state.have - made,
        skipped=tuple(one for one in state.skipped if one.stage not in names),
        concerns=tuple(one for one in state.concerns if one not in names),
    )
