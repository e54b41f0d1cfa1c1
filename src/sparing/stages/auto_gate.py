"""Auto mode: a gate passes by rule, or a person is asked and told why.

What a rule may let pass: every reviewer passed, nothing was asked, the checks were green after the
last change of code and are as they were then, no review ended at its cap. What a person has
rejected is theirs to approve. No reply's words count for any of it.
"""

from __future__ import annotations

from collections.abc import Collection
from typing import NamedTuple

from sparing.finding import Severity
from sparing.flow.flows import FLOWS
from sparing.flow.stage import StageWork
from sparing.review.outcome import outcome_of, outcome_words, stay_open
from sparing.review.tracking import Tracked
from sparing.stages import review_rounds
from sparing.stages.place import Place, mark_of, stage_of

OTHER_PERSON = "it needs the approval of somebody other than the person who started it"
REDEFINED = "checks were changed after their last run"
CODES = frozenset({StageWork.IMPLEMENT, StageWork.BUILD, StageWork.CHECK})


class Pass(NamedTuple):
    passes: bool
    words: str
    """Why it passes, or why not."""


def by_rule(place: Place, gates: Collection[str], others: Collection[str] = ()) -> Pass:
    """Whether the gate needs no person; gates of stages in `others` always need one."""
    if place.state.stage in others:
        return Pass(False, OTHER_PERSON)
    held = next((words for holds, words in _holds(place, gates) if holds), "")
    return Pass(False, held) if held else Pass(True, "; ".join(_reasons(place)))


def _holds(place: Place, gates: Collection[str]) -> tuple[tuple[bool, str], ...]:
    stage, talk = stage_of(place), place.talk
    unpassed = unpassed_words(place, gates)
    return (
        (bool(talk.questions), "questions are open"),
        (stage.name in talk.rejected, "you have rejected it before, so you decide"),
        (bool(unpassed), unpassed),
        (bool(place.unproven), "something was claimed but not done"),
        (bool(talk.changed), REDEFINED),
        (has_code(place) and not talk.green, "no checks were green after the last change of code"),
    )


def unpassed_words(place: Place, gates: Collection[str]) -> str:
    """Why no rule, and no answer given in advance, may pass the gate of a stage for its reviews:
    one ended at the cap or without a pass, or a blocker is open. Empty if none did."""
    blockers = [one.id for one in _left(place) if one.finding.severity is Severity.BLOCKER]
    said = (
        _own_review(place),
        f"blockers are open: {', '.join(blockers)}" if blockers else "",
        *(_earlier_review(place, name) for name in place.state.concerns if name not in gates),
    )
    return "; ".join(words for words in said if words)


def _left(place: Place) -> tuple[Tracked, ...]:
    """What is open, without what a person has dismissed."""
    return tuple(one for one in review_rounds.open_of(place.review) if not one.dismissed)


def _own_review(place: Place) -> str:
    """How the stage's own review ended, if not every reviewer passed before the cap."""
    reached = mark_of(place).cap_reached
    if place.review is None:
        return "its review ended at the cap" if reached else ""
    found = outcome_of(place.review)
    if found.clean and not reached:
        return ""
    how = "ended without a pass"
    if found.capped:
        how = "ended at the cap"
    elif found.clean:
        how = "had stopped for a person"
    left = stay_open(_left(place))
    return f"its review {how}: {outcome_words(place.review)}{left and f'; {left}'}"


def _earlier_review(place: Place, name: str) -> str:
    if name == place.state.stage:
        return ""
    mark = place.marks.get(name)
    how = "at its cap" if mark is not None and mark.cap_reached else "with findings open"
    return f"the review of {name} ended {how}, and {name} has no gate of its own"


def has_code(place: Place) -> bool:
    """Whether any stage up to this one makes code."""
    flow = FLOWS[place.state.flow]
    return any(one.work in CODES for one in flow.stages[: flow.index(place.state.stage) + 1])


def _reasons(place: Place) -> list[str]:
    left = stay_open(_left(place))
    small = [f"{left}, no blocker"] if left else []
    green = ["no check is red"] if has_code(place) else []
    return [_verdict(place), *small, "nothing is asked", *green]


def _verdict(place: Place) -> str:
    """How many of the reviewers passed."""
    stage = stage_of(place)
    if stage.work is StageWork.JUDGE:
        return f"{stage.author} passed it"
    if not stage.reviewers or place.review is None:
        return "it has no reviewer"
    passed = len(outcome_of(place.review).passed)
    return f"{passed} of {sum(map(len, stage.reviewers))} reviewers passed"
