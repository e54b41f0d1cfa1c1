"""Sessions: the conversation each role keeps per feature and stage."""

from __future__ import annotations

import sqlite3

from sparing.session import Session

COLUMNS = (
    "id, role, backend, model, prompt_chars, context_tokens, iteration, commit_id, last_activity"
)


def get(connection: sqlite3.Connection, feature: str, stage: str, role: str) -> Session | None:
    row = connection.execute(
        f"select {COLUMNS} from sessions where feature = ? and stage = ? and role = ?",  # noqa: S608
        (feature, stage, role),
    ).fetchone()
    return Session(*row) if row else None


def put(tx: sqlite3.Connection, feature: str, stage: str, session: Session) -> None:
    """The id a resumed call returns replaces the old one."""
    tx.execute(
        f"insert into sessions (feature, stage, {COLUMNS}) values ({', '.join('?' * 11)})"  # noqa: S608
        " on conflict (feature, stage, role) do update set id = excluded.id,"
        " backend = excluded.backend, model = excluded.model,"
        " prompt_chars = excluded.prompt_chars, context_tokens = excluded.context_tokens,"
        " iteration = excluded.iteration, commit_id = excluded.commit_id,"
        " last_activity = excluded.last_activity",
        (
            feature,
            stage,
            session.id,
            session.role,
            session.backend,
            session.model,
            session.prompt_chars,
            session.context_tokens,
            session.iteration,
            session.commit,
            session.last_activity,
        ),  # fmt: skip
    )
