"""What the ledger knows of repetition: how often, for how long, and with which answer."""

from __future__ import annotations

from typing import NamedTuple

from sparing.connection import Connection
from sparing.records.ledger import Attempt


class SoFar(NamedTuple):
    begun: int
    """How often the dispatch was begun."""
    tries: int
    """How often this was sent before, also by a generation of the leg that has died."""
    seconds: float
    """How long agents have worked on the stage in this leg."""
    asked: bool
    """Another dispatch of this leg has sent the same prompt."""
    failure: str
    """How the backend's latest turn ended; empty if it succeeded."""


def so_far(connection: Connection, attempt: Attempt) -> SoFar:
    """All that the ledger says before a turn is sent, with one statement."""
    a = attempt
    found = connection.execute(
        "select (select count(*) from ledger where dispatch = ?),"
        " (select count(*) from ledger where feature = ? and leg = ? and stage = ? and role = ?"
        " and iteration = ? and task = ? and prompt = ?),"
        " (select coalesce(sum(seconds), 0) from ledger"
        " where feature = ? and leg = ? and stage = ?),"
        " (select count(*) from ledger where feature = ? and leg = ? and stage = ? and role = ?"
        " and prompt = ? and dispatch <> ?),"
        " (select failure from ledger where backend = ? and outcome = 'known'"
        " order by rowid desc limit 1)",
        (
            a.dispatch, a.feature, a.leg, a.stage, a.role, a.iteration, a.task, a.prompt,
            a.feature, a.leg, a.stage, a.feature, a.leg, a.stage, a.role, a.prompt, a.dispatch,
            a.backend,
        ),
    ).fetchone()  # fmt: skip
    begun = int(found[0])
    return SoFar(
        begun, max(begun, int(found[1])), float(found[2]), found[3] > 0, str(found[4] or "")
    )


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
