"""What a person can do where a feature waits: every command that would be accepted, and no other.

The transition table itself decides, so a screen never offers what would be refused.
"""

from __future__ import annotations

import re
from dataclasses import replace

from sparing.artifact import ArtifactName
from sparing.failure import Failure
from sparing.flow.advance import advance
from sparing.flow.flows import FLOWS
from sparing.flow.stage import StageWork
from sparing.flow.state import ANSWERS, Cause, Do, FlowState, Outcome, OutcomeKind, Position
from sparing.lazy_dataclass import lazy_dataclass
from sparing.money import Reached

IDEAS = (ArtifactName.PRD, ArtifactName.BRAINSTORM)
"""Documents that are useful on their own."""
SET_UP = "set-up failed"
PASSING = frozenset(
    {
        *(Failure.AUTH, Failure.QUOTA, Failure.OVERLOADED, Failure.NETWORK, Failure.CRASHED),
        *(Failure.TIMED_OUT, Failure.INVALID_SESSION, SET_UP, "no verdict"),
    }
)
"""First words of reasons that have nothing to do with the quality of the work."""
RED = "checks are red"

THIRD = "a third time: the stage then stops, and you edit, rerun or skip it"
TRUST, RESUME = "sparing trust", "sparing resume"
_EDIT = re.compile(r"\bsparing\sedit \d+ ([a-z-]+)")


@lazy_dataclass
class GateAction:
    command: str
    words: str = ""
    """What it leads to; empty if the command is clear enough."""


def leads_on(state: FlowState, kind: OutcomeKind) -> bool:
    """Whether an answer is accepted and does not leave the stage stuck."""
    move = advance(state, Outcome(kind))
    stays = move.do is Do.WAIT and move.state.position is Position.STUCK
    return move.do is not Do.REFUSE and not stays


def can_resume(state: FlowState) -> bool:
    """Whether the work itself is fine: something around it failed, or a person paused it or
    changed the code."""
    if state.position is not Position.STUCK or state.held is None:
        return False
    passing = state.reason.partition(":")[0] in PASSING or RESUME in state.reason
    return passing or state.cause in (Cause.PAUSED, Cause.NONE)


def is_red(state: FlowState) -> bool:
    return state.position is Position.STUCK and state.reason.startswith(RED)


def makes_code(state: FlowState) -> bool:
    """Whether a person edits files in this stage rather than a document."""
    work = FLOWS[state.flow].stage(state.stage).work
    return work in (StageWork.IMPLEMENT, StageWork.BUILD, StageWork.CHECK)


def document_to_edit(state: FlowState) -> str:
    """The document to edit to get the stage unstuck; empty if none is named."""
    found = _EDIT.search(state.reason) if state.position is Position.STUCK else None
    return found[1] if found else ""


def with_edit(state: FlowState) -> FlowState:
    """The state after a person's edit: a stage whose document they edited may be accepted as it is.

    Code that a person has changed is not accepted unseen: the checks run on it again.
    """
    if state.position is not Position.STUCK:
        return state
    if makes_code(state):
        return replace(state, held=state.held or Position.TODO, cause=Cause.NONE)
    return replace(state, acceptable=True)


def choices(
    feature: str, state: FlowState, stop: Reached | None = None, *, findings: bool = False
) -> tuple[GateAction, ...]:
    """Actions where a feature waits, the likeliest first. `stop`: the cap that blocks it."""
    if state.position is Position.GATE:
        reject = _reject(feature)
        if not leads_on(state, OutcomeKind.REJECT):
            reject = replace(reject, words=THIRD)
        return (GateAction(f"sparing approve {feature}"), reject, *_stop(feature, state))
    if state.position is not Position.STUCK:
        return ()
    if state.cause is Cause.BUDGET:
        return (GateAction(f"sparing raise {feature} {stop.advice if stop else ''}".rstrip()),)
    if state.held is Position.HANDOVER:
        again = GateAction(f"sparing run {feature}", "try the hand-over again")
        untrusted = TRUST in state.reason
        return (GateAction(TRUST, "see what decides how Sparing pushes"), again)[not untrusted :]
    if state.cause is Cause.PAUSED:
        return (GateAction(f"sparing resume {feature}"),)
    if state.cause is Cause.HANDOFF:
        return (
            GateAction(f"sparing approve {feature}", "continue in a new session, with a handoff"),
            GateAction(f"sparing reject {feature}", "continue in the existing session, if it fits"),
        )
    return tuple(_stuck(feature, state, findings=findings))


def _stop(feature: str, state: FlowState) -> tuple[GateAction, ...]:
    """Offer to end an idea at its first document."""
    first = FLOWS[state.flow].stages[0]
    if state.stage != first.name or first.writes not in IDEAS or first.writes is None:
        return ()
    return (GateAction(f"sparing stop {feature}", f"end here and keep {first.writes.filename}"),)


def _stuck(feature: str, state: FlowState, *, findings: bool) -> list[GateAction]:
    first = can_resume(state)
    goes_on = leads_on(state, OutcomeKind.CONTINUE)
    # Past code that is not good nobody is led; whoever wants that knows the command.
    skips = leads_on(state, OutcomeKind.SKIP) and not makes_code(state)
    resume = GateAction(f"sparing resume {feature}", _resumed(state))
    answer = GateAction(f'sparing answer {feature} "what you say"', "answer what it asks")
    named = document_to_edit(state)
    edit = GateAction(f"sparing edit {feature} {named}".rstrip(), _edited(state))
    edited = state.cause is Cause.NONE
    if first and state.reason.startswith(SET_UP):
        return [resume]  # nothing that an author or a person writes would help
    possible = (
        (bool(named) and not edited, edit),
        (first, resume),
        (bool(named) and edited, edit),
        (leads_on(state, OutcomeKind.ANSWER), answer),
        (
            leads_on(state, OutcomeKind.APPROVE),
            GateAction(f"sparing approve {feature}", _approved(state)),
        ),
        (
            findings,
            GateAction(f"sparing rule {feature}", "see open findings, decide what may stay"),
        ),
        (leads_on(state, OutcomeKind.REJECT), _reject(feature)),
        (not named, edit),
        (goes_on and not first, resume),
        *(
            (leads_on(state, kind), GateAction(f"sparing {kind} {feature}", row.offered))
            for kind, row in ANSWERS.items()
            if row.offered
        ),
        (
            skips,
            GateAction(f"sparing skip {feature}", "continue with the next stage, without this one"),
        ),
    )
    return [choice for is_there, choice in possible if is_there]


def _approved(state: FlowState) -> str:
    """What approving means: interrupted work continues without the part that failed."""
    as_is = state.held is None or state.cause is Cause.DECLINED
    return "accept it as it is" if as_is else "continue without what failed"


def _resumed(state: FlowState) -> str:
    if document_to_edit(state):
        return "try again"
    if is_red(state) or (state.cause is Cause.NONE and makes_code(state)):
        return "run the checks again"
    return "try again"


def _edited(state: FlowState) -> str:
    if document_to_edit(state):
        return "fix that document yourself, then resume"
    if not makes_code(state):
        return "change the document yourself"
    return "change the files yourself, then resume to run the checks"


def _reject(feature: str) -> GateAction:
    return GateAction(f'sparing reject {feature} "what should be different"')
