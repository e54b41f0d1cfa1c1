"""Amounts of money: whole billionths of a US dollar, so that sums are exact wherever they are made.

A single cached token of the cheapest model costs ten of them. People read and write dollars;
these functions are the only way between the two.
"""

from __future__ import annotations

from decimal import ROUND_CEILING, Decimal
from enum import StrEnum

NANO = 1_000_000_000
MILLION = 1_000_000
"""Price lists say what so many tokens cost."""


class Billing(StrEnum):
    """How a login pays."""

    API = "api"
    SUBSCRIPTION = "subscription"
    """Money is then what the tokens would have cost by the token; caps on money don't count it."""


def to_nano(usd: Decimal | float | str) -> int:
    """Rounded up: a bill is never recorded as less than it is."""
    exact = usd if isinstance(usd, Decimal) else Decimal(str(usd))
    return int((exact * NANO).to_integral_value(ROUND_CEILING))


def to_usd(nano: int) -> Decimal:
    return Decimal(nano) / NANO


def usd_or_none(nano: int | None) -> float | None:
    """For JSON, where an unknown amount is null."""
    return None if nano is None else float(to_usd(nano))


def dollars(nano: int | None) -> str:
    """Cents from a dollar on, three decimals below; unknown is a word, never zero."""
    if nano is None:
        return "unknown"
    return f"${to_usd(nano):,.2f}" if nano >= NANO else f"${to_usd(nano):.3f}"
