"""What waiting at a gate costs: how long the author's session stays warm, and what then.

An author who is asked again goes on in a conversation that the provider keeps for some minutes
after its last call. Until then the next turn reads it at the low rate; afterwards all of it is
written anew. The figure is an estimate and says so.
"""

from __future__ import annotations

from datetime import UTC, datetime
from decimal import Decimal
from typing import NamedTuple

from sparing.config.settings import Clock
from sparing.desk.cost import settings_of
from sparing.desk.history import ledger_rows
from sparing.desk.office import Office
from sparing.double.cache import Life
from sparing.economy.prices import MILLION, own_prices, price_of
from sparing.flow.flows import FLOWS
from sparing.flow.state import State
from sparing.money import dollars, to_nano
from sparing.records.features import FeatureRow


class Waiting(NamedTuple):
    role: str
    warm_until: float
    dearer_nano_usd: int | None
    """What the next turn costs more once the session is cold; None without a price."""


def waiting(office: Office, row: FeatureRow) -> Waiting | None:
    """None where nothing is warm, or where times are counted and not those of a clock."""
    settings = settings_of(office, row)
    if settings.engine.clock is Clock.COUNTED:
        return None
    author = FLOWS[row.feature.flow].stage(State.load(row.place["state"]).stage).author
    turns = [
        one
        for one in ledger_rows(office, row)
        if one.attempt.role == author and one.result is not None and one.result.session
    ]
    if not turns or turns[-1].result is None:
        return None
    last = turns[-1].result
    ended = turns[-1].attempt.started + last.seconds
    price = price_of(turns[-1].attempt.model, own_prices(settings.models.prices))
    dearer = (
        (price.write_5m - price.read) * Decimal(last.context_tokens) / MILLION if price else None
    )
    until = ended + Life.FIVE_MINUTES.seconds
    return Waiting(author, until, None if dearer is None else to_nano(max(dearer, Decimal(0))))


def waiting_words(found: Waiting | None, at: float) -> str:
    if found is None:
        return "waiting costs nothing"
    dearer = found.dearer_nano_usd
    price = "dearer" if dearer is None else f"about {dollars(dearer)} dearer"
    if at < found.warm_until:
        clock = datetime.fromtimestamp(found.warm_until, UTC).astimezone().strftime("%H:%M")
        return f"{found.role} is warm until {clock}, asked later {price} (estimated)"
    return f"{found.role} is cold by now, asked again {price} (estimated)"
