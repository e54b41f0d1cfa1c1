"""Assistants after the tasks are done: one simplifies the code, one deepens the tests.

Pure handlers. An assistant is asked once, in a fresh session, and only if the settings name the
role. One that fails is reported and left out: help never blocks the work. Its changes count only if
the repository's checks pass.
"""

from __future__ import annotations

from dataclasses import replace

from sparing.flow.advance import advance
from sparing.flow.state import Outcome, OutcomeKind
from sparing.job import JobResult
from sparing.stages.failure import failure_words
from sparing.stages.moves import Happened, Next, StageRules, StepHandler, ask, ask_for, at, flow
from sparing.stages.place import Place
from sparing.turn import TURNS, StageStep, Turn

(SIMPLIFIER,), (DEEPENER,) = TURNS[Turn.SIMPLIFY].roles, TURNS[Turn.DEEPEN].roles
HELPS = frozenset(row.step for row in TURNS.values() if row.helps and row.dispensable)
"""Steps that may fail without harm."""
DIVERGING = frozenset({StageStep.DEEPENED, StageStep.MEND})
"""Steps in which a person can take the code as it is."""
FIXES = 2
"""How often the code is changed to meet deeper tests."""


def begin(place: Place, rules: StageRules, now: float) -> Next:
    """All tasks are done: start the assistants, unless checks are red or no task was done."""
    building = place.building
    if not building.done or building.red:
        return at(place, StageStep.CHECK)
    if building.helper == DEEPENER:  # of a leg that was begun anew
        return at(place, StageStep.CHECK)
    if SIMPLIFIER not in rules.assistants or building.helper:
        return _outline(place, rules)
    here = replace(building, since=place.head, helper=SIMPLIFIER)
    return ask_for(replace(place, building=here), Turn.SIMPLIFY)


def simplified(place: Place, happened: Happened, rules: StageRules, _now: float) -> Next:
    if not happened.results[0].changed:
        return _outline(place, rules)
    return at(place, StageStep.TRIAL)


def tried(place: Place, _happened: Happened, rules: StageRules, _now: float) -> Next:
    """What was made is in, or put back; either way the worktree is clean."""
    if place.building.helper == SIMPLIFIER:
        return _outline(place, rules)
    return at(place, StageStep.CHECK)


def _outline(place: Place, rules: StageRules) -> Next:
    if DEEPENER not in rules.assistants:
        return at(place, StageStep.CHECK)
    here = replace(place.building, since=place.head, helper=DEEPENER)
    return ask_for(replace(place, building=here), Turn.OUTLINE)


def outlined(place: Place, happened: Happened, _rules: StageRules, _now: float) -> Next:
    here = replace(place.building, outlines=happened.results[0].reply)
    return ask_for(replace(place, building=here), Turn.DEEPEN)


def deepened(place: Place, happened: Happened, _rules: StageRules, _now: float) -> Next:
    result, building = happened.results[0], place.building
    if not result.changed:
        return at(place, StageStep.CHECK)
    here = replace(building, tests=(building.since, place.head), outlines=result.reply, fixes=0)
    return at(replace(place, building=here), StageStep.DEEPENED)


def without_help(place: Place, result: JobResult) -> Next:
    """Report a failed assistant and leave it out. What it left in the worktree is put away."""
    note = f"{place.building.helper} is left out: {failure_words(result)}"
    here = replace(place.building, since=place.head)
    found = at(replace(place, building=here, done=()), StageStep.TRIAL)
    return found._replace(notes=((place.building.helper, note),))


def compared(place: Place, happened: Happened, rules: StageRules, now: float) -> Next:
    """Do deeper tests pass? If not, the code differs from what was promised."""
    result, building = happened.results[0], place.building
    here = replace(place, facts=result.facts, unproven=result.unproven)
    if result.passed:
        green = replace(here.talk, green=here.head)
        return ask(replace(here, repairs=0, feedback="", talk=green), now)
    if building.fixes < FIXES:
        fixing = replace(building, fixes=building.fixes + 1)
        red = replace(here, feedback=result.reply, building=fixing)
        return ask_for(red, Turn.MEND)
    reason = (
        f"tests of the {DEEPENER} fail after {FIXES} fixes ({result.detail}). To keep the code and"
        " leave those tests out: approve; to try again: resume"
    )
    fresh = replace(here, building=replace(building, fixes=0))
    outcome = Outcome(OutcomeKind.FAILED, reason=reason, acceptable=True)
    return flow(fresh, outcome, rules, now)


def mended(place: Place, happened: Happened, _rules: StageRules, _now: float) -> Next:
    note = happened.results[0].reply
    return at(replace(place, note=note, feedback=""), StageStep.DEEPENED)


def taken(place: Place) -> Next:
    """A person takes the code as it is: what it was tested against is noted and left out."""
    going = advance(place.state, Outcome(OutcomeKind.GO_ON)).state
    return at(replace(place, state=going, feedback=""), StageStep.ACCEPT)


def accepted(place: Place, _happened: Happened, _rules: StageRules, _now: float) -> Next:
    return at(place, StageStep.CHECK)


STEPS: dict[StageStep, StepHandler] = {
    StageStep.SIMPLIFY: simplified,
    StageStep.TRIAL: tried,
    StageStep.OUTLINE: outlined,
    StageStep.DEEPEN: deepened,
    StageStep.DEEPENED: compared,
    StageStep.MEND: mended,
    StageStep.ACCEPT: accepted,
}
