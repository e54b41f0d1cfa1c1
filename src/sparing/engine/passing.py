"""Auto mode: a gate passes by rule, or a person is asked and told why.

What a rule may let pass: the verdict was good, nothing was asked, the checks were green after the
last change of code, no review ended at its cap. What a person has rejected is theirs to approve.
No reply's words count for any of it.
"""

from __future__ import annotations

from collections.abc import Collection
from typing import NamedTuple

from sparing.engine import rounds
from sparing.engine.place import Place, mark_of, stage_of
from sparing.finding import Severity
from sparing.flow.flows import FLOWS
from sparing.flow.stage import Stage, Work

CODES = frozenset({Work.IMPLEMENT, Work.BUILD, Work.CHECK})


class Pass(NamedTuple):
    passes: bool
    words: str
    """Why it passes, or why not."""


def by_rule(place: Place, gates: Collection[str]) -> Pass:
    """Whether the gate that a place stands at needs nobody."""
    held = next((words for holds, words in _holds(place, gates) if holds), "")
    return Pass(False, held) if held else Pass(True, "; ".join(_reasons(place)))


def _holds(place: Place, gates: Collection[str]) -> tuple[tuple[bool, str], ...]:
    stage, talk = stage_of(place), place.talk
    open_ = rounds.open_of(place.review)
    blockers = [one.id for one in open_ if one.finding.severity is Severity.BLOCKER]
    unseen = [name for name in place.state.concerns if name not in gates]
    return (
        (bool(talk.questions), "questions are open"),
        (stage.name in talk.rejected, "you have rejected it before, so your word counts"),
        (_capped(place), "its review ended at the cap"),
        (bool(blockers), f"blockers are open: {', '.join(blockers)}"),
        (bool(unseen), f"findings of {', '.join(unseen)} were never shown to you"),
        (bool(place.unproven), "something is claimed and not done"),
        (has_code(place) and not talk.green, "no checks were green after the last change of code"),
    )


def _capped(place: Place) -> bool:
    loop = place.loop
    at_cap = loop is not None and loop.iteration >= loop.cap
    return mark_of(place).cap_reached or (at_cap and bool(rounds.open_of(place.review)))


def has_code(place: Place) -> bool:
    """Whether code was to be made up to this stage."""
    flow = FLOWS[place.state.flow]
    return any(one.work in CODES for one in flow.stages[: flow.index(place.state.stage) + 1])


def _reasons(place: Place) -> list[str]:
    stage, left = stage_of(place), len(rounds.open_of(place.review))
    small = [f"{left} findings stay open, no blocker"] if left else []
    green = ["no check is red"] if has_code(place) else []
    return [_verdict(stage), *small, "nothing is asked", *green]


def _verdict(stage: Stage) -> str:
    if stage.work is Work.JUDGE:
        return f"{stage.author} is satisfied"
    reviewers = sum(len(group) for group in stage.reviewers)
    return f"{reviewers} reviewers are satisfied" if reviewers else "it has no reviewer"
