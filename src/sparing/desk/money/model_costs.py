"""What a feature would have cost on other models, for each group of roles sharing a trunk."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial

from sparing.desk.money.feature_records import Basis
from sparing.desk.money.lever_savings import recorded_of
from sparing.desk.office import Office, settings_of
from sparing.economy.comparison.model_costs import GroupCost, group_cost
from sparing.economy.comparison.recorded_turn import RecordedTurn
from sparing.economy.cost_model import Rates
from sparing.economy.prices import Own, price_of
from sparing.money import MILLION, to_usd
from sparing.report.model_costs import ModelCosts, ModelRow, OnModel

CLASSES = ("strong", "standard", "cheap")
"""Model classes as the settings name them, the strongest first."""


def model_costs(office: Office, basis: Basis) -> ModelCosts:
    """Empty if a price is unknown, or if all classes use the same model."""
    found = recorded_of(office, basis)
    known = _classes(office, basis, found.own)
    if not found.priced or len(set(known.values())) < 2:
        return ModelCosts()
    groups: dict[str, list[RecordedTurn]] = {}
    bills: dict[str, list[int | None]] = {}
    for row, turn in zip(found.rows, found.turns, strict=True):
        group = row.attempt.sent.group or ""
        if group and not turn.ping:
            groups.setdefault(group, []).append(turn)
            bills.setdefault(group, []).append(row.result.nano_usd if row.result else None)
    wanted, rates = dict.fromkeys(known.values()), partial(_rates, own=found.own)
    rows = [
        _row(name, group_cost(turns, wanted, rates), _billed(bills[name]), known)
        for name, turns in groups.items()
    ]
    return ModelCosts(tuple(known.items()), tuple(sorted(rows, key=lambda row: -row.cost_usd)))


def _billed(bills: Sequence[int | None]) -> float | None:
    """The sum in US dollars; None if a bill is unknown."""
    known = [bill for bill in bills if bill is not None]
    return float(to_usd(sum(known))) if len(known) == len(bills) else None


def _rates(model: str, own: Own) -> Rates:
    price = price_of(model, own)
    assert price is not None
    return Rates.of(price)


def _classes(office: Office, basis: Basis, own: Own) -> dict[str, str]:
    """The models that have a price, by class."""
    settings = settings_of(office, basis.row)
    named = {name: settings.models.of(name, settings.agent.backend) for name in CLASSES}
    return {name: model for name, model in named.items() if price_of(model, own) is not None}


def _row(group: str, found: GroupCost, billed: float | None, classes: dict[str, str]) -> ModelRow:
    """A group is replayed in isolation, but its bill reflects what others had cached for it: so
    the difference a model makes is added to the bill."""
    changed = {one.model: one for one in found.changes}
    replayed = found.cost / MILLION
    more = 0.0 if billed is None else billed - replayed
    return ModelRow(
        group=group,
        roles=found.roles,
        models=found.models,
        turns=found.turns,
        cost_usd=replayed + more,
        on=tuple(
            OnModel(
                name,
                changed[model].cost / MILLION + more,
                None if (alone := changed[model].alone) is None else alone / MILLION + more,
            )
            for name, model in classes.items()
            if model in changed
        ),
    )
