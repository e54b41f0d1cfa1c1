"""A feature's last stage: ask about open tasks, draw lessons, then run the checks.

Pure handlers. Unfinished tasks stop the work even if no one can be asked: continuing without them
is a person's choice. A retrospective stops nothing.
"""

from __future__ import annotations

from dataclasses import replace

from sparing.ending import ROLE
from sparing.flow.advance import advance
from sparing.flow.state import Do, Outcome, OutcomeKind, Position
from sparing.stages.moves import Happened, Next, StageRules, at, close, enter, flow
from sparing.stages.place import Place, is_last
from sparing.turn import StageStep, Turn

SHOWN = 5


def surveyed(place: Place, happened: Happened, rules: StageRules, now: float) -> Next:
    left = happened.results[0].unfinished
    here = replace(place, ending=replace(place.ending, unfinished=left))
    if not left:
        return learn(here, rules)
    more = f"; and {len(left) - SHOWN} more" if len(left) > SHOWN else ""
    tasks = "1 task is" if len(left) == 1 else f"{len(left)} tasks are"
    reason = f"{tasks} not finished: {'; '.join(left[:SHOWN])}{more}"
    return flow(here, Outcome(OutcomeKind.CAPPED_BLOCKERS, reason=reason), rules, now)


def is_asked(place: Place) -> bool:
    """Whether a person is asked about unfinished tasks."""
    stuck = place.state.position is Position.STUCK and place.state.acceptable
    return stuck and place.step is StageStep.SURVEY


def went_on(place: Place, rules: StageRules) -> Next:
    """Continue with unfinished tasks, as a person decided."""
    return learn(
        replace(place, state=advance(place.state, Outcome(OutcomeKind.GO_ON)).state), rules
    )


def learn(place: Place, rules: StageRules) -> Next:
    """Once: checks that are repaired afterwards teach nothing new."""
    wanted = ROLE in rules.assistants and not place.ending.logs
    return at(place, StageStep.RETRO if wanted else StageStep.CHECK)


def retrospected(place: Place, happened: Happened, _rules: StageRules, _now: float) -> Next:
    held = happened.results[0].passed
    ending = replace(place.ending, logs=place.head if held else "")
    return at(replace(place, ending=ending), StageStep.CHECK)


def takes_last(place: Place) -> bool:
    """Whether a person is asked to take the last stage as it is; nothing has closed it yet."""
    return place.state.acceptable and place.review is None and is_last(place)


def took_last(place: Place, now: float) -> Next:
    """Close the accepted stage like any other: the last gate shows the resulting commit."""
    state = advance(place.state, Outcome(OutcomeKind.GO_ON)).state
    concerns = tuple(dict.fromkeys((*state.concerns, state.stage)))
    return close(replace(place, state=replace(state, concerns=concerns)), now)


def taken_back(place: Place, _happened: Happened, rules: StageRules, now: float) -> Next:
    """The branch says active again: the stage runs once more, or a person decides."""
    if place.state.position is Position.STUCK:
        return Next(Do.WAIT, place)
    return enter(place, rules, now, again=place.asked is Turn.REDO)


def handed_over(place: Place, happened: Happened, rules: StageRules, now: float) -> Next:
    """It was handed over; or its branch is not what was approved, and the last gate asks again."""
    result = happened.results[0]
    if result.passed:
        return flow(place, Outcome(OutcomeKind.PASSED, reason=result.detail), rules, now)
    changed = replace(place, accepted=False, talk=replace(place.talk, green=""))
    return flow(changed, Outcome(OutcomeKind.REFUSED, reason=result.detail), rules, now)
