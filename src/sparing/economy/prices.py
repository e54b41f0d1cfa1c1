"""Prices as data: what a model's tokens cost, bucket by bucket.

They come from the user's own settings, else from a price list that ships with a library and is
read offline. A model that is in neither has no price: its cost is unknown, which is not zero.

What a library's list says of a model: its prices and its window, read offline.

The list is loaded when a model is first looked up: that takes as long as everything else that
a short command does.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from decimal import Decimal
from functools import cache
from typing import TYPE_CHECKING, NamedTuple

from sparing.money import MILLION, to_nano
from sparing.usage import Usage

if TYPE_CHECKING:
    from genai_prices.types import PriceCalculation


@dataclass(frozen=True, slots=True)
class Price:
    """US dollars for a million tokens."""

    input: Decimal
    output: Decimal
    read: Decimal
    write_5m: Decimal
    write_1h: Decimal

    @property
    def dearest(self) -> Decimal:
        return max(self.input, self.output, self.read, self.write_5m, self.write_1h)


SEARCH_USD = Decimal("0.01")
"""Of one search of the web, by the list of the one provider that makes them here."""
Own = Mapping[str, Price]
"""Prices that the user has set, by model."""


def own_prices(lines: Iterable[str]) -> Own:
    """From lines as the setting `models.prices` has them; the last one for a model counts."""
    parted = (line.split(" ") for line in lines)
    return {name: Price(*map(Decimal, numbers)) for name, *numbers in parted}


def price_of(model: str, own: Own, prompt_tokens: int = 0) -> Price | None:
    """Some models charge more for every token of a call whose prompt exceeds a size."""
    if model in own:
        return own[model]
    listed = listed_prices(model)
    if listed is None:
        return None
    plain, output = _at(listed.input, prompt_tokens), _at(listed.output, prompt_tokens)
    if plain is None or output is None:
        return None
    read, write = _at(listed.read, prompt_tokens), _at(listed.write_5m, prompt_tokens)
    long = _at(listed.write_1h, prompt_tokens)
    write = plain if write is None else write
    return Price(
        input=plain,
        output=output,
        read=plain if read is None else read,
        write_5m=write,
        write_1h=write if long is None else long,
    )


def _at(listed: ListedPrice | None, prompt_tokens: int) -> Decimal | None:
    return None if listed is None else listed.at(prompt_tokens)


def cost_usd(model: str, usage: Usage, own: Own, prompt_tokens: int = 0) -> Decimal | None:
    """`prompt_tokens` is the size of the turn's largest call."""
    price = price_of(model, own, prompt_tokens)
    if price is None:
        return None
    return (
        usage.uncached * price.input
        + usage.read * price.read
        + usage.write_5m * price.write_5m
        + usage.write_1h * price.write_1h
        + usage.output * price.output
    ) / MILLION


def cost_nano(
    model: str, usage: Usage, own: Own, prompt_tokens: int = 0, searches: int = 0
) -> int | None:
    cost = cost_usd(model, usage, own, prompt_tokens)
    return None if cost is None else to_nano(cost + searches * SEARCH_USD)


class ListedPrice(NamedTuple):
    """US dollars for a million tokens, and what every token costs beyond a prompt of some size."""

    base: Decimal
    beyond: tuple[tuple[int, Decimal], ...] = ()

    def at(self, prompt_tokens: int) -> Decimal:
        higher = [price for start, price in self.beyond if prompt_tokens > start]
        return higher[-1] if higher else self.base


class ListedPrices(NamedTuple):
    input: ListedPrice | None
    output: ListedPrice | None
    read: ListedPrice | None
    write_5m: ListedPrice | None
    write_1h: ListedPrice | None


@cache
def listed_prices(model: str) -> ListedPrices | None:
    found = _looked_up(model)
    if found is None:
        return None
    price = found.model_price
    return ListedPrices(
        input=_price(price.input_mtok),
        output=_price(price.output_mtok),
        read=_price(price.cache_read_mtok),
        write_5m=_price(price.cache_write_mtok),
        write_1h=_price(price.cache_write_1h_mtok),
    )


@cache
def listed_window(model: str) -> int | None:
    found = _looked_up(model)
    return None if found is None else found.model.context_window


def _price(listed: object) -> ListedPrice | None:
    from genai_prices.types import TieredPrices

    if isinstance(listed, TieredPrices):
        return ListedPrice(listed.base, tuple((tier.start, tier.price) for tier in listed.tiers))
    return ListedPrice(listed) if isinstance(listed, Decimal) else None


def _looked_up(model: str) -> PriceCalculation | None:
    import genai_prices

    try:
        return genai_prices.calc_price(genai_prices.Usage(input_tokens=0), model_ref=model)
    except LookupError:
        return None
