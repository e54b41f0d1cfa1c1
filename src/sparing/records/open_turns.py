"""Turns of the ledger that are under way: who is at work, on what, since when.

What the ledger says of calls that only keep a session warm.
"""

from __future__ import annotations

import sqlite3
from typing import NamedTuple


class OpenTurn(NamedTuple):
    feature: str
    stage: str
    role: str
    way: str
    model: str
    started: float


def open_turns(connection: sqlite3.Connection) -> list[OpenTurn]:
    """Of all features, the earliest first. One left by a killed engine is among them."""
    rows = connection.execute(
        "select feature, stage, role, way, model, started from ledger where outcome = 'open'"
        " order by started"
    )
    return [OpenTurn(*row) for row in rows]


def busy(connection: sqlite3.Connection, feature: str) -> frozenset[str]:
    """Roles whose turn is under way."""
    rows = connection.execute(
        "select distinct role from ledger where feature = ? and outcome = 'open'", (feature,)
    )
    return frozenset(str(row[0]) for row in rows)


def pings_since(connection: sqlite3.Connection, feature: str, role: str, session: str) -> int:
    """How often that role was asked in a session since anybody else was."""
    rows = connection.execute(
        "select role from ledger where feature = ? and session = ? order by rowid",
        (feature, session),
    )
    count = 0
    for (one,) in rows:
        count = count + 1 if one == role else 0
    return count
