"""Sessions: the conversation each role keeps per feature and stage."""

from __future__ import annotations

from collections.abc import Sequence

from sparing.connection import Connection
from sparing.records import features
from sparing.records.features import FeatureRow
from sparing.session import Session

COLUMNS = (
    "id, role, backend, model, prompt_chars, context_tokens, iteration, commit_id, last_activity,"
    " opening, last_call, answer_tokens"
)


def get(connection: Connection, feature: str, stage: str, role: str) -> Session | None:
    row = connection.execute(
        f"select {COLUMNS} from sessions where feature = ? and stage = ? and role = ?",  # noqa: S608
        (feature, stage, role),
    ).fetchone()
    return Session(*row) if row else None


def with_feature(
    connection: Connection, feature: str, stage: str, role: str
) -> tuple[FeatureRow | None, Session | None]:
    """A feature and one of its sessions, with one statement."""
    names = ", ".join(f"features.{name}" for name in features.NAMES)
    own = ", ".join(f"sessions.{name}" for name in COLUMNS.split(", "))
    found = connection.execute(
        f"select {names}, {own} from features left join sessions on sessions.feature = features.key"  # noqa: S608
        " and sessions.stage = ? and sessions.role = ? where features.key = ?",
        (stage, role, feature),
    ).fetchone()
    if found is None:
        return None, None
    mine = len(features.NAMES)
    values = tuple(found)
    session = Session(*values[mine:]) if values[mine] is not None else None
    return features.row_of(*values[:mine]), session


def of_stage(connection: Connection, feature: str, stage: str) -> list[Session]:
    rows = connection.execute(
        f"select {COLUMNS} from sessions where feature = ? and stage = ? order by role",  # noqa: S608
        (feature, stage),
    )
    return [Session(*row) for row in rows]


def latest(connection: Connection, feature: str, role: str) -> Session | None:
    """The one that a role of a feature has used last, in whichever stage."""
    row = connection.execute(
        f"select {COLUMNS} from sessions where feature = ? and role = ?"  # noqa: S608
        " order by coalesce((select max(ledger.rowid) from ledger"
        " where ledger.feature = sessions.feature and ledger.session = sessions.id), 0) desc"
        " limit 1",
        (feature, role),
    ).fetchone()
    return Session(*row) if row else None


def put(tx: Connection, feature: str, stage: str, session: Session) -> None:
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


def forget(tx: Connection, feature: str, kept: Sequence[str] = ()) -> None:
    """Delete all sessions of a feature except those of the `kept` stages."""
    rows = tx.execute("select distinct stage from sessions where feature = ?", (feature,))
    for (scope,) in rows.fetchall():
        if str(scope).partition("/")[0] not in kept:
            tx.execute("delete from sessions where feature = ? and stage = ?", (feature, scope))


def called(tx: Connection, feature: str, stage: str, session: Session, at: float) -> None:
    """Record a call that changed nothing else in the session, if it is still the current one."""
    tx.execute(
        "update sessions set last_call = ?"
        " where feature = ? and stage = ? and role = ? and id = ? and last_call < ?",
        (at, feature, stage, session.role, session.id, at),
    )
