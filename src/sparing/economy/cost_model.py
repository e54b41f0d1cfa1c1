"""What a turn costs: the closed form, and the limits that follow from it.

Every call of a turn sends the whole context again, so a token in it is paid once as a write and
then at the read rate in each later call. From that one sum come the rules of thumb below: when a
resumed session pays, how large a shared trunk may be, what a lazy read adds. Prices are arguments,
in any one unit: dollars per million tokens, or multiples of the input price. Nothing here chooses;
`choose` does.

What may still be spent: the worst case of a turn, and a range for the stages to come.

The range comes from what the same stages took in this repository before: a tenth, half and nine
tenths of the features stayed below its three figures. If there are too few, it is the number of
dispatches times what one takes in a simulated feature of 76 dispatches: the low end with a small
client and every saving, the high end with the naive baseline, and as the median their geometric
mean, since costs are skewed. All are estimates.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from decimal import Decimal
from math import isqrt
from typing import NamedTuple, Protocol, assert_never

from sparing.cache import Life
from sparing.economy.prices import Price
from sparing.money import MILLION, Amount, to_nano
from sparing.usage import Usage

CALL_OUTPUT_TOKENS = 150
"""What a model answers to ask for a tool, its thinking included."""


class Expected(NamedTuple):
    """Tokens of a turn that has not happened yet, in the buckets of `Usage`; an expectation
    need not be whole."""

    uncached: float = 0
    read: float = 0
    write_5m: float = 0
    write_1h: float = 0
    output: float = 0


class ListedPrice(Protocol):
    """A price of a list, whatever its unit."""

    @property
    def input(self) -> Decimal: ...
    @property
    def output(self) -> Decimal: ...
    @property
    def read(self) -> Decimal: ...
    @property
    def write_5m(self) -> Decimal: ...
    @property
    def write_1h(self) -> Decimal: ...


@dataclass(frozen=True, slots=True)
class Rates:
    """The price of a token in each bucket. Read and write factors differ between models."""

    input: float
    output: float
    read: float
    write_5m: float
    write_1h: float

    def __post_init__(self) -> None:
        for name in ("input", "output", "read", "write_5m", "write_1h"):
            if getattr(self, name) < 0:
                raise ValueError(f"rates.{name} is negative; nobody is paid for tokens")

    @classmethod
    def of(cls, price: ListedPrice) -> Rates:
        return cls(
            float(price.input),
            float(price.output),
            float(price.read),
            float(price.write_5m),
            float(price.write_1h),
        )

    def write(self, life: Life) -> float:
        match life:
            case Life.FIVE_MINUTES:
                return self.write_5m
            case Life.ONE_HOUR:
                return self.write_1h
        assert_never(life)

    def price(self, tokens: Usage | Expected) -> float:
        return (
            self.input * tokens.uncached
            + self.read * tokens.read
            + self.write_5m * tokens.write_5m
            + self.write_1h * tokens.write_1h
            + self.output * tokens.output
        )

    def equivalents(self, cost: float) -> float:
        """A cost as the number of plain input tokens that cost as much."""
        return cost / self.input if self.input else 0.0


TYPICAL = Rates(input=1, output=5, read=0.1, write_5m=1.25, write_1h=2)
"""Multiples of the input price. Comparing ways to send a dispatch needs only ratios, so these
serve if a model's prices are unknown; they are never shown as an amount of money."""


@dataclass(frozen=True, slots=True)
class TurnWork:
    """What a turn does beyond its prompt."""

    calls: float
    growth: float
    """Tokens added to the context during the turn: tool results and the calls for them."""
    output: float
    early: float = 0
    """Part of what is added: tokens that are read first, and therefore sent in every call but
    the first."""

    def __post_init__(self) -> None:
        if self.calls < 1 or self.growth < 0 or self.output < 0 or self.early < 0:
            raise ValueError(f"{self} is no turn: it makes a call and takes nothing back")


def turn_tokens(first: Expected, work: TurnWork, life: Life = Life.FIVE_MINUTES) -> Expected:
    """All tokens of a turn, from how its first call's prompt splits into buckets.

    Later calls read that prompt; growth is written once, in entries of `life`, and read by half
    of the later calls on average, what comes early by all that follow. A prompt of which nothing
    is cached or written is too short for a cache and is paid in full by every call.
    """
    later = work.calls - 1
    context = first.uncached + first.read + first.write_5m + first.write_1h
    if first.uncached == context:
        whole = work.calls * context + work.calls / 2 * work.growth + later * work.early
        return Expected(uncached=whole, output=work.output)
    hour, grown = life is Life.ONE_HOUR, work.growth + work.early
    return Expected(
        uncached=first.uncached,
        read=first.read
        + later * context
        + later / 2 * work.growth
        + max(0, later - 1) * work.early,
        write_5m=first.write_5m + (0 if hour else grown),
        write_1h=first.write_1h + (grown if hour else 0),
        output=work.output,
    )


def turn_cost(rates: Rates, context: float, uncached: float, work: TurnWork) -> float:
    """`r·n·(C − u) + (w + r(n − 1))·u + (w + r(n − 1)/2)·g + o·out`: C tokens of context, u of
    them not cached yet, n calls, growth g."""
    first = Expected(read=context - uncached, write_5m=uncached)
    return rates.price(turn_tokens(first, work))


ENOUGH = 3
"""Features that must have passed a stage before its history counts."""


class Taken(NamedTuple):
    """What one dispatch takes on average: tokens, and the same priced as plain input tokens."""

    tokens: int
    priced: int


LOW = Taken(204_000, 51_000)
HIGH = Taken(422_000, 112_000)


class PricedDispatches(NamedTuple):
    least: int
    most: int
    price: Price | None


@dataclass(frozen=True, slots=True)
class Ahead:
    """A stage to come: the least and the most dispatches it may need, and its model's price."""

    stage: str
    least: int
    most: int
    price: Price | None
    others: tuple[PricedDispatches, ...] = ()
    """The dispatches among these that other models do."""


@dataclass(frozen=True, slots=True)
class Range:
    low: Amount
    median: Amount
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
    """What a turn costs if it uses its whole limit, each token in the most expensive bucket."""
    if price is None or limit.nano_usd is None:
        return Amount(limit.tokens, None)
    dearest = to_nano(price.dearest * limit.tokens / MILLION)
    return Amount(limit.tokens, min(limit.nano_usd, dearest))


def forecast(ahead: Sequence[Ahead], history: Mapping[str, Sequence[Amount]]) -> Range:
    known = [before for stage in ahead if len(before := history.get(stage.stage, ())) >= ENOUGH]
    guesses = [_guesses(one) for one in ahead if len(history.get(one.stage, ())) < ENOUGH]
    low, high = add([low for low, _ in guesses]), add([high for _, high in guesses])
    seen = [[_quantile(before, share) for before in known] for share in (0.1, 0.5, 0.9)]
    guessed = (low, _between(low, high), high)
    lows, medians, highs = (add([*one, more]) for one, more in zip(seen, guessed, strict=True))
    return Range(lows, medians, highs, len(ahead), len(known))


def _guesses(stage: Ahead) -> tuple[Amount, Amount]:
    least = stage.least - sum(one.least for one in stage.others)
    most = stage.most - sum(one.most for one in stage.others)
    low = [_guess(one.least, LOW, one.price) for one in stage.others]
    high = [_guess(one.most, HIGH, one.price) for one in stage.others]
    low.append(_guess(least, LOW, stage.price))
    high.append(_guess(most, HIGH, stage.price))
    return add(low), add(high)


def _between(low: Amount, high: Amount) -> Amount:
    money = None
    if low.nano_usd is not None and high.nano_usd is not None:
        money = isqrt(low.nano_usd * high.nano_usd)
    return Amount(isqrt(low.tokens * high.tokens), money)


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
    """Quantile by nearest rank, for money and tokens separately."""

    def ranked(values: Sequence[int]) -> int:
        place = int(Decimal(str(share)) * (len(values) - 1) + Decimal("0.5"))
        return sorted(values)[place]

    money = [amount.nano_usd for amount in amounts if amount.nano_usd is not None]
    return Amount(
        ranked([amount.tokens for amount in amounts]),
        ranked(money) if len(money) == len(amounts) else None,
    )
