"""What a session's next turn will probably be, to decide whether to keep it warm until then.

Its prompt is not known yet: a fresh one would be about the one that opened the session, a resumed
one is short. What is known is how much work such turns were and how long they waited.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from sparing.cache import CacheBlock, Life, RequestPart
from sparing.connection import Connection
from sparing.dispatch_policy import Way
from sparing.economy.cache_contents import Base, believed
from sparing.economy.cost_model import TYPICAL, Rates
from sparing.economy.expected_work import Memory, TurnClass, expected_work
from sparing.economy.predict import Inputs, Offer, Transcript
from sparing.economy.prices import own_prices, price_of
from sparing.panel import members
from sparing.records import ledger
from sparing.records.ledger import LedgerRow
from sparing.runtime import turn_history
from sparing.runtime.source import Source
from sparing.session import Session
from sparing.turn_kind import Errand

LATER_DELTA_TOKENS = 1_500
NOT_CACHED_TOKENS = 1_024
NEXT = {
    Errand.WRITE: Errand.REVISE,
    Errand.IMPLEMENT: Errand.FIX,
    Errand.HAND_OVER: Errand.LONE,
}
"""The errand expected next: authors revise, and a session that handed over does another one."""


class NextTurn(NamedTuple):
    inputs: Inputs
    row: LedgerRow
    """The session's last turn."""
    ended: float
    pauses: list[float]
    """Between the turns of other sessions here."""


def prospect_of(
    connection: Connection, source: Source, session: Session, at: float
) -> NextTurn | None:
    """None for a session of which the ledger knows too little."""
    rows = ledger.of_feature(connection, source.row.feature.key)
    who = (session.role, *members(session.role))
    turns = [row for row in rows if row.attempt.role in who and row.result is not None]
    own = [row for row in turns if row.result and row.result.session == session.id]
    if not own or not own[-1].attempt.sent.blocks:
        return None
    last = own[-1]
    price = price_of(session.model, own_prices(source.around.settings(source.row).models.prices))
    works = turn_history.works(connection, session.backend)
    known = believed(turn_history.sends(connection, (last.attempt.trunk,), at), NOT_CACHED_TOKENS)
    opening = turn_history.load_blocks(last.attempt.sent.blocks or ())
    errand = _errand(last)
    told = CacheBlock(RequestPart.MESSAGES, "what it will be told", LATER_DELTA_TOKENS)
    on = Transcript(
        session.context_tokens, session.last_call, session.answer_tokens, Life.FIVE_MINUTES, opening
    )
    offers = {
        Way.COMPOSE: Offer(
            opening, expected_work(TurnClass(session.role, errand, Memory.NOTES), works)
        ),
        Way.RESUME: Offer(
            (told,), expected_work(TurnClass(session.role, errand, Memory.TRANSCRIPT), works), on
        ),
    }
    share = turn_history.share(connection, source.backend)
    inputs = Inputs(
        at, TYPICAL if price is None else Rates.of(price),
        Base(last.attempt.trunk, last.attempt.sent.base or 0), offers, known, share,
        minimum_tokens=NOT_CACHED_TOKENS,
    )  # fmt: skip
    return NextTurn(inputs, last, _end(last), waits(rows))


def _errand(row: LedgerRow) -> Errand:
    """The errand of the next turn: a reviewer, for instance, reviews again."""
    found = turn_history.errand_of(row.attempt.template, row.attempt.stage) or Errand.LONE
    return NEXT.get(found, found)


def waits(rows: Sequence[LedgerRow]) -> list[float]:
    """How long roles waited for their next turn in the same stage."""
    found: list[float] = []
    last: dict[tuple[str, str, str], float] = {}
    for row in rows:
        one = row.attempt
        key = (one.stage, one.role, one.task)
        if key in last and turn_history.errand_of(one.template, one.stage) is not None:
            found.append(max(0.0, one.started - last[key]))
        last[key] = _end(row)
    return found


def _end(row: LedgerRow) -> float:
    return row.attempt.started + (row.result.seconds if row.result else 0.0)
