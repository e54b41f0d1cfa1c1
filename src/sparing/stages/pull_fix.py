"""A pull request came back: the author of the code gets what its reviewers and its CI found.

Pure. The stage that makes the code begins again with that feedback; everything after it follows as
the first time, up to the last gate and the same pull request.
"""

from __future__ import annotations

from dataclasses import replace

from sparing.flow.advance import advance
from sparing.flow.flows import code_stage
from sparing.flow.state import Do, Outcome, OutcomeKind
from sparing.stages.moves import Happened, Next, StageRules, at, enter
from sparing.stages.place import Place, is_closed, reopened
from sparing.turn import StageStep, Turn


def asked(
    place: Place, happened: Happened, answer: Outcome, rules: StageRules, now: float
) -> Next | None:
    """Start over with the code; None for other answers."""
    if answer.kind is not OutcomeKind.FIX:
        return None
    stage = code_stage(place.state.flow).name
    # What its documents lack was no hindrance the first time.
    move = advance(place.state, Outcome(OutcomeKind.BACK, stage))
    if move.do is not Do.RUN:
        return Next(Do.REFUSE, replace(place, state=replace(place.state, reason=move.note)))
    rejected = tuple(dict.fromkeys((*place.talk.rejected, stage)))
    talk = replace(place.talk, rejected=rejected)  # who changes nothing has to say why
    here = replace(place, state=move.state, feedback=happened.feedback, review=None, talk=talk)
    if is_closed(place):  # the branch says that it is completed
        return at(reopened(here), StageStep.REOPEN, Turn.REDO)
    return enter(here, rules, now, again=True)
