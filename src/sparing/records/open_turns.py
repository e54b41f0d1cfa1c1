"""Turns of the ledger that are under way: who is at work, on what, since when.

What the ledger says of calls that only keep a session warm.
"""

from __future__ import annotations

from typing import NamedTuple

from sparing.connection import Connection


class OpenTurn(NamedTuple):
    feature: str
    stage: str
    role: str
    way: str
    model: str
    started: float
    dispatch: str = ""


class UnbilledTurn(NamedTuple):
    """Nobody has seen its end."""

    dispatch: str
    number: int
    feature: str
    role: str
    backend: str
    model: str
    prompt: str
    prompt_chars: int


def open_turns(connection: Connection) -> list[OpenTurn]:
    """Of all features, the earliest first. One left by a killed engine is among them."""
    rows = connection.execute(
        "select feature, stage, role, way, model, started, dispatch from ledger"
        " where outcome = 'open' order by started"
    )
    return [OpenTurn(*row) for row in rows]


def unbilled(connection: Connection, dispatch: str = "") -> list[UnbilledTurn]:
    """Of one dispatch, or all."""
    rows = connection.execute(
        "select dispatch, attempt, feature, role, backend, model, prompt, prompt_chars"
        " from ledger where seconds is null and (? = '' or dispatch = ?) order by rowid",
        (dispatch, dispatch),
    )
    return [UnbilledTurn(*row) for row in rows]


def busy(connection: Connection, feature: str) -> frozenset[str]:
    """Roles whose turn is under way."""
    rows = connection.execute(
        "select distinct role from ledger where feature = ? and outcome = 'open'", (feature,)
    )
    return frozenset(str(row[0]) for row in rows)


def pings_since(connection: Connection, feature: str, role: str, session: str) -> int:
    """How often that role was asked in a session since anybody else was."""
    rows = connection.execute(
        "select role from ledger where feature = ? and session = ? order by rowid",
        (feature, session),
    )
    count = 0
    for (one,) in rows:
        count = count + 1 if one == role else 0
    return count
