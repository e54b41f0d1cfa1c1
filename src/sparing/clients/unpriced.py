"""A cap on money, and a model of which nobody knows what it costs.

A cap that somebody has set is a promise, and nothing can be counted against it without a price: the
model is refused before anything is spent. The caps that stand in the defaults promise nothing of
the kind; caps on tokens count every model.
"""

from __future__ import annotations

from sparing.config.load import Loaded
from sparing.economy.prices import own_prices, price_of
from sparing.errors import ConfigError
from sparing.money import Billing

CAPS = tuple(f"caps.{name}_usd" for name in ("feature", "stage", "day", "all_day", "turn"))
NOBODY = ("default", "effort ")


def money_cap(loaded: Loaded) -> str:
    """The first cap on money that somebody has set and that counts; empty if none does."""
    if loaded.settings.agent.billing is Billing.SUBSCRIPTION:
        return ""
    return next((key for key in CAPS if not loaded.origins[key].startswith(NOBODY)), "")


def unpriced(loaded: Loaded, model: str) -> ConfigError | None:
    """Why a model can't be asked under such a cap; None if it can."""
    cap = money_cap(loaded)
    if not cap or price_of(model, own_prices(loaded.settings.models.prices)) is not None:
        return None
    return ConfigError(
        f"{cap} is set, and nobody knows what {model} costs",
        "say it, in dollars for a million tokens (input, output, cache read, two cache writes): "
        f'sparing config set models.prices "{model} 3 15 0.30 3.75 6"',
    )
