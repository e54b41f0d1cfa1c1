"""Turns whose end was not seen: the process was killed, or the turn was cancelled.

What such a turn used is estimated from what its client stored, and that replaces its reservation.
It is recorded as a failed turn, so its figures and reply are not used. If a client stores nothing,
the turn stays unknown and counts with its whole reservation.
"""

from __future__ import annotations

from sparing.agents.backend import Backend, KeepsBooks
from sparing.config.settings import Settings
from sparing.economy.prices import cost_nano, own_prices
from sparing.errors import SparingError
from sparing.failure import Failure
from sparing.fleet.shared_limits import SharedLimits
from sparing.records import features, ledger, totals
from sparing.records.ledger import AttemptResult
from sparing.records.open_turns import UnbilledTurn, unbilled
from sparing.runtime.surroundings import Surroundings
from sparing.segment import CHARS_PER_TOKEN
from sparing.usage import Origin, Usage

SMALL_CALLS = frozenset({totals.RESUME_CHECK, "keep-alive", "primer"})
"""Single calls, which reserve little more than they can use and are not in a client's records. A
check of the client may even be running in another process."""
DETAIL = "it was cut off; its usage is estimated from what the client stored"


def settle_killed(around: Surroundings, dispatch: str = "") -> None:
    """Settle killed turns of one dispatch; or at the start, when nothing runs, of all."""
    with around.database.read() as connection:
        turns = unbilled(connection, dispatch)
    bills = [(turn, _estimate(around, turn)) for turn in turns]
    with around.database.write() as tx:
        ledger.close(tx, dispatch)
        for turn, bill in bills:
            if bill is not None:
                ledger.finish(tx, turn.dispatch, turn.number, bill)


def settle_taken_over(around: Surroundings, feature: str, *, books_here: bool) -> None:
    """Settle turns of a feature whose worker is gone; its client's records may be elsewhere."""
    with around.database.read() as connection:
        turns = [one for one in unbilled(connection) if one.feature == feature]
        row = features.get(connection, feature)
    bills = [(turn, _estimate(around, turn) if books_here else None) for turn in turns]
    with around.database.write() as tx:
        for turn, bill in bills:
            ledger.close(tx, turn.dispatch)
            if bill is not None:
                ledger.finish(tx, turn.dispatch, turn.number, bill)
    if row is not None:
        limits = shared_limits(around, around.settings(row))
        for turn in turns:
            limits.settle(turn.dispatch, turn.number)


def shared_limits(around: Surroundings, settings: Settings) -> SharedLimits:
    agent = settings.agent
    return SharedLimits(
        around.folder, around.database, settings.caps.limits, agent.limits, agent.limit_seconds
    )


def _estimate(around: Surroundings, turn: UnbilledTurn) -> AttemptResult | None:
    """The estimated result; None if it can't be estimated."""
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
    """Estimated usage; at least the prompt, which may have been sent before anything was stored."""
    if backend.name != turn.backend or not isinstance(backend, KeepsBooks):
        return None
    used = backend.spent(f"{turn.dispatch}.{turn.number}.{turn.prompt[:8]}")
    if used.total:
        return used
    prompt = turn.prompt_chars // CHARS_PER_TOKEN
    return Usage(write_5m=backend.capabilities.base_tokens + prompt)
