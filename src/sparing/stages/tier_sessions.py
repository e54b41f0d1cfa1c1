"""The stages of a tier in one session: what follows from weighing, and from a person's answer.

Pure, like the other handlers. Every stage whose session is shared is entered through here, after
an approval, a rejection or a restart as well: there is no other way to its author.
"""

from __future__ import annotations

from dataclasses import replace

from sparing.continuation import SessionStep, WeighResult
from sparing.flow.advance import advance
from sparing.flow.state import Cause, Do, Outcome, OutcomeKind, Position
from sparing.stages.moves import Happened, Next, StageRules, at
from sparing.stages.place import Place
from sparing.turn import StageStep

ANSWERS = {OutcomeKind.APPROVE: SessionStep.HAND_OFF, OutcomeKind.REJECT: SessionStep.CONTINUE}
"""How a person may answer the question whether to hand off."""


def asks_for_handoff(place: Place) -> bool:
    state = place.state
    return state.position is Position.STUCK and state.cause is Cause.HANDOFF


def answered(place: Place, answer: Outcome) -> Next:
    """Weigh again, since time has passed; then do what the person said."""
    state = advance(place.state, answer).state
    going = replace(place.going, said=ANSWERS[answer.kind])
    return at(replace(place, state=state, going=going), StageStep.WEIGH, place.asked)


def after_weighing(place: Place, happened: Happened, rules: StageRules, _now: float) -> Next:
    found = happened.results[0].found
    assert found is not None
    said = place.going.said
    if said is SessionStep.CONTINUE and found.forced:
        return _go_on(place, found) if found.at_all else _ask(place, _explained(found))
    if found.forced and not said and not rules.headless:
        return _ask(place, found.reason)
    if found.go is SessionStep.HAND_OFF and found.judged:
        return at(_going(place, found, SessionStep.HAND_OFF), StageStep.HAND_OFF, place.asked)
    return at(_going(place, found, found.go), StageStep.AUTHOR, place.asked)


def after_handoff(place: Place, happened: Happened, _rules: StageRules, _now: float) -> Next:
    """Use the old session's handoff, or the one the program wrote."""
    handoff = happened.results[0].reply or place.going.handoff
    return at(
        replace(place, going=replace(place.going, handoff=handoff)), StageStep.AUTHOR, place.asked
    )


def _go_on(place: Place, found: WeighResult) -> Next:
    return at(_going(place, found, SessionStep.CONTINUE), StageStep.AUTHOR, place.asked)


def _going(place: Place, found: WeighResult, go: SessionStep) -> Place:
    return replace(place, going=replace(place.going, go=go, handoff=found.handoff))


def _ask(place: Place, reason: str) -> Next:
    stuck = Outcome(OutcomeKind.FAILED, reason=reason, cause=Cause.HANDOFF)
    state = replace(advance(place.state, stuck).state, acceptable=True)
    going = replace(place.going, said=SessionStep.NONE)
    return Next(Do.WAIT, replace(place, state=state, going=going))


def _explained(found: WeighResult) -> str:
    return f"it can't continue in this session, there is no room for the stage: {found.reason}"
