"""Prices as data: what a model's tokens cost, bucket by bucket.

They come from a price list that ships with a library and is read offline. A model that is not
in it has no price: its cost is unknown, which is not zero.
"""

from __future__ import annotations

from decimal import Decimal

import genai_prices

from sparing.usage import Usage


def cost_usd(model: str, usage: Usage) -> Decimal | None:
    tokens = genai_prices.Usage(
        input_tokens=usage.input,
        cache_read_tokens=usage.read,
        cache_write_tokens=usage.write_5m + usage.write_1h,
        cache_write_1h_tokens=usage.write_1h,
        output_tokens=usage.output,
    )
    try:
        return genai_prices.calc_price(tokens, model_ref=model).total_price
    except LookupError:
        return None
