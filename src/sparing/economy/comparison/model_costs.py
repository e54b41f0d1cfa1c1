"""What the run would have cost if roles had worked on other models.

Models share no cache. So a role that shares a trunk with others and is moved to a cheaper model
alone writes that trunk again there, and may cost more than before: a change is priced for the whole
group that shares a trunk, and for its most expensive role alone. The calls are those that were
made, which is a guess: another model makes others.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Sequence
from dataclasses import replace
from typing import NamedTuple

from sparing.economy.comparison.recorded_turn import RecordedTurn
from sparing.economy.comparison.replay import ReplayRules, as_recorded, replay_bills
from sparing.economy.cost_model import Rates

RatesOf = Callable[[str], Rates]


class ModelChange(NamedTuple):
    """A group of roles moved to another model."""

    model: str
    cost: float
    """Cost of all its turns."""
    alone: float | None
    """Cost of all its turns if only the most expensive role is moved; None if it has one role."""


class GroupCost(NamedTuple):
    roles: tuple[str, ...]
    """The most expensive first."""
    models: tuple[str, ...]
    """The models that it used."""
    turns: int
    cost: float
    changes: tuple[ModelChange, ...]


def group_cost(
    turns: Sequence[RecordedTurn], models: Collection[str], rates_of: RatesOf
) -> GroupCost:
    """Cost of one group's turns, and on each of the `models` that it could have used instead."""
    bills = _costs(turns, rates_of)
    spent: dict[str, float] = {}
    for turn, cost in zip(turns, bills, strict=True):
        spent[turn.role] = spent.get(turn.role, 0.0) + cost
    roles = tuple(sorted(spent, key=lambda role: -spent[role]))
    used = tuple(dict.fromkeys(turn.model for turn in turns))
    changes = [_change(turns, roles, model, rates_of) for model in models if used != (model,)]
    return GroupCost(roles, used, len(turns), sum(bills), tuple(changes))


def _change(
    turns: Sequence[RecordedTurn], roles: Sequence[str], model: str, rates_of: RatesOf
) -> ModelChange:
    alone = _on(turns, roles[:1], model, rates_of) if len(roles) > 1 else None
    return ModelChange(model, _on(turns, roles, model, rates_of), alone)


def _on(
    turns: Sequence[RecordedTurn], roles: Collection[str], model: str, rates_of: RatesOf
) -> float:
    moved = [replace(turn, model=model) if turn.role in roles else turn for turn in turns]
    return sum(_costs(moved, rates_of))


def _costs(turns: Sequence[RecordedTurn], rates_of: RatesOf) -> list[float]:
    bills = replay_bills(turns, ReplayRules(as_recorded))
    return [rates_of(turn.model).price(bill) for turn, bill in zip(turns, bills, strict=True)]
