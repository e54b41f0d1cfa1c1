"""What all repositories together spend in a day and send at a time, for limits that span them.

One row per turn, in a file beside the state folders or in a schema that a team's repositories
share. A turn is reserved here before its own ledger has it and lowered after its bill is there: a
crash in between leaves too much counted, never too little. `correct` puts that right. A call that
nobody ends stops counting when its turn's own time limit would have ended it.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

from sparing.backend_name import BackendLimit
from sparing.connection import Connection
from sparing.money import Amount, CapLimits, CapMeasure, CapScope, Reached

MIGRATIONS = (
    """\
create table turns (
  repository text not null, dispatch text not null, number integer not null, day text not null,
  tokens integer not null, nano_usd integer not null,
  primary key (repository, dispatch, number)
);
create index turns_by_day on turns (day)""",
    """\
create table calls (
  repository text not null, dispatch text not null, number integer not null,
  backend text not null, began real not null, until real not null, ended integer not null,
  primary key (repository, dispatch, number)
);
create index calls_by_backend on calls (backend, began)""",
)
MINUTE_SECONDS = 60.0


class SharedTurn(NamedTuple):
    repository: str
    dispatch: str
    number: int


class Busy(NamedTuple):
    """A backend that may not get another turn now."""

    words: str
    seconds: float
    """How long until it is worth asking again."""


def spent(connection: Connection, day: str) -> Amount:
    found = connection.execute(
        "select coalesce(sum(tokens), 0), coalesce(sum(nano_usd), 0) from turns where day = ?",
        (day,),
    ).fetchone()
    return Amount(int(found[0]), int(found[1]))


def reached(connection: Connection, day: str, worst: Amount, limits: CapLimits) -> Reached | None:
    """The limit that a turn would exceed; without a price only its tokens count."""
    now = spent(connection, day)
    for measure in (CapMeasure.MONEY, CapMeasure.TOKENS):
        taken, wanted, limit = (one.of(measure) for one in (now, worst, limits.all_day))
        if taken is None or wanted is None or limit is None:
            continue
        if taken + wanted > limit:
            return Reached(CapScope.ALL, day, measure, taken, wanted, limit)
    return None


def hold(
    tx: Connection, turn: SharedTurn, day: str, worst: Amount, limits: CapLimits
) -> Reached | None:
    """Count the worst case of a turn, or say which limit it would break."""
    tx.execute(
        "delete from turns where repository = ? and dispatch = ? and number = ?", tuple(turn)
    )
    found = reached(tx, day, worst, limits)
    if found is None:
        tx.execute(
            "insert into turns (repository, dispatch, number, day, tokens, nano_usd)"
            " values (?, ?, ?, ?, ?, ?)",
            (*turn, day, worst.tokens, worst.nano_usd or 0),
        )
    return found


def settle(tx: Connection, turn: SharedTurn, bill: Amount) -> None:
    tx.execute(
        "update turns set tokens = ?, nano_usd = ?"
        " where repository = ? and dispatch = ? and number = ?",
        (bill.tokens, bill.nano_usd or 0, *turn),
    )


def busy(connection: Connection, limit: BackendLimit, now: float) -> Busy | None:
    """Why the backend may not get another turn now; None if it may."""
    found = connection.execute(
        "select coalesce(sum(case when ended = 0 and until > ? then 1 else 0 end), 0),"
        " coalesce(sum(case when began > ? then 1 else 0 end), 0),"
        " min(case when began > ? then began end) from calls where backend = ?",
        (now, now - MINUTE_SECONDS, now - MINUTE_SECONDS, limit.backend),
    ).fetchone()
    open_calls, begun, first = int(found[0]), int(found[1]), found[2]
    if limit.at_once and open_calls >= limit.at_once:
        return Busy(f"{limit.backend}: {open_calls} of {limit.at_once} turns at once", 1.0)
    if limit.per_minute and begun >= limit.per_minute:
        seconds = float(first) + MINUTE_SECONDS - now
        return Busy(f"{limit.backend}: {begun} of {limit.per_minute} turns a minute", seconds)
    return None


def enter(
    tx: Connection, turn: SharedTurn, limit: BackendLimit, now: float, until: float
) -> Busy | None:
    """Count a call as running until it is left, or say why it may not begin."""
    tx.execute(
        "delete from calls where repository = ? and dispatch = ? and number = ?", tuple(turn)
    )
    tx.execute(
        "delete from calls where backend = ? and began < ? and (ended = 1 or until < ?)",
        (limit.backend, now - MINUTE_SECONDS, now),
    )
    found = busy(tx, limit, now)
    if found is None:
        tx.execute(
            "insert into calls (repository, dispatch, number, backend, began, until, ended)"
            " values (?, ?, ?, ?, ?, ?, 0)",
            (*turn, limit.backend, now, until),
        )
    return found


def leave(tx: Connection, turn: SharedTurn) -> None:
    tx.execute(
        "update calls set ended = 1 where repository = ? and dispatch = ? and number = ?",
        tuple(turn),
    )


def leave_all(tx: Connection, repository: str) -> None:
    """At the start, when nothing of a repository runs."""
    tx.execute("update calls set ended = 1 where repository = ?", (repository,))


def correct(tx: Connection, repository: str, charged: Callable[[str, int], Amount | None]) -> None:
    """Set one repository's turns to what its own ledger says; turns it doesn't have are removed."""
    rows = tx.execute(
        "select dispatch, number from turns where repository = ?", (repository,)
    ).fetchall()
    for dispatch, number in rows:
        turn = SharedTurn(repository, str(dispatch), int(number))
        amount = charged(turn.dispatch, turn.number)
        if amount is not None:
            settle(tx, turn, amount)
        else:
            tx.execute(
                "delete from turns where repository = ? and dispatch = ? and number = ?",
                tuple(turn),
            )
