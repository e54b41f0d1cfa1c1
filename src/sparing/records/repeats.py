"""What the ledger knows of repetition: how often, for how long, and with which answer."""

from __future__ import annotations

from sparing.connection import Connection
from sparing.records.ledger import Attempt


def tries(connection: Connection, attempt: Attempt) -> int:
    """How often this was sent before, also by a generation of the leg that has died."""
    found = connection.execute(
        "select (select count(*) from ledger where dispatch = ?),"
        " (select count(*) from ledger where feature = ? and leg = ? and stage = ? and role = ?"
        " and iteration = ? and task = ? and prompt = ?)",
        (
            attempt.dispatch,
            attempt.feature,
            attempt.leg,
            attempt.stage,
            attempt.role,
            attempt.iteration,
            attempt.task,
            attempt.prompt,
        ),  # fmt: skip
    ).fetchone()
    return max(int(found[0]), int(found[1]))


def answered_so(connection: Connection, attempt: Attempt, leg: str, reply: str) -> bool:
    """Whether another dispatch of this leg got this reply to the same prompt without resuming."""
    found = connection.execute(
        "select 1 from ledger where feature = ? and stage = ? and role = ? and prompt = ?"
        " and reply = ? and dispatch <> ? and way <> 'resume' and failure = ''"
        " and substr(dispatch, 1, length(?)) = ? limit 1",
        (
            attempt.feature,
            attempt.stage,
            attempt.role,
            attempt.prompt,
            reply,
            attempt.dispatch,
            leg,
            leg,
        ),  # fmt: skip
    ).fetchone()
    return found is not None


def seconds(connection: Connection, feature: str, leg: int, stage: str) -> float:
    """How long agents have worked on a stage in one leg."""
    found = connection.execute(
        "select coalesce(sum(seconds), 0) from ledger where feature = ? and leg = ? and stage = ?",
        (feature, leg, stage),
    ).fetchone()
    return float(found[0])


def siblings(connection: Connection, leg: str) -> int:
    """How many turns of a leg are under way."""
    found = connection.execute(
        "select count(*) from ledger where outcome = 'open' and substr(dispatch, 1, length(?)) = ?",
        (leg, leg),
    ).fetchone()
    return int(found[0])
