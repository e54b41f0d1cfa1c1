"""What a library's list says of a model: its prices and its window, read offline.

The list is loaded when a model is first looked up: that takes as long as everything else that
a short command does.
"""

from __future__ import annotations

from decimal import Decimal
from functools import cache
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from genai_prices.types import PriceCalculation


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
