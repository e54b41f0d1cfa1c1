"""What may still be spent: the worst case of a turn, and a range for the stages to come.

The range comes from what the same stages took in this repository before. Where too few did, it
is dispatches times what one takes in a simulated feature of 76 dispatches: the low end with a
small client and everything saved that can be, the high end the naive way. Both are estimates.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from decimal import Decimal
from typing import NamedTuple

from sparing.cap import Amount
from sparing.economy.prices import Price
from sparing.money import MILLION, to_nano

ENOUGH = 3
"""So many features must have passed a stage before its history counts."""


class Taken(NamedTuple):
    """What one dispatch takes on average: tokens, and the same priced as plain input tokens."""

    tokens: int
    priced: int


LOW = Taken(204_000, 51_000)
HIGH = Taken(422_000, 112_000)


@dataclass(frozen=True, slots=True)
class Ahead:
    """A stage to come: the least and the most dispatches it may need, and its model's price."""

    stage: str
    least: int
    most: int
    price: Price | None


@dataclass(frozen=True, slots=True)
class Range:
    low: Amount
    high: Amount
    stages: int
    learned: int
    """How many of the stages are forecast from this repository's own history."""

    @property
    def basis(self) -> str:
        if not self.learned:
            return "from a simulated workload"
        if self.learned == self.stages:
            return "from features here"
        return f"{self.learned} of {self.stages} stages from features here"


def worst_case(limit: Amount, price: Price | None) -> Amount:
    """What a turn takes if it uses all it may, each token in the dearest bucket."""
    if price is None or limit.nano_usd is None:
        return Amount(limit.tokens, None)
    dearest = to_nano(price.dearest * limit.tokens / MILLION)
    return Amount(limit.tokens, min(limit.nano_usd, dearest))


def forecast(ahead: Sequence[Ahead], history: Mapping[str, Sequence[Amount]]) -> Range:
    lows: list[Amount] = []
    highs: list[Amount] = []
    learned = 0
    for stage in ahead:
        before = history.get(stage.stage, ())
        if len(before) >= ENOUGH:
            learned += 1
            lows.append(_quantile(before, 0.1))
            highs.append(_quantile(before, 0.9))
        else:
            lows.append(_guess(stage.least, LOW, stage.price))
            highs.append(_guess(stage.most, HIGH, stage.price))
    return Range(add(lows), add(highs), len(ahead), learned)


def add(amounts: Sequence[Amount]) -> Amount:
    """Money is unknown as soon as a part of it is."""
    known = [amount.nano_usd for amount in amounts if amount.nano_usd is not None]
    money = sum(known) if len(known) == len(amounts) else None
    return Amount(sum(amount.tokens for amount in amounts), money)


def _guess(dispatches: int, taken: Taken, price: Price | None) -> Amount:
    money = None
    if price is not None:
        money = to_nano(price.input * dispatches * taken.priced / MILLION)
    return Amount(dispatches * taken.tokens, money)


def _quantile(amounts: Sequence[Amount], share: float) -> Amount:
    """By nearest rank, money and tokens each for themselves."""

    def ranked(values: Sequence[int]) -> int:
        place = int(Decimal(str(share)) * (len(values) - 1) + Decimal("0.5"))
        return sorted(values)[place]

    money = [amount.nano_usd for amount in amounts if amount.nano_usd is not None]
    return Amount(
        ranked([amount.tokens for amount in amounts]),
        ranked(money) if len(money) == len(amounts) else None,
    )
