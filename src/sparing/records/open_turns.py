"""Turns of the ledger that are under way: who is at work, on what, since when."""

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
