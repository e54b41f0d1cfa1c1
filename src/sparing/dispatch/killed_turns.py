"""Turns whose end nobody saw: the process was killed, or the turn was cancelled.

What such a turn used is estimated from what its client kept, and its reservation gives way to
that. It is told as a failed turn, so nobody learns from its figures or takes its reply. Where a
client keeps nothing, the turn stays unknown and counts with all that it had reserved.
"""

from __future__ import annotations

from sparing.agents.backend import Backend, KeepsBooks
from sparing.economy.prices import cost_nano, own_prices
from sparing.errors import SparingError
from sparing.failure import Failure
from sparing.records import features, ledger, totals
from sparing.records.ledger import AttemptResult
from sparing.records.open_turns import UnbilledTurn, unbilled
from sparing.runtime.surroundings import Surroundings
from sparing.segment import CHARS_PER_TOKEN
from sparing.usage import Origin, Usage

SMALL_CALLS = frozenset({totals.RESUME_CHECK, "keep-alive", "primer"})
"""One call each, which reserves little more than it can use and has no turn's name in any book. A
check of the client may even be under way in another process."""
DETAIL = "it was cut off; its usage is estimated from what the client stored"


def settle_killed(around: Surroundings, dispatch: str = "") -> None:
    """Of one dispatch, or at the start, when nothing runs, of all."""
    with around.database.read() as connection:
        turns = unbilled(connection, dispatch)
    bills = [(turn, _estimate(around, turn)) for turn in turns]
    with around.database.write() as tx:
        ledger.close(tx, dispatch)
        for turn, bill in bills:
            if bill is not None:
                ledger.finish(tx, turn.dispatch, turn.number, bill)


def settle_taken_over(around: Surroundings, feature: str, *, books_here: bool) -> None:
    """Of a feature whose worker is gone. What its client kept may lie on another machine."""
    with around.database.read() as connection:
        turns = [one for one in unbilled(connection) if one.feature == feature]
    bills = [(turn, _estimate(around, turn) if books_here else None) for turn in turns]
    with around.database.write() as tx:
        for turn, bill in bills:
            ledger.close(tx, turn.dispatch)
            if bill is not None:
                ledger.finish(tx, turn.dispatch, turn.number, bill)


def _estimate(around: Surroundings, turn: UnbilledTurn) -> AttemptResult | None:
    """None where nobody can tell."""
    if turn.role in SMALL_CALLS:
        return None
    with around.database.read() as connection:
        row = features.get(connection, turn.feature)
    if row is None:
        return None
    try:
        backend = around.backend(row, turn.backend)
        prices = own_prices(around.settings(row).models.prices)
    except SparingError:  # its client is not installed, its script is gone
        return None
    usage = _used(backend, turn)
    if usage is None:
        return None
    return AttemptResult(
        session="",
        usage=usage,
        origin=Origin.ESTIMATED,
        nano_usd=cost_nano(turn.model, usage, prices),
        calls=[],
        context_tokens=0,
        seconds=0.0,
        files_read=[],
        reply="",
        failure=Failure.CRASHED.value,
        detail=DETAIL,
    )


def _used(backend: Backend, turn: UnbilledTurn) -> Usage | None:
    """The prompt at least: it may have been sent a moment before nothing could be kept of it."""
    if backend.name != turn.backend or not isinstance(backend, KeepsBooks):
        return None
    used = backend.spent(f"{turn.dispatch}.{turn.number}.{turn.prompt[:8]}")
    if used.total:
        return used
    prompt = turn.prompt_chars // CHARS_PER_TOKEN
    return Usage(write_5m=backend.capabilities.base_tokens + prompt)
