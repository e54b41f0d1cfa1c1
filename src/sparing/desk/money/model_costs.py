"""What a feature would have cost on other models, group by group of those who share a trunk."""

from __future__ import annotations

from functools import partial

from sparing.desk.money.feature_records import Basis
from sparing.desk.money.lever_savings import recorded_of
from sparing.desk.office import Office, settings_of
from sparing.economy.comparison.model_costs import GroupCost, group_cost
from sparing.economy.comparison.recorded_turn import RecordedTurn
from sparing.economy.cost_model import Rates
from sparing.economy.prices import Own, price_of
from sparing.money import MILLION
from sparing.report.model_costs import ModelCosts, ModelRow, OnModel

CLASSES = ("strong", "standard", "cheap")
"""As the settings name them, the strongest first."""


def model_costs(office: Office, basis: Basis) -> ModelCosts:
    """Nothing where a price is not known, or where all classes are one model."""
    found = recorded_of(office, basis)
    known = _classes(office, basis, found.own)
    if not found.priced or len(set(known.values())) < 2:
        return ModelCosts()
    groups: dict[str, list[RecordedTurn]] = {}
    for row, turn in zip(found.rows, found.turns, strict=True):
        group = row.attempt.sent.group or ""
        if group and not turn.ping:
            groups.setdefault(group, []).append(turn)
    wanted, rates = dict.fromkeys(known.values()), partial(_rates, own=found.own)
    rows = [_row(name, group_cost(turns, wanted, rates), known) for name, turns in groups.items()]
    return ModelCosts(tuple(known.items()), tuple(sorted(rows, key=lambda row: -row.cost_usd)))


def _rates(model: str, own: Own) -> Rates:
    price = price_of(model, own)
    assert price is not None
    return Rates.of(price)


def _classes(office: Office, basis: Basis, own: Own) -> dict[str, str]:
    """The models that have a price, by class."""
    settings = settings_of(office, basis.row)
    named = {name: settings.models.of(name, settings.agent.backend) for name in CLASSES}
    return {name: model for name, model in named.items() if price_of(model, own) is not None}


def _row(group: str, found: GroupCost, classes: dict[str, str]) -> ModelRow:
    changed = {one.model: one for one in found.changes}
    return ModelRow(
        group=group,
        roles=found.roles,
        models=found.models,
        turns=found.turns,
        cost_usd=found.cost / MILLION,
        on=tuple(
            OnModel(
                name,
                changed[model].cost / MILLION,
                None if (alone := changed[model].alone) is None else alone / MILLION,
            )
            for name, model in classes.items()
            if model in changed
        ),
    )
