"""What waiting at a gate costs: what the author's next turn takes now, and what it takes later.

An author who is asked again goes on in a conversation that the provider keeps for some minutes
after its last call. Until then the next turn reads it at the low rate; afterwards it is written
anew, or a fresh conversation is the cheaper one by then. Both are priced as the engine would
price them. The figures are estimates and say so.
"""

from __future__ import annotations

from datetime import UTC, datetime
from decimal import Decimal
from typing import NamedTuple

from sparing.cache import CacheBlock, Life, RequestPart
from sparing.config.settings import ClockKind
from sparing.desk.gates.actions import makes_code
from sparing.desk.office import Office, settings_of
from sparing.economy import keepalive
from sparing.economy.cost_model import TYPICAL, Rates
from sparing.economy.estimates import Errand, Memory, TurnClass, expected_work
from sparing.economy.known import Base
from sparing.economy.predict import Inputs, Offer, Transcript
from sparing.economy.prices import MILLION, own_prices, price_of
from sparing.flow.flows import FLOWS
from sparing.flow.state import FlowState
from sparing.money import dollars, to_nano
from sparing.records import sessions
from sparing.records.features import FeatureRow
from sparing.segment import CHARS_PER_TOKEN
from sparing.session import Session
from sparing.way import Way


class Waiting(NamedTuple):
    warm_until: float
    now_nano_usd: int | None
    later_nano_usd: int | None
    """Of one more turn of the author; None without a price."""


def waiting(office: Office, row: FeatureRow, at: float) -> Waiting | None:
    """None where nothing gets dearer, or where times are counted and not those of a clock."""
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
    return Waiting(found.warm_until, *map(_nano, costs))


def _inputs(session: Session, errand: Errand, rates: Rates, at: float) -> Inputs:
    """Going on in the conversation, or a fresh one with the prompt that opened it."""
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


def waiting_words(found: Waiting | None) -> str:
    if found is None:
        return "waiting costs nothing"
    clock = datetime.fromtimestamp(found.warm_until, UTC).astimezone().strftime("%H:%M")
    now, later = found.now_nano_usd, found.later_nano_usd
    if now is None or later is None:
        return f"its author's next turn gets dearer at {clock}"
    return (
        f"its author's next turn: about {dollars(now)} until {clock},"
        f" then {dollars(later)} (estimated)"
    )
