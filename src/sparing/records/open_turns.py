"""Turns of the ledger that are in progress: who is working, on what, since when.

Also counts the calls that only keep a session's cache warm.
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
    """A turn whose end was not recorded."""

    dispatch: str
    number: int
    feature: str
    role: str
    backend: str
    model: str
    prompt: str
    prompt_chars: int


def open_turns(connection: Connection) -> list[OpenTurn]:
    """The open turns of all features, earliest first, including those left by a killed engine."""
    rows = connection.execute(
        "select feature, stage, role, way, model, started, dispatch from ledger"
        " where outcome = 'open' order by started"
    )
    return [OpenTurn(*row) for row in rows]


def unbilled(connection: Connection, dispatch: str = "") -> list[UnbilledTurn]:
    """Turns without a recorded end, of one dispatch or of all."""
    rows = connection.execute(
        "select dispatch, attempt, feature, role, backend, model, prompt, prompt_chars"
        " from ledger where seconds is null and (? = '' or dispatch = ?) order by rowid",
        (dispatch, dispatch),
    )
    return [UnbilledTurn(*row) for row in rows]


def busy(connection: Connection, feature: str) -> frozenset[str]:
    """Roles that have a turn in progress."""
    rows = connection.execute(
        "select distinct role from ledger where feature = ? and outcome = 'open'", (feature,)
    )
    return frozenset(str(row[0]) for row in rows)


def pings_since(connection: Connection, feature: str, role: str, session: str) -> int:
    """How many calls this role has made in a session since the last call of any other role."""
    rows = connection.execute(
        "select role from ledger where feature = ? and session = ? order by rowid",
        (feature, session),
    )
    count = 0
    for (one,) in rows:
        count = count + 1 if one == role else 0
    return count
