"""Sessions: the conversation each role keeps per feature and stage."""

from __future__ import annotations

import sqlite3

from sparing.session import Session

COLUMNS = (
    "id, role, backend, model, prompt_chars, context_tokens, iteration, commit_id, last_activity,"
    " opening, last_call, answer_tokens"
)


def get(connection: sqlite3.Connection, feature: str, stage: str, role: str) -> Session | None:
    row = connection.execute(
        f"select {COLUMNS} from sessions where feature = ? and stage = ? and role = ?",  # noqa: S608
        (feature, stage, role),
    ).fetchone()
    return Session(*row) if row else None


def put(tx: sqlite3.Connection, feature: str, stage: str, session: Session) -> None:
    """The id a resumed call returns replaces the old one."""
    s = session
    values = (
        s.id, s.role, s.backend, s.model, s.prompt_chars, s.context_tokens, s.iteration, s.commit,
        s.last_activity, s.opening, s.last_call, s.answer_tokens,
    )  # fmt: skip
    updates = ", ".join(f"{name} = excluded.{name}" for name in COLUMNS.split(", "))
    tx.execute(
        f"insert into sessions (feature, stage, {COLUMNS}) values ({', '.join('?' * 14)})"  # noqa: S608
        f" on conflict (feature, stage, role) do update set {updates}",
        (feature, stage, *values),
    )
