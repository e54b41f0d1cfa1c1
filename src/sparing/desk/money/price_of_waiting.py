"""What waiting at a gate costs: the price of the author's next turn now, and its price later.

An author's next turn resumes a session that the provider caches for some minutes after its last
call. Until then the turn reads it at the low rate; afterwards it is written again, unless a fresh
session is cheaper by then. Both are priced as the engine would price them. The figures are
estimates and say so.
"""

from __future__ import annotations

from datetime import UTC, datetime
from decimal import Decimal
from typing import NamedTuple

from sparing.cache import CacheBlock, Life, RequestPart
from sparing.config.settings import ClockKind
from sparing.desk.gates.actions import makes_code
from sparing.desk.money.cache_warmth import CacheWarmth
from sparing.desk.office import Office, settings_of
from sparing.dispatch_policy import Way
from sparing.economy import keepalive
from sparing.economy.cache_contents import Base
from sparing.economy.cost_model import TYPICAL, Rates
from sparing.economy.expected_work import Memory, TurnClass, expected_work
from sparing.economy.predict import Inputs, Offer, Transcript
from sparing.economy.prices import own_prices, price_of
from sparing.flow.flows import FLOWS
from sparing.flow.state import FlowState
from sparing.money import MILLION, to_nano
from sparing.records import sessions
from sparing.records.features import FeatureRow
from sparing.segment import CHARS_PER_TOKEN
from sparing.session import Session
from sparing.turn_kind import Errand


class WaitingPrice(NamedTuple):
    warm_until: float
    now_nano_usd: int | None
    later_nano_usd: int | None
    """Price of the author's next turn after that; None without a price."""


def price_of_waiting(office: Office, row: FeatureRow, at: float) -> WaitingPrice | None:
    """None if waiting costs nothing, or if the clock only counts steps."""
    settings = settings_of(office, row)
    if settings.engine.clock is ClockKind.COUNTED:
        return None
    state = FlowState.load(row.place["state"])
    stage = FLOWS[row.feature.flow].stage(state.stage)
    with office.database.read() as connection:
        session = sessions.latest(connection, row.feature.key, stage.author)
    if session is None:
        return None
    price = price_of(session.model, own_prices(settings.models.prices))
    errand = Errand.FIX if makes_code(state) else Errand.REVISE
    found = keepalive.waiting(_inputs(session, errand, Rates.of(price) if price else TYPICAL, at))
    if found.warm_until is None:
        return None
    costs = (found.before, found.after) if price else (None, None)
    return WaitingPrice(found.warm_until, *map(_nano, costs))


def _inputs(session: Session, errand: Errand, rates: Rates, at: float) -> Inputs:
    """Inputs for a resumed session, and for a fresh one with its opening prompt."""
    known, nothing = (
        expected_work(TurnClass(session.role, errand, memory), {})
        for memory in (Memory.TRANSCRIPT, Memory.NONE)
    )
    prompt = CacheBlock(RequestPart.MESSAGES, "", -(-session.prompt_chars // CHARS_PER_TOKEN))
    last = session.last_call or session.last_activity
    on = Transcript(session.context_tokens, last, session.answer_tokens, Life.FIVE_MINUTES)
    offers = {Way.RESUME: Offer((), known, on), Way.COMPOSE: Offer((prompt,), nothing)}
    return Inputs(at, rates, Base("", 0), offers, {})


def _nano(cost: float | None) -> int | None:
    return None if cost is None else to_nano(Decimal(cost) / MILLION)


def waiting_words(found: WaitingPrice | None) -> str:
    if found is None:
        return "waiting costs nothing"
    clock = datetime.fromtimestamp(found.warm_until, UTC).astimezone().strftime("%H:%M")
    return CacheWarmth(*found).words(clock)
