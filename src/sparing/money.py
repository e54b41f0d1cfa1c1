"""Caps: the most that may be spent on something before work stops for a person.

A cap has a scope (whose spending), a measure (of what) and a limit. `Reached` has all three with
the value, because a stop must be understood to be answered.

Amounts of money: whole billionths of a US dollar, so that sums are exact wherever they are made.

A single cached token of the cheapest model costs ten of them. People read and write dollars; only
these functions convert between the two.
"""

from __future__ import annotations

from datetime import UTC, datetime
from enum import StrEnum
from typing import TYPE_CHECKING, assert_never

from sparing.codec import Stored
from sparing.lazy_dataclass import lazy_dataclass

if TYPE_CHECKING:
    from decimal import Decimal


class CapScope(StrEnum):
    FEATURE = "feature"
    """One feature, from its first dispatch on."""
    STAGE = "stage"
    """One stage of one feature, however often it runs."""
    DAY = "day"
    """Everything in this repository's state folder on one day, by UTC."""
    ALL = "all repositories"
    """Everything that this user, or everyone on one shared database, spends on one day."""
    TURN = "turn"
    """One try at one dispatch: what is reserved before it is sent."""
    DISPATCH = "dispatch"
    """All tries at one dispatch."""


def day_of(at: float) -> str:
    """The day that a moment counts toward in a daily cap."""
    return datetime.fromtimestamp(at, UTC).date().isoformat()


class CapMeasure(StrEnum):
    TOKENS = "tokens"
    MONEY = "money"
    ATTEMPTS = "attempts"


@lazy_dataclass
class Amount:
    """Tokens of every bucket, and money in billionths of a dollar if the price is known."""

    tokens: int
    nano_usd: int | None

    def of(self, measure: CapMeasure) -> int | None:
        return self.nano_usd if measure is CapMeasure.MONEY else self.tokens


MOST_USD = 1_000_000
MOST_TOKENS = 1_000_000_000_000
NO_LIMIT = Amount(MOST_TOKENS, MOST_USD * 1_000_000_000)
"""The highest cap that can be set; for a cap over all repositories it means no cap."""


@lazy_dataclass
class CapLimits:
    feature: Amount
    stage: Amount
    day: Amount
    turn: Amount
    attempts: int
    all_day: Amount = NO_LIMIT

    @property
    def spans_repositories(self) -> bool:
        return self.all_day != NO_LIMIT


@lazy_dataclass
class Reached(Stored):
    """A cap that blocks the next turn."""

    scope: CapScope
    name: str
    """The stage or the day; empty for other scopes."""
    measure: CapMeasure
    spent: int
    wanted: int
    """The most that the next turn may take."""
    limit: int

    @property
    def words(self) -> str:
        whose = f"{self.scope} {self.name}" if self.name else f"this {self.scope}"
        spent, limit = self.shown(self.spent), self.shown(self.limit)
        if self.measure is CapMeasure.ATTEMPTS:
            return f"{self.measure} of {whose}: {spent} made, the limit is {limit}"
        wanted = self.shown(self.wanted)
        words = (
            f"{self.measure} of {whose}: {spent} spent or reserved,"
            f" the next turn may take {wanted}, the limit is {limit}"
        )
        return f"{words}; to raise it: {self._setting}" if self.scope is CapScope.ALL else words

    @property
    def _setting(self) -> str:
        unit = "usd" if self.measure is CapMeasure.MONEY else "tokens"
        amount = max(self.enough, 2 * self.limit)
        given = _cents(amount) if self.measure is CapMeasure.MONEY else str(amount)
        return f"sparing config set caps.all_day_{unit} {given}"

    @property
    def enough(self) -> int:
        """The lowest limit that allows the turn."""
        return self.spent + self.wanted

    @property
    def advice(self) -> str:
        """Options of `sparing raise` that are generous enough to be of use."""
        amount = max(self.enough, 2 * self.limit)
        given = str(amount) if self.measure is not CapMeasure.MONEY else _cents(amount)
        option = f"--{self.measure} {given}"
        match self.scope:
            case CapScope.STAGE:
                return f"--stage {self.name} {option}"
            case CapScope.DAY | CapScope.TURN:
                return f"--{self.scope} {option}"
            case CapScope.FEATURE | CapScope.DISPATCH:
                return option
            case CapScope.ALL:  # a setting, not a raise: `words` names it
                return ""
            case _:
                assert_never(self.scope)

    def shown(self, value: int) -> str:
        return dollars(value) if self.measure is CapMeasure.MONEY else f"{value:,}"


def _cents(nano: int) -> str:
    """Dollars rounded up to cents, so that what is advised is enough."""
    from decimal import ROUND_CEILING, Decimal

    return str(to_usd(nano).quantize(Decimal("0.01"), ROUND_CEILING))


NANO = 1_000_000_000
MILLION = 1_000_000
"""The number of tokens that price lists refer to."""


class Billing(StrEnum):
    """How a login pays."""

    API = "api"
    SUBSCRIPTION = "subscription"
    """Money is then what the tokens would have cost individually; caps on money ignore it."""


def to_nano(usd: Decimal | float | str) -> int:
    """Convert, rounding up: a cost is never recorded as less than it is."""
    from decimal import ROUND_CEILING, Decimal

    exact = usd if isinstance(usd, Decimal) else Decimal(str(usd))
    return int((exact * NANO).to_integral_value(ROUND_CEILING))


def to_usd(nano: int) -> Decimal:
    from decimal import Decimal

    return Decimal(nano) / NANO


def usd_or_none(nano: int | None) -> float | None:
    """Dollars for JSON, where an unknown amount is null."""
    return None if nano is None else float(to_usd(nano))


def dollars(nano: int | None) -> str:
    """Two decimals from one dollar on, three below; unknown is a word, never zero."""
    if nano is None:
        return "unknown"
    return f"${to_usd(nano):,.2f}" if nano >= NANO else f"${to_usd(nano):.3f}"
