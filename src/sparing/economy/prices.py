"""Prices as data: what a model's tokens cost, bucket by bucket.

They come from the user's own settings, else from a price list that ships with a library and is read
offline. A model that is in neither has no price: its cost is unknown, which is not zero.

What a library's list says about a model: its prices and its window, read offline.

The list is loaded when a model is first looked up: that takes as long as everything else that a
short command does.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from decimal import Decimal
from functools import cache
from typing import TYPE_CHECKING, NamedTuple

from sparing.backend_name import model_vendor
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


MARKING = "Anthropic"
"""The vendor that charges for what is written into its cache."""
SEARCH_USD = Decimal("0.01")
"""Price of one web search, from the list of the only provider that makes them here."""
Own = Mapping[str, Price]
"""Prices that the user has set, by model."""


def own_prices(lines: Iterable[str]) -> Own:
    """Parse lines of the setting `models.prices`; the last one for a model counts."""
    parted = (line.split(" ") for line in lines)
    return {name: Price(*map(Decimal, numbers)) for name, *numbers in parted}


def as_billed(own: Own, bills: Iterable[tuple[str, Usage]]) -> Own:
    """Prices for replays of a run, as its own bills were made up: a provider that never billed a
    write charges none, so what a replay writes there costs as much as plain input. Anthropic always
    does, and a run without one was too small."""
    wrote: dict[str, bool] = {}
    for model, usage in bills:
        wrote[model] = wrote.get(model, False) or usage.write_5m + usage.write_1h > 0
    never = (one for one, billed in wrote.items() if not billed and model_vendor(one) != MARKING)
    found = {model: price_of(model, own) for model in never}
    free = {
        model: replace(price, write_5m=price.input, write_1h=price.input)
        for model, price in found.items()
        if price is not None
    }
    return {**own, **free}


def price_command(model: str) -> str:
    """The command to set a model's price; the figures are an example."""
    return (
        "say it, in dollars for a million tokens (input, output, cache read, two cache writes): "
        f'sparing config set models.prices "{model} 3 15 0.30 3.75 6"'
    )


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
    """US dollars per million tokens, and the price of all tokens if the prompt exceeds a size."""

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
