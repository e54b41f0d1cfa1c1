"""Raising a cap: a person allows more to be spent, so that the work continues.

Limits only ever go up here. A feature parked by a cap continues as soon as the next turn fits;
until then it stays where it is and says what still blocks it.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, replace

from sparing.desk.gates import answers
from sparing.desk.money.cost import limits_of, whose_of
from sparing.desk.office import Office, settings_of
from sparing.errors import FeatureError, UsageError
from sparing.feature import FeatureStatus
from sparing.flow.flows import FLOWS
from sparing.flow.state import Cause, FlowState, Position
from sparing.money import (
    MOST_USD,
    NANO,
    Amount,
    CapLimits,
    CapMeasure,
    CapScope,
    Reached,
    day_of,
)
from sparing.records import caps, events, shared_spending
from sparing.records.features import FeatureRow


@dataclass(frozen=True, slots=True)
class CapRequest:
    """A person's request for new limits of one scope."""

    scope: CapScope
    stage: str
    """The stage, if the scope is STAGE."""
    amounts: Mapping[CapMeasure, int]


@dataclass(frozen=True, slots=True)
class RaisedCap:
    parked: bool
    """Whether a cap had stopped the feature."""
    stands: Reached | None
    """The cap that still blocks it; None if the feature continues."""


def stopped_by(office: Office, row: FeatureRow) -> Reached | None:
    """The cap that parked a feature; None if none did."""
    state = FlowState.load(row.place["state"])
    if state.position is not Position.STUCK or state.cause is not Cause.BUDGET or row.running:
        return None
    with office.database.read() as connection:
        event = events.last(connection, row.feature.key, "budget")
    return Reached.load(event.data) if event else None


def raise_command(office: Office, row: FeatureRow, at: float) -> str:
    """Suggest half as much again: a limit higher than the current one."""
    now = limits_of(office, row, at).feature.of(CapMeasure.MONEY) or 0
    usd = max(1, math.ceil(1.5 * now / NANO))
    return f"sparing raise {row.feature.id} --money {min(usd, MOST_USD)}"


def raise_caps(
    office: Office, row: FeatureRow, wish: CapRequest, sender: str, at: float
) -> RaisedCap:
    if row.status in (FeatureStatus.COMPLETED, FeatureStatus.ABANDONED):
        number = row.feature.id
        raise FeatureError(f"feature {number} is {row.status}", f"sparing show {number}")
    name = _name(row, wish, at)
    reached = stopped_by(office, row)
    if not wish.amounts and reached is None:
        raise UsageError(
            "name what to raise: money, tokens or attempts",
            raise_command(office, row, at),
        )
    _record(office, row, wish, name, sender, at)
    if reached is None:
        return RaisedCap(parked=False, stands=None)
    stands = still_reached(office, row, reached, at)
    if stands is None:
        answers.go_on(office, row, sender, at)
    elif not wish.amounts:
        raise UsageError(stands.words, f"sparing raise {row.feature.id} {stands.advice}")
    return RaisedCap(parked=True, stands=stands)


def _name(row: FeatureRow, wish: CapRequest, at: float) -> str:
    if wish.scope is CapScope.DAY:
        return day_of(at)
    if wish.scope is not CapScope.STAGE:
        return ""
    names = FLOWS[row.feature.flow].names
    if wish.stage not in names:
        raise UsageError(
            f"the flow {row.feature.flow} has no stage '{wish.stage}'",
            f"its stages: {', '.join(names)}",
        )
    return wish.stage


def _record(
    office: Office, row: FeatureRow, wish: CapRequest, name: str, sender: str, at: float
) -> None:
    """Record all limits or none; one that already applies is no error."""
    own = settings_of(office, row).caps.limits
    whose = caps.Whose(row.feature.key, name if wish.scope is CapScope.STAGE else "", day_of(at))
    with office.database.write() as tx:
        limits = caps.in_force(tx, own, whose)
        for measure, amount in wish.amounts.items():
            now = _limit(limits, wish.scope, measure)
            if amount < now:
                there = Reached(wish.scope, name, measure, 0, 0, now)
                raise UsageError(
                    f"{measure} of {wish.scope} {name}".rstrip()
                    + f" already goes up to {there.shown(now)}; this command only raises caps",
                    f"sparing cost {row.feature.id}",
                )
            if amount > now:
                key = row.feature.key
                given = caps.Raise(key, wish.scope, name, measure, amount, sender, at)
                caps.record(tx, given)


def still_reached(office: Office, row: FeatureRow, reached: Reached, at: float) -> Reached | None:
    """The cap with current spending and limit; None if it no longer blocks the feature."""
    limits = limits_of(office, row, at)
    if reached.scope is CapScope.ALL:
        with office.folder.shared_spending().read() as connection:
            spent = shared_spending.spent(connection, day_of(at)).of(reached.measure) or 0
        reached = replace(reached, name=day_of(at), spent=spent)
    limit = _limit(limits, reached.scope, reached.measure)
    now = replace(reached, limit=limit)
    if reached.scope in (CapScope.FEATURE, CapScope.STAGE, CapScope.DAY):
        with office.database.read() as connection:
            held = caps.standings(connection, limits, whose_of(row, at))
        standing = next(one for one in held if one.scope is reached.scope)
        spent = standing.spent.of(reached.measure) or 0
        now = replace(now, name=standing.name, spent=spent)
    return now if now.enough > limit else None


def _limit(limits: CapLimits, scope: CapScope, measure: CapMeasure) -> int:
    amounts: dict[CapScope, Amount] = {
        CapScope.FEATURE: limits.feature,
        CapScope.STAGE: limits.stage,
        CapScope.DAY: limits.day,
        CapScope.TURN: limits.turn,
        CapScope.ALL: limits.all_day,
    }
    return limits.attempts if scope is CapScope.DISPATCH else amounts[scope].of(measure) or 0
