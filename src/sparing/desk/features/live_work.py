"""What is under way now: turns, checks, set-ups, and anything else this process waits for.

Each has its start time, its time limit, and its latest sign of activity.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator
from typing import NamedTuple

from sparing.connection import Connection
from sparing.context.documents.handoff import spoken
from sparing.desk.office import Office
from sparing.records import events
from sparing.records.events import Event
from sparing.records.open_turns import OpenTurn, open_turns
from sparing.turn_event import AgentAction
from sparing.wait import open_waits
from sparing.workspace.checks.live_output import running_commands

LATEST = 20
"""Number of latest events searched for an agent's last action."""


class LiveWork(NamedTuple):
    key: str
    """Identifier that stays the same for as long as the work lasts."""
    words: str
    """Description, such as `set-up: make setup`"""
    begun: float
    """When it began, if known; otherwise now."""
    last: str = ""
    """The latest activity seen."""
    limit_seconds: float | None = None
    output: str = ""
    """Path of the file with its output so far; empty for a turn."""
    quiet: bool = True
    """True if its start has already been reported."""


def live_work(office: Office, at: float, only: Collection[str] | None = None) -> list[LiveWork]:
    """`only`: limit turns to features with these keys; other workers have turns of their own."""
    return [*_commands(office), *_turns(office, at, only), *_waits(at)]


def _commands(office: Office) -> Iterator[LiveWork]:
    redact = office.folder.redactor.clean
    for one in running_commands(office.folder.scratch):
        yield LiveWork(
            one.output.name, f"{one.name}: {redact(one.command)}", one.since, redact(one.last),
            output=str(one.output), quiet=False,
        )  # fmt: skip


def _turns(office: Office, at: float, only: Collection[str] | None) -> Iterator[LiveWork]:
    limit = office.loaded.settings.agent.limit_seconds
    with office.database.read() as connection:
        for turn in open_turns(connection):
            if only is None or turn.feature in only:
                # A sample's clock runs by itself, and an old one may have been set back.
                begun = turn.started if at - limit <= turn.started <= at else at
                key, words = f"{turn.dispatch} {turn.started}", f"{turn.role} is at work"
                yield LiveWork(key, words, begun, _last_action(connection, turn), limit)


def _last_action(connection: Connection, turn: OpenTurn) -> str:
    found = events.latest(connection, turn.feature, LATEST)
    actions = (one for one in reversed(found) if one.key.startswith(f"{turn.dispatch}."))
    return next((words for one in actions if (words := _action(one))), "no output yet")


def _action(event: Event) -> str:
    what = event.what
    return f"{what.verb} {action_text(event)}" if isinstance(what, AgentAction) else ""


def action_text(event: Event) -> str:
    """What an agent says is shown without its handoff block, whose summary is shown later."""
    return spoken(event.text) if event.what is AgentAction.SAYS else event.text


def _waits(at: float) -> Iterator[LiveWork]:
    for one in open_waits():
        yield LiveWork(f"wait {one.number}", one.what, at, limit_seconds=one.limit_seconds)
