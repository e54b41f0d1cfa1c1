"""What a turn costs: the closed form, and the limits that follow from it.

Every call of a turn sends the whole context again, so a token in it is paid once as a write and
then at the read rate in each later call. From that one sum come the rules of thumb below: when a
resumed session pays, how fat a shared trunk may be, what a lazy read adds. Prices are arguments,
in any one unit: dollars per million tokens, or multiples of the input price. Nothing here
chooses; `choose` does.
"""

from __future__ import annotations

from dataclasses import dataclass
from decimal import Decimal
from typing import NamedTuple, Protocol, assert_never

from sparing.cache import Life
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
"""Multiples of the input price. Which way is cheaper needs ratios only, so these serve where a
model's prices are unknown; they never become an amount of money."""


@dataclass(frozen=True, slots=True)
class TurnWork:
    """What a turn does beyond its prompt."""

    calls: float
    growth: float
    """Tokens that join the context on the way: tool results, and what was typed to get them."""
    output: float
    early: float = 0
    """Of what joins the context: tokens that are read before all else, and so by every call but
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
