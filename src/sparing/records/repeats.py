"""What the ledger knows of repetition: how often, for how long, and with which answer."""

from __future__ import annotations

from typing import NamedTuple

from sparing.connection import Connection
from sparing.records.ledger import Attempt


class SoFar(NamedTuple):
    tries: int
    """How often this was sent before, also by a generation of the leg that has died."""
    seconds: float
    """How long agents have worked on the stage in this leg."""


def so_far(connection: Connection, attempt: Attempt) -> SoFar:
    a = attempt
    found = connection.execute(
        "select (select count(*) from ledger where dispatch = ?),"
        " (select count(*) from ledger where feature = ? and leg = ? and stage = ? and role = ?"
        " and iteration = ? and task = ? and prompt = ?),"
        " (select coalesce(sum(seconds), 0) from ledger"
        " where feature = ? and leg = ? and stage = ?)",
        (
            a.dispatch, a.feature, a.leg, a.stage, a.role, a.iteration, a.task, a.prompt,
            a.feature, a.leg, a.stage,
        ),
    ).fetchone()  # fmt: skip
    return SoFar(max(int(found[0]), int(found[1])), float(found[2]))


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


def siblings(connection: Connection, leg: str) -> int:
    """How many turns of a leg are under way."""
    found = connection.execute(
        "select count(*) from ledger where outcome = 'open' and substr(dispatch, 1, length(?)) = ?",
        (leg, leg),
    ).fetchone()
    return int(found[0])
