"""Following a changed document: only what depends on it is redone, the rest is kept.

Pure handlers. The document's author changes it, if a person asked for that; then the program finds,
stage by stage, whose approval no longer holds. Stages in between are passed over, tasks that are
done and not affected stay done. When nothing else depends on the change, the feature waits again
where it did.
"""

from __future__ import annotations

import re
from dataclasses import replace
from typing import NamedTuple

from sparing.artifact import ArtifactName
from sparing.flow.advance import advance
from sparing.flow.flows import FLOWS
from sparing.flow.stage import StageWork
from sparing.flow.state import Do, Outcome, OutcomeKind, Position
from sparing.refinement import Refinement, TraceResult
from sparing.stages import last_stage
from sparing.stages.moves import Happened, Next, StageRules, at, close, enter
from sparing.stages.place import Place, Refining, Resting, is_closed, reopened
from sparing.stages.task_orders import REDO, TaskCommand, kept_tasks
from sparing.turn import StageStep, Turn

FOLLOWS = frozenset({OutcomeKind.APPROVE, OutcomeKind.CONTINUE, OutcomeKind.ANSWER})
"""Answers after which a change is still followed; any other one leads elsewhere."""
_ORDER = re.compile(r"(refine|follow) (\S+?)\.md(?:: |$)")


class RefineOrder(NamedTuple):
    document: ArtifactName
    rewrites: bool
    """Its author is asked to change it; else it has been changed already."""


def read_order(text: str) -> RefineOrder | None:
    """`refine spec.md: what should be different`, or `follow spec.md`."""
    found = _ORDER.match(text)
    if found is None or found[2] not in list(ArtifactName):
        return None
    return RefineOrder(ArtifactName(found[2]), found[1] == "refine")


def writer_of(flow: str, document: ArtifactName) -> str:
    """The stage that writes a document; empty if none does."""
    return next((one.name for one in FLOWS[flow].stages if one.writes is document), "")


def asked(
    place: Place, happened: Happened, answer: Outcome, rules: StageRules, now: float
) -> Next | None:
    """Start following a change; None for other answers."""
    if answer.kind is not OutcomeKind.REFINE:
        return None
    order = read_order(answer.target)
    stage = writer_of(place.state.flow, order.document) if order else ""
    move = advance(place.state, Outcome(OutcomeKind.BACK, stage))
    if order is None or not stage or move.do is not Do.RUN:
        return Next(Do.REFUSE, place)
    resting = Resting(place.state, place.step, place.asked, place.done)
    before = place.refining or Refining(resting, is_closed(place), place.head)
    here = replace(place, state=move.state, refining=before, done=(), review=None)
    here = reopened(here) if is_closed(place) else here
    if is_closed(place):  # the branch says so too
        words = happened.feedback if order.rewrites else ""
        return at(replace(here, feedback=words), StageStep.REOPEN)
    return _begun(here, happened.feedback if order.rewrites else "", rules, now)


def _begun(place: Place, words: str, rules: StageRules, now: float) -> Next:
    """Its author gets a person's words, or what changed is followed at once."""
    if not words:
        return at(place, StageStep.TRACE)
    shown = Refinement(place.head)
    return _author(replace(place, feedback=words), shown, rules, now)


def _author(place: Place, shown: Refinement, rules: StageRules, now: float) -> Next:
    assert place.refining is not None
    here = replace(place, refining=replace(place.refining, shown=shown), review=None)
    entered = enter(here, rules, now, again=True).place
    return at(replace(entered, turn=0), StageStep.AUTHOR, Turn.REFINE)


def taken_back(place: Place, happened: Happened, rules: StageRules, now: float) -> Next:
    """The branch no longer says that the feature is completed."""
    if place.refining is None:
        return last_stage.taken_back(place, happened, rules, now)
    return _begun(place, place.feedback, rules, now)


def onward(before: Place, happened: Happened, found: Next) -> Next:
    """When a stage ends while a change is followed, continue with the next one that depends on
    it."""
    refining, after = before.refining, found.place
    if refining is None or after.refining is None or before.step is StageStep.TRACE:
        return found
    answer = happened.answer.kind if happened.answer else OutcomeKind.APPROVE
    names = FLOWS[before.state.flow].names
    ahead = names.index(after.state.stage) > names.index(before.state.stage)
    if answer not in FOLLOWS and answer is not OutcomeKind.REFINE:
        ends = after.state.stage != before.state.stage
        return found._replace(place=replace(after, refining=None)) if ends else found
    if not ahead or found.do is not Do.RUN:
        return found
    if _beyond(before, refining):
        return _without(found)
    here = replace(
        after, marks=before.marks, building=before.building, keeping=before.keeping, feedback="",
        ending=before.ending, state=replace(after.state, concerns=before.state.concerns),
    )  # fmt: skip
    return at(here, StageStep.TRACE)._replace(by_rule=found.by_rule, notes=found.notes)


def _without(found: Next) -> Next:
    return found._replace(place=replace(found.place, refining=None))


def _beyond(place: Place, refining: Refining) -> bool:
    """Whether what comes next was not done before, or rests on code that has changed."""
    flow = FLOWS[place.state.flow]
    codes = flow.stage(place.state.stage).work is StageWork.IMPLEMENT
    return codes or flow.index(place.state.stage) >= flow.index(refining.resting.state.stage)


def traced(place: Place, happened: Happened, rules: StageRules, now: float) -> Next:
    """The first stage that a change concerns is asked; without one the feature rests."""
    result, refining = happened.results[0], place.refining
    assert refining is not None
    found = result.trace or TraceResult()
    if not found.stage:
        return _rest(place, refining, rules, now)
    state = replace(place.state, stage=found.stage, position=Position.TODO, reason="")
    here = replace(place, state=state, feedback=result.reply)
    stage = FLOWS[state.flow].stage(found.stage)
    if stage.work is not StageWork.IMPLEMENT:
        return _author(here, found.shown, rules, now)
    kept = kept_tasks(place.building, TaskCommand(REDO, found.redo), result.reply)
    here = replace(
        here, keeping=replace(kept, undo=found.gone), review=None,
        refining=replace(refining, shown=found.shown),
    )  # fmt: skip
    return enter(here, rules, now)


def _rest(place: Place, refining: Refining, rules: StageRules, now: float) -> Next:
    """Return to where it waited; a stage that was in progress begins with what it had."""
    resting = refining.resting
    here = replace(place, refining=None, accepted=False, feedback="", review=None)
    state = resting.state
    if refining.closed:
        return close(replace(here, state=replace(state, position=Position.TODO)), now)
    if state.position is Position.GATE:
        back = replace(here, state=state, step=resting.step, asked=resting.asked, done=resting.done)
        return Next(Do.WAIT, back)
    on = replace(here, state=replace(state, position=Position.TODO, reason="", held=None))
    works = FLOWS[state.flow].stage(state.stage).work is StageWork.IMPLEMENT
    return enter(replace(on, keeping=place.building if works else None), rules, now)
