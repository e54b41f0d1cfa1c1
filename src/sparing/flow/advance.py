"""The one table of transitions: position of a feature × what happened → what follows.

Everything here is a pure function of its arguments. A pair that is not in the table makes no sense
and is refused with a reason; nothing ever raises for a feature's state.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

from sparing.artifact import ArtifactName
from sparing.flow.flows import FLOWS
from sparing.flow.stage import Flow, Stage, StageWork
from sparing.flow.state import (
    TERMINAL,
    Cause,
    Do,
    FlowState,
    Move,
    Outcome,
    OutcomeKind,
    Position,
    Skip,
)

BREAKER = 3
"""So many rejections of one kind block a feature until a human reruns the stage."""
ASKS = frozenset({Cause.QUESTIONS, Cause.BLOCKED})
"""Causes that need an answer to continue."""
WHERE = {Position.GATE: "waits for your decision", Position.STUCK: "is stuck"}
Step = Callable[[Flow, FlowState, Outcome], Move]


def begin(flow: str, stage: str = "", have: frozenset[ArtifactName] = frozenset()) -> FlowState:
    return FlowState(flow, stage or FLOWS[flow].stages[0].name, have=have)


def advance(state: FlowState, outcome: Outcome) -> Move:
    step = TABLE.get((state.position, outcome.kind))
    if step is None:
        verb = "resume" if outcome.kind is OutcomeKind.CONTINUE else outcome.kind
        return _refuse(state, f"{_words(state)}: '{verb}' is not possible")
    return step(FLOWS[state.flow], state, outcome)


def needed(state: FlowState) -> frozenset[ArtifactName]:
    """Existing documents that some stage requires, and the stage's own if it is stuck."""
    flow = FLOWS[state.flow]
    required = {name for stage in flow.stages for name in stage.requires}
    own = {flow.stage(state.stage).writes} if state.position is Position.STUCK else set[object]()
    return frozenset(name for name in ArtifactName if name in state.have & required or name in own)


def _passed(flow: Flow, state: FlowState, outcome: Outcome) -> Move:
    stage = flow.stage(state.stage)
    made = {stage.writes} if stage.writes else set[ArtifactName]()
    after = _concerned(state) if outcome.concerned else state
    done = replace(after, have=state.have | made, reason=outcome.reason)
    if stage.gate if outcome.stops is None else outcome.stops:
        return _wait(done, Position.GATE)
    return _next(flow, done, outcome)


def _capped_warnings(flow: Flow, state: FlowState, outcome: Outcome) -> Move:
    if outcome.headless:
        return _passed(flow, _concerned(state), outcome)
    return _stuck(state, outcome.reason or "warnings are open at the cap", acceptable=True)


def _capped_blockers(_flow: Flow, state: FlowState, outcome: Outcome) -> Move:
    return _stuck(state, outcome.reason or "blockers are open at the cap", acceptable=True)


def _refused(flow: Flow, state: FlowState, outcome: Outcome) -> Move:
    stage = flow.stage(state.stage)
    counted, count = _count(flow, state)
    if not stage.on_fail or count >= BREAKER:
        why = f"{outcome.reason or 'the verdict is negative'} ({count} of {BREAKER} times)"
        return _stuck(counted, why)
    return Move(Do.RUN, replace(counted, stage=stage.on_fail, reason=outcome.reason))


def _failed(_flow: Flow, state: FlowState, outcome: Outcome) -> Move:
    reason = outcome.reason or "the stage failed"
    move = _stuck(state, reason, acceptable=outcome.acceptable)
    return replace(move, state=replace(move.state, cause=outcome.cause, held=state.position))


def _continue(_flow: Flow, state: FlowState, _outcome: Outcome) -> Move:
    """Back to where the work was interrupted; nothing that is done is done again."""
    if state.cause is Cause.QUESTIONS:
        return _refuse(state, f"{state.reason}: answer it to continue")
    if state.held is None:
        return _refuse(state, f"{state.reason}: nothing was interrupted")
    do = Do.HAND_OVER if state.held is Position.HANDOVER else Do.RUN
    return Move(do, replace(state, position=state.held, reason=""))


def _answer(_flow: Flow, state: FlowState, _outcome: Outcome) -> Move:
    """Continue the stage with what its author wanted to know; no rejection is counted."""
    if state.cause not in ASKS:
        return _refuse(state, f"{state.reason}: nothing was asked")
    on = replace(state, position=Position.TODO, reason="", cause=Cause.NONE, held=None)
    return Move(Do.RUN, on)


def _approve(flow: Flow, state: FlowState, outcome: Outcome) -> Move:
    return _next(flow, state, outcome)


def _go_on(_flow: Flow, state: FlowState, _outcome: Outcome) -> Move:
    """A person lets the stage itself continue; what is open is reported when it passes."""
    if not state.acceptable:
        return _refuse(state, f"{state.reason}: there is nothing to resume")
    return Move(Do.RUN, replace(state, position=Position.TODO, acceptable=False, reason=""))


def _accept(flow: Flow, state: FlowState, outcome: Outcome) -> Move:
    """A person accepts a stuck stage's result as it is; concerns are recorded."""
    if state.cause is Cause.HANDOFF:
        return _told(state)
    if not state.acceptable:
        return _refuse(state, f"{state.reason}: there is nothing to approve")
    made = flow.stage(state.stage).writes
    for name, why in outcome.unfit:
        if name is made:
            return _refuse(state, f"{why}: the next stage can't build on it")
    have = state.have | ({made} if made else set[ArtifactName]())
    return _next(flow, replace(_concerned(state), have=have), outcome)


def _told(state: FlowState) -> Move:
    """Either answer leads into the stage, and nothing is counted: nothing was made yet."""
    on = replace(state, position=Position.TODO, acceptable=False, reason="")
    return Move(Do.RUN, replace(on, cause=Cause.NONE, held=None))


def _reject(flow: Flow, state: FlowState, outcome: Outcome) -> Move:
    if state.position is Position.STUCK and state.cause is Cause.HANDOFF:
        return _told(state)
    counted, count = _count(flow, state)
    if count >= BREAKER:
        return _stuck(counted, f"rejected {count} times")
    # What the program checks by itself is not done again with words: its makers get them.
    stage = flow.stage(state.stage)
    back = stage.on_fail if stage.work is StageWork.CHECK and stage.on_fail else state.stage
    on = replace(counted, stage=back, position=Position.TODO, reason=outcome.reason)
    return Move(Do.RUN, on)


def _rerun(flow: Flow, state: FlowState, _outcome: Outcome) -> Move:
    breaker = _breaker(flow.stage(state.stage))
    rejects = tuple(item for item in state.rejects if item[0] != breaker)
    return Move(Do.RUN, replace(state, position=Position.TODO, rejects=rejects, reason=""))


def _skip(flow: Flow, state: FlowState, outcome: Outcome) -> Move:
    following = flow.after(state.stage)
    target = outcome.target or (following.name if following else "")
    if target not in flow.names or flow.index(target) <= flow.index(state.stage):
        return _refuse(state, f"'{target}' is not a stage after '{state.stage}'")
    gone = left_out(state, target)
    if not gone:
        return _refuse(state, f"{target} comes next: nothing would be skipped, approve it")
    move = _enter(flow, state, target, outcome)
    if move.do is Do.REFUSE:
        return move
    skipped = (*state.skipped, *(Skip(name, target) for name in gone))
    return replace(move, state=replace(move.state, skipped=skipped))


def left_out(state: FlowState, target: str) -> tuple[str, ...]:
    """Stages that are not done when a feature goes on to another one; at a gate its own is."""
    flow = FLOWS[state.flow]
    first = flow.index(state.stage) + (state.position is Position.GATE)
    return flow.names[first : flow.index(target)]


def _back(flow: Flow, state: FlowState, outcome: Outcome) -> Move:
    if outcome.target not in flow.names or flow.index(outcome.target) > flow.index(state.stage):
        return _refuse(state, f"'{outcome.target}' is not a stage before '{state.stage}'")
    return _enter(flow, state, outcome.target, outcome)


def _sync(_flow: Flow, state: FlowState, _outcome: Outcome) -> Move:
    """Start a sync; nothing is counted or undone, and the caller knows where the feature waited."""
    return Move(Do.RUN, replace(state, position=Position.TODO, reason=""))


def _abandon(_flow: Flow, state: FlowState, outcome: Outcome) -> Move:
    return Move(Do.END, replace(state, position=Position.ABANDONED, reason=outcome.reason))


def _handed_over(_flow: Flow, state: FlowState, outcome: Outcome) -> Move:
    return Move(Do.END, replace(state, position=Position.DONE, reason=outcome.reason))


def _changed(_flow: Flow, state: FlowState, outcome: Outcome) -> Move:
    """What was approved is not what would be handed over: the last gate asks again."""
    asked = replace(state, reason=outcome.reason, cause=Cause.NONE, held=None)
    return _wait(asked, Position.GATE)


HUMAN: dict[OutcomeKind, Step] = {
    OutcomeKind.SKIP: _skip,
    OutcomeKind.BACK: _back,
    OutcomeKind.RERUN: _rerun,
    OutcomeKind.ABANDON: _abandon,
}

TABLE: dict[tuple[Position, OutcomeKind], Step] = {
    (Position.TODO, OutcomeKind.PASSED): _passed,
    (Position.TODO, OutcomeKind.CAPPED_WARNINGS): _capped_warnings,
    (Position.TODO, OutcomeKind.CAPPED_BLOCKERS): _capped_blockers,
    (Position.TODO, OutcomeKind.REFUSED): _refused,
    (Position.TODO, OutcomeKind.FAILED): _failed,
    (Position.GATE, OutcomeKind.APPROVE): _approve,
    (Position.GATE, OutcomeKind.REJECT): _reject,
    (Position.GATE, OutcomeKind.SYNC): _sync,
    (Position.GATE, OutcomeKind.TASKS): _sync,
    (Position.STUCK, OutcomeKind.TASKS): _sync,
    (Position.STUCK, OutcomeKind.SYNC): _sync,
    (Position.GATE, OutcomeKind.REFINE): _sync,
    (Position.STUCK, OutcomeKind.REFINE): _sync,
    (Position.STUCK, OutcomeKind.APPROVE): _accept,
    (Position.STUCK, OutcomeKind.REJECT): _reject,
    (Position.STUCK, OutcomeKind.CONTINUE): _continue,
    (Position.STUCK, OutcomeKind.ANSWER): _answer,
    (Position.STUCK, OutcomeKind.GO_ON): _go_on,
    (Position.HANDOVER, OutcomeKind.PASSED): _handed_over,
    (Position.HANDOVER, OutcomeKind.FAILED): _failed,
    (Position.HANDOVER, OutcomeKind.REFUSED): _changed,
    **{
        (position, kind): step
        for position in (Position.TODO, Position.GATE, Position.STUCK)
        for kind, step in HUMAN.items()
    },
}


def _next(flow: Flow, state: FlowState, outcome: Outcome) -> Move:
    following = flow.after(state.stage)
    if following is None:
        return Move(Do.HAND_OVER, replace(state, position=Position.HANDOVER))
    return _enter(flow, state, following.name, outcome)


def _enter(flow: Flow, state: FlowState, name: str, outcome: Outcome) -> Move:
    unfit, requires = dict(outcome.unfit), flow.stage(name).requires
    missing = [need for need in requires if need not in state.have or need in unfit]
    if missing:
        why = "; ".join(unfit[need] for need in missing if need in unfit)
        names = " and ".join(need.filename for need in missing)
        return _refuse(state, f"{name} needs a valid {names}{f': {why}' if why else ''}")
    return Move(Do.RUN, replace(state, stage=name, position=Position.TODO, reason=""))


def _count(flow: Flow, state: FlowState) -> tuple[FlowState, int]:
    breaker = _breaker(flow.stage(state.stage))
    counts = dict(state.rejects)
    counts[breaker] = min(counts.get(breaker, 0) + 1, BREAKER)
    return replace(state, rejects=tuple(sorted(counts.items()))), counts[breaker]


def _breaker(stage: Stage) -> str:
    return stage.breaker or stage.name


def _concerned(state: FlowState) -> FlowState:
    if state.stage in state.concerns:
        return state
    return replace(state, concerns=(*state.concerns, state.stage))


def _wait(state: FlowState, position: Position) -> Move:
    return Move(Do.WAIT, replace(state, position=position))


def _stuck(state: FlowState, reason: str, *, acceptable: bool = False) -> Move:
    stuck = replace(
        state, position=Position.STUCK, reason=reason, acceptable=acceptable, cause=Cause.NONE,
        held=None,
    )  # fmt: skip
    return Move(Do.WAIT, stuck, reason)


def _refuse(state: FlowState, note: str) -> Move:
    return Move(Do.REFUSE, state, note)


def _words(state: FlowState) -> str:
    if state.position in TERMINAL:
        return f"the feature is {state.position}"
    return f"{state.stage} {WHERE.get(state.position, 'is under way')}"
