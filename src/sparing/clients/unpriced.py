"""Refuses a model of unknown price while there is a cap on money.

A cap that a person has set is a promise, and nothing can be counted against it without a price: the
model is refused before anything is spent. The default caps are no such promise; caps on tokens
count every model.
"""

from __future__ import annotations

from sparing.config.load import Loaded
from sparing.economy.prices import own_prices, price_command, price_of
from sparing.errors import ConfigError
from sparing.money import Billing

CAPS = tuple(f"caps.{name}_usd" for name in ("feature", "stage", "day", "all_day", "turn"))
NOBODY = ("default", "effort ")


def money_cap(loaded: Loaded) -> str:
    """The first cap on money that a person has set and that applies; empty if none does."""
    if loaded.settings.agent.billing is Billing.SUBSCRIPTION:
        return ""
    return next((key for key in CAPS if not loaded.origins[key].startswith(NOBODY)), "")


def unpriced(loaded: Loaded, model: str) -> ConfigError | None:
    """Why a model can't be used under such a cap; None if it can."""
    cap = money_cap(loaded)
    if not cap or price_of(model, own_prices(loaded.settings.models.prices)) is not None:
        return None
    return ConfigError(f"{cap} is set, but the price of {model} is unknown", price_command(model))
