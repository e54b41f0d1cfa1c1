"""The mailbox: what doors ask of the engine.

A door writes a row and is done, whether an engine runs or not. The key makes a repeated request
count once; the engine obeys rows in order and marks them done.
"""

from __future__ import annotations

import sqlite3
from dataclasses import dataclass


@dataclass(frozen=True)
class Letter:
    n: int
    feature: str
    verb: str
    gate: str
    body: str
    sender: str


def post(tx: sqlite3.Connection, key: str, letter: Letter, at: float) -> bool:
    """False if a letter with this key is there already."""
    done = tx.execute(
        "insert into mailbox (key, feature, verb, gate, body, sender, sent)"
        " values (?, ?, ?, ?, ?, ?, ?) on conflict (key) do nothing",
        (key, letter.feature, letter.verb, letter.gate, letter.body, letter.sender, at),
    )
    return done.rowcount == 1


def unread(connection: sqlite3.Connection) -> list[Letter]:
    rows = connection.execute(
        "select n, feature, verb, gate, body, sender from mailbox where done is null order by n"
    )
    return [Letter(*row) for row in rows]


def pending(connection: sqlite3.Connection, gate: str) -> Letter | None:
    row = connection.execute(
        "select n, feature, verb, gate, body, sender from mailbox"
        " where gate = ? and done is null order by n limit 1",
        (gate,),
    ).fetchone()
    return Letter(*row) if row else None


def obeyed(tx: sqlite3.Connection, n: int, result: str, at: float) -> None:
    tx.execute("update mailbox set done = ?, result = ? where n = ?", (at, result, n))
