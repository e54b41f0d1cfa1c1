"""Which way to send a dispatch, with the reason in words.

The decision is a value: the way, what every way was expected to cost, which template the words
come from, and what it means for the session that was kept. Policies differ in the choice only:
what a role must know is the same under each of them.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, replace
from types import MappingProxyType
from typing import assert_never

from sparing.economy.guard import DeltaState
from sparing.economy.matrix import MatrixRow, Moment, Template, row_for
from sparing.economy.predict import Inputs, Prediction, predict
from sparing.way import Policy, Way

NOTHING: Mapping[Way, str] = MappingProxyType({})
TIE = 0.01
"""Ways whose predictions differ by no more of it are taken to cost the same."""
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


def decide_way(
    policy: Policy, moment: Moment, inputs: Inputs, barred: Mapping[Way, str] = NOTHING
) -> WayDecision:
    """`barred`: ways that are on offer and not to be taken, with the reason."""
    if Way.COMPOSE not in inputs.offers:
        raise ValueError("compose is always on offer")
    predictions = predict(inputs)
    match policy:
        case Policy.FRESH | Policy.NAIVE:
            reason = f"policy {policy}: every dispatch from nothing"
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
    """The cheapest way among those that tell the agent all it must know."""
    row = row_for(moment, guarded=False)
    barred = {**_barred(row, moment, inputs), **unwanted}
    ways = {way: found for way, found in predictions.items() if way not in barred}
    way = cheapest(ways)
    compared = _compared(way, ways, inputs)
    reason = f"{barred[Way.RESUME]}; {compared}" if Way.RESUME in barred else compared
    if row.template.resumes and way is not Way.RESUME:
        return WayDecision(way, predictions, reason, _full(moment), reset=True, marker=False)
    return WayDecision(way, predictions, reason, row.template, row.reset, row.marker)


def _barred(row: MatrixRow, moment: Moment, inputs: Inputs) -> dict[Way, str]:
    """Ways that are not taken at any price."""
    if not row.template.resumes:
        return {Way.RESUME: row.scenario}
    if moment.delta(guarded=False) is DeltaState.EMPTY:
        return {Way.RESUME: "nothing changed, nothing answered"}
    if inputs.share.misses:
        seen = f"{inputs.share.mean:.0%} of it in {inputs.share.resumes} resumes"
        reason = f"this client reads too little of a resumed transcript from the cache, {seen}"
        return {Way.RESUME: reason, Way.FORK: reason}
    return {}


def _full(moment: Moment) -> Template:
    """As the matrix has it for whoever is asked for the first time."""
    return row_for(replace(moment, first=True), guarded=False).template


def cheapest(predictions: Mapping[Way, Prediction]) -> Way:
    """Of ways that cost about as much the simpler one: a composed prompt also fills the cache for
    those who share its trunk. Composing is always possible."""
    best, least = Way.COMPOSE, math.inf
    for way in SIMPLEST_FIRST:
        found = predictions.get(way)
        if found is not None and found.cost is not None and found.cost < least:
            best, least = way, (1 - TIE) * found.cost
    return best


def _compared(way: Way, ways: Mapping[Way, Prediction], inputs: Inputs) -> str:
    worth = {
        name: f"{inputs.rates.equivalents(found.cost):,.0f}"
        for name, found in ways.items()
        if found.cost is not None
    }
    text = f"{way} costs as much as {worth.pop(way)} input tokens ({ways[way].words})"
    rest = ", ".join(f"{other} {size}" for other, size in worth.items())
    return f"{text}; {rest}" if rest else text
