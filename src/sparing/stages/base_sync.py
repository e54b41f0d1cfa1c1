"""The base branch moved on and is merged in: a detour from a gate, back to the same gate.

Pure handlers. The program merges; conflicts go to the author of the code, a few times, in a
separate worktree. The feature's branch moves once, when the checks agree; before that nothing of
the feature has changed, and giving up costs no more than the turns.
"""

from __future__ import annotations

from dataclasses import replace

from sparing.base_sync import BaseSync
from sparing.flow.advance import advance
from sparing.flow.state import Cause, Do, FlowState, Outcome, OutcomeKind, Position
from sparing.job import JobResult
from sparing.stages.failure import failure_words
from sparing.stages.moves import Happened, Next, StageRules, at
from sparing.stages.place import Place, Resting
from sparing.turn import StageStep, Turn

STEPS = frozenset({StageStep.SYNC, StageStep.RESOLVE})
MOST_TRIES = 3
"""How often an agent may try to make it fit."""
REBASE = "rebase"
PROGRAM = "sparing"


def asked(place: Place, answer: Outcome) -> Next | None:
    """Begin a sync; the answer names the base branch's commit and how to bring it in. None for
    other answers."""
    if answer.kind is not OutcomeKind.SYNC:
        return None
    target, _, how = answer.target.partition(" ")
    resting = Resting(place.state, place.step, place.asked, place.done)
    state = advance(place.state, Outcome(OutcomeKind.SYNC)).state
    sync = BaseSync(target, how == REBASE)
    return at(replace(place, state=state, resting=resting, sync=sync, done=()), StageStep.SYNC)


def came(place: Place, happened: Happened, _rules: StageRules, _now: float) -> Next:
    """What the program or the agent made of it."""
    result = happened.results[0]
    if result.failure:
        return _rest(place, f"the base branch was not brought in: {failure_words(result)}")
    if place.step is StageStep.RESOLVE:
        merged = result.commit or place.sync.merged
        return at(replace(place, sync=replace(place.sync, merged=merged)), StageStep.SYNC)
    if result.passed:
        return _arrived(place, result)
    if place.sync.tries >= MOST_TRIES:
        why = f"{result.detail} after {MOST_TRIES} tries; nothing of it is on the branch"
        return _rest(place, f"the base branch was not brought in: {why}")
    again = replace(
        place.sync, tries=place.sync.tries + 1, merged=result.merged, problem=result.reply
    )
    return at(replace(place, sync=again), StageStep.RESOLVE, Turn.RESOLVE)


def _arrived(place: Place, result: JobResult) -> Next:
    """The merge is done: what was known about the old commit now applies to the new one."""
    old, new = place.head, result.commit
    since = place.building.since
    building = replace(place.building, since=new if since == old else since)
    keys = tuple(key for _, key in result.asks)
    green = new if place.talk.green or result.changed else ""
    here = replace(
        place, head=new, building=building, baseline=result.baseline or place.baseline,
        talk=replace(place.talk, green=green, changed=keys or place.talk.changed),
    )  # fmt: skip
    return _rest(here, "", arrived=True)


def _rest(place: Place, told: str, *, arrived: bool = False) -> Next:
    """Return the feature to where it was waiting."""
    resting = place.resting
    assert resting is not None
    state = _asked_again(resting.state) if arrived else resting.state
    if state.position is Position.GATE and not arrived:
        state = replace(state, reason=told)
    here = replace(
        place, state=state, step=resting.step, asked=resting.asked, done=resting.done,
        sync=BaseSync(), resting=None, accepted=False,
    )  # fmt: skip
    # What arrived was told by the job itself.
    return Next(Do.WAIT, here, notes=() if arrived else ((PROGRAM, told),))


def _asked_again(state: FlowState) -> FlowState:
    """If a handover had failed, go back to the last gate, which now shows the new commit."""
    if state.held is not Position.HANDOVER:
        return state
    return replace(state, position=Position.GATE, reason="", cause=Cause.NONE, held=None)
