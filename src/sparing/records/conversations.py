"""Conversations of sessions that no client stores for us: one row each, its text stored by hash."""

from __future__ import annotations

from typing import NamedTuple

from sparing.connection import Connection


class ConversationRow(NamedTuple):
    session: str
    backend: str
    model: str
    turns: int
    body: str
    """Hash under which the text is stored."""
    at: float


COLUMNS = ", ".join(ConversationRow._fields)


def get(connection: Connection, session: str) -> ConversationRow | None:
    row = connection.execute(
        f"select {COLUMNS} from conversations where session = ?",  # noqa: S608
        (session,),
    ).fetchone()
    return ConversationRow(*row) if row else None


def put(tx: Connection, row: ConversationRow) -> bool:
    """Store a conversation; False if the session was continued elsewhere meanwhile."""
    if row.turns == 1:
        tx.execute(
            f"insert into conversations ({COLUMNS}) values (?, ?, ?, ?, ?, ?)"  # noqa: S608
            " on conflict (session) do nothing",
            tuple(row),
        )
    else:
        tx.execute(
            "update conversations set turns = ?, body = ?, at = ?, model = ?"
            " where session = ? and turns = ?",
            (row.turns, row.body, row.at, row.model, row.session, row.turns - 1),
        )
    return get(tx, row.session) == row
