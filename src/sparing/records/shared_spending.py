"""What all repositories together spend in a day, for the cap that spans them.

One row a turn, in a file beside the state folders or in a schema that a team's repositories share.
A turn is held here before its own ledger has it and lowered after its bill is there: whoever dies
in between leaves too much counted, never too little. `correct` puts that right.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

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
)


class SharedTurn(NamedTuple):
    repository: str
    dispatch: str
    number: int


def spent(connection: Connection, day: str) -> Amount:
    found = connection.execute(
        "select coalesce(sum(tokens), 0), coalesce(sum(nano_usd), 0) from turns where day = ?",
        (day,),
    ).fetchone()
    return Amount(int(found[0]), int(found[1]))


def reached(connection: Connection, day: str, worst: Amount, limits: CapLimits) -> Reached | None:
    """What stands in the way of a turn; without a price only its tokens count."""
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


def correct(tx: Connection, repository: str, charged: Callable[[str, int], Amount | None]) -> None:
    """Make the turns of one repository what its own ledger says; one that is not there is gone."""
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
