"""How to send a dispatch (the "way"), with the reason in words.

The decision is a value: the way, the expected cost of every way, the template of the prompt, and
what happens to the kept session. Policies differ only in the choice: what a role must know is the
same under each of them.

The template decision matrix of the original workflow, as one table.

The first row that fits a dispatch says which template it gets, whether the role's kept session is
replaced, and whether a marker goes into the review history. `None` in a column fits everything.
Rows that no policy may overrule (a lost session, nothing to tell) are the same for all policies;
the size guard is the one column that only `seed` fills in.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, replace
from enum import StrEnum
from types import MappingProxyType
from typing import NamedTuple, assert_never

from sparing.dispatch_policy import Policy, Way
from sparing.economy.predict import (
    DeltaState,
    Diff,
    Inputs,
    Prediction,
    delta_of,
    predict,
    too_long,
)
from sparing.percent import percent
from sparing.turn_kind import Actor

NOTHING: Mapping[Way, str] = MappingProxyType({})
TIE = 0.01
"""Relative difference up to which two predictions count as the same cost."""
SIMPLEST_FIRST = (Way.COMPOSE, Way.REFERENCE, Way.RESUME, Way.FORK)


@dataclass(frozen=True, slots=True)
class WayDecision:
    way: Way
    predictions: Mapping[Way, Prediction]
    reason: str
    template: Template
    reset: bool
    """The role's kept session is replaced by the one this dispatch opens."""
    marker: bool
    """The review history gets a line: resume fell back."""

    @property
    def cost(self) -> float:
        """Of the chosen way, on a model that nobody else uses."""
        return self.predictions[self.way].cost or 0.0

    @property
    def shared_cost(self) -> float:
        """The same on the model of others: less what those who follow need not write again."""
        return self.cost - self.predictions[self.way].later


def decide_way(
    policy: Policy, moment: Moment, inputs: Inputs, barred: Mapping[Way, str] = NOTHING
) -> WayDecision:
    """Choose how to send a dispatch; `barred`: ways on offer that are ruled out, and why."""
    if Way.COMPOSE not in inputs.offers:
        raise ValueError("compose is always on offer")
    predictions = predict(inputs)
    match policy:
        case Policy.FRESH | Policy.NAIVE:
            reason = f"policy {policy}: every dispatch from scratch"
            return WayDecision(
                Way.COMPOSE, predictions, reason, _full(moment), reset=moment.session, marker=False
            )
        case Policy.SEED:
            return _seed(moment, inputs, predictions)
        case Policy.ADAPTIVE:
            return _adaptive(moment, inputs, predictions, barred)
    assert_never(policy)


def _seed(moment: Moment, inputs: Inputs, predictions: Mapping[Way, Prediction]) -> WayDecision:
    """The table to the letter; whatever is fresh comes by reference."""
    row = row_for(moment, guarded=True)
    way = Way.REFERENCE if Way.REFERENCE in inputs.offers else Way.COMPOSE
    if row.template.resumes:
        if Way.RESUME not in inputs.offers:
            raise ValueError(f"{row.scenario}: resume is to be taken and not on offer")
        way = Way.RESUME
    return WayDecision(way, predictions, row.scenario, row.template, row.reset, row.marker)


def _adaptive(
    moment: Moment,
    inputs: Inputs,
    predictions: Mapping[Way, Prediction],
    unwanted: Mapping[Way, str],
) -> WayDecision:
    """The cheapest way to send it that tells the agent all it must know."""
    row = row_for(moment, guarded=False)
    barred = {**_barred(row, moment, inputs), **unwanted}
    ways = {way: found for way, found in predictions.items() if way not in barred}
    way = cheapest(ways)
    if plain_is_cheaper(ways, way):
        way = Way.PLAIN
    told = compared(way, ways, inputs)
    reason = f"{barred[Way.RESUME]}; {told}" if Way.RESUME in barred else told
    if row.template.resumes and way is not Way.RESUME:
        return WayDecision(way, predictions, reason, _full(moment), reset=True, marker=False)
    return WayDecision(way, predictions, reason, row.template, row.reset, row.marker)


def _barred(row: MatrixRow, moment: Moment, inputs: Inputs) -> dict[Way, str]:
    """Ways to send it that are ruled out at any price, with the reason."""
    if not row.template.resumes:
        return {Way.RESUME: row.scenario}
    if moment.delta(guarded=False) is DeltaState.EMPTY:
        return {Way.RESUME: "nothing changed, nothing answered"}
    if inputs.share.misses:
        seen = f"{percent(inputs.share.mean)} of it in {inputs.share.resumes} resumes"
        reason = f"this client reads too little of a resumed transcript from the cache, {seen}"
        return {Way.RESUME: reason, Way.FORK: reason}
    return {}


def _full(moment: Moment) -> Template:
    """The template that the matrix has for a role's first dispatch."""
    return row_for(replace(moment, first=True), guarded=False).template


def cheapest(predictions: Mapping[Way, Prediction]) -> Way:
    """The cheapest way to send it; if the costs are about equal the simpler one, since a
    composed prompt also fills the cache for others. Composing is always possible."""
    best, least = Way.COMPOSE, math.inf
    for way in SIMPLEST_FIRST:
        found = predictions.get(way)
        if found is not None and found.cost is not None and found.cost < least:
            best, least = way, (1 - TIE) * found.cost
    return best


def plain_is_cheaper(ways: Mapping[Way, Prediction], way: Way) -> bool:
    """Whether a plain prompt beats the chosen one, even counting what later dispatches save by
    reading the trunk that this one writes."""
    plain, best = ways.get(Way.PLAIN), ways.get(way)
    if plain is None or plain.cost is None:
        return False
    return best is None or best.cost is None or plain.cost < best.cost - best.later


def compared(way: Way, ways: Mapping[Way, Prediction], inputs: Inputs) -> str:
    """The expected cost of the chosen way beside that of the others, in words."""
    worth = {
        name: f"{inputs.rates.equivalents(found.cost):,.0f}"
        for name, found in ways.items()
        if found.cost is not None
    }
    text = f"{way} costs as much as {worth.pop(way)} input tokens ({ways[way].words})"
    rest = ", ".join(f"{other} {size}" for other, size in worth.items())
    return "; ".join(part for part in (text, rest, _why_dearer(way, ways, inputs)) if part)


def _why_dearer(way: Way, ways: Mapping[Way, Prediction], inputs: Inputs) -> str:
    """Why a way was chosen over one that is cheaper for this dispatch; empty if none is."""
    taken = ways[way].cost or 0.0
    less = [one for one, found in ways.items() if found.cost is not None and found.cost < taken]
    if Way.PLAIN in less:
        later = f"{inputs.rates.equivalents(ways[way].later):,.0f}"
        return f"later turns that share its prefix are expected to save {later}"
    return f"{less[0]} is not cheaper by more than {percent(TIE)}" if less else ""


class Template(StrEnum):
    FULL = "full"
    """Everything the role must know."""
    DELTA = "delta"
    """Into its session: what changed since its last turn."""
    FINAL = "final"
    """Into its session: what changed since it passed, to be checked once more."""
    FALLBACK = "fallback"
    """Full, with a line that the earlier session is not available, and the earlier findings."""
    FIX = "fix"
    """Everything, all files, the findings."""
    FIX_DELTA = "fix delta"
    """Into its session: new findings, changed files, all files."""

    @property
    def resumes(self) -> bool:
        return self in (Template.DELTA, Template.FINAL, Template.FIX_DELTA)


@dataclass(frozen=True, slots=True)
class Moment:
    """A dispatch about to be sent, as the matrix sees it."""

    actor: Actor
    first: bool
    """True if the role has not been asked yet in this loop; a rerun starts over."""
    session: bool = False
    """Its session is known."""
    can_resume: bool = True
    """The backend passed the resume check."""
    resume_error: str = ""
    """Why the session could not be resumed a moment ago."""
    final: bool = False
    """Final validation of a reviewer that has passed."""
    diff: Diff = Diff.CHANGED
    answers: bool = False
    delta_chars: int = 0
    """Characters of the whole delta prompt."""
    fresh_chars: int = 0
    """Characters of the role's latest fresh prompt."""

    def delta(self, *, guarded: bool) -> DeltaState:
        long = guarded and too_long(self.delta_chars, self.fresh_chars)
        return delta_of(self.diff, answers=self.answers, long=long)


class MatrixRow(NamedTuple):
    scenario: str
    template: Template
    actor: Actor
    first: bool | None = None
    can_resume: bool | None = None
    error: bool | None = None
    session: bool | None = None
    final: bool | None = None
    delta: DeltaState | None = None
    reset: bool = False
    """The kept session is replaced by the new one."""
    marker: bool = False
    """The review history says that resume fell back."""


REVIEWER, FIXER = Actor.REVIEWER, Actor.FIXER
MATRIX: tuple[MatrixRow, ...] = (
    MatrixRow("this turn opens a session", Template.FULL, Actor.LONE),
    MatrixRow("first look", Template.FULL, REVIEWER, first=True),
    MatrixRow("the backend can't resume", Template.FULL, REVIEWER, can_resume=False),
    MatrixRow("final validation, resume failed", Template.FALLBACK, REVIEWER,
        error=True, final=True, reset=True, marker=True),
    MatrixRow("resume failed", Template.FALLBACK, REVIEWER, error=True, reset=True, marker=True),
    MatrixRow("session lost", Template.FALLBACK, REVIEWER, session=False, reset=True, marker=True),
    MatrixRow("commit of its last look lost", Template.FALLBACK, REVIEWER,
        delta=DeltaState.LOST, reset=True, marker=True),
    MatrixRow("commit or diff failed",
    Template.FULL, REVIEWER, delta=DeltaState.FAILED, reset=True),
    MatrixRow("final validation", Template.FINAL, REVIEWER, final=True),
    MatrixRow("nothing changed, nothing answered", Template.FULL, REVIEWER,
        delta=DeltaState.EMPTY, reset=True),
    MatrixRow("delta over half of the fresh prompt", Template.FULL, REVIEWER,
        delta=DeltaState.TOO_LONG, reset=True),
    MatrixRow("only answers", Template.DELTA, REVIEWER, delta=DeltaState.ANSWERS),
    MatrixRow("failed before, delta fits", Template.DELTA, REVIEWER, delta=DeltaState.FITS),
    MatrixRow("first fix", Template.FIX, FIXER, first=True),
    MatrixRow("fix, the backend can't resume", Template.FIX, FIXER, can_resume=False),
    MatrixRow("fix, resume failed", Template.FIX, FIXER, error=True, reset=True, marker=True),
    MatrixRow("fix, session lost", Template.FIX, FIXER, session=False, reset=True, marker=True),
    MatrixRow("fix, commit of its last turn lost", Template.FIX, FIXER,
        delta=DeltaState.LOST, reset=True, marker=True),
    MatrixRow("fix, commit or diff failed",
    Template.FIX, FIXER, delta=DeltaState.FAILED, reset=True),
    MatrixRow("fix, nothing to tell", Template.FIX, FIXER, delta=DeltaState.EMPTY, reset=True),
    MatrixRow("fix, delta over half of the fresh prompt", Template.FIX, FIXER,
        delta=DeltaState.TOO_LONG, reset=True),
    MatrixRow("its session continues, delta fits", Template.FIX_DELTA, FIXER),
)  # fmt: skip


def row_for(moment: Moment, *, guarded: bool) -> MatrixRow:
    """The first row that fits; `guarded` counts characters as the original workflow does."""
    delta = moment.delta(guarded=guarded)
    seen = (
        moment.actor, moment.first, moment.can_resume, bool(moment.resume_error), moment.session,
        moment.final, delta,
    )  # fmt: skip
    return next(row for row in MATRIX if _fits(row, seen))


def _fits(row: MatrixRow, seen: tuple[object, ...]) -> bool:
    wanted = (row.actor, row.first, row.can_resume, row.error, row.session, row.final, row.delta)
    return all(want is None or want == have for want, have in zip(wanted, seen, strict=True))
