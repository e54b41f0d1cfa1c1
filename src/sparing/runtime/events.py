"""Events for people who watch. The key keeps a repeated step from recording an event twice."""

from __future__ import annotations

from typing import Protocol

from sparing.codec import JsonObject
from sparing.connection import Connection
from sparing.event import FeatureEvent, RunEvent, kind_of, write_event
from sparing.job import Job
from sparing.records.events import Event, add
from sparing.turn_event import AgentAction


class Teller(Protocol):
    @property
    def id(self) -> str: ...

    @property
    def feature(self) -> str: ...

    @property
    def at(self) -> float: ...


def tell(
    tx: Connection,
    teller: Teller,
    job: Job,
    what: RunEvent | str,
    *,
    text: str = "",
    data: JsonObject | None = None,
    name: str = "",
) -> None:
    """Record an event; a kind given by name has its JSON in `data`."""
    add(tx, event_of(teller, job, what, text=text, data=data, name=name))


def event_of(
    teller: Teller,
    job: Job,
    what: RunEvent | str,
    *,
    text: str = "",
    data: JsonObject | None = None,
    name: str = "",
) -> Event:
    """The event as `tell` would record it."""
    if isinstance(what, str) and not isinstance(what, FeatureEvent | AgentAction):
        kind, stored = what, data or {}
    else:
        kind, stored = kind_of(what), write_event(what)
    return Event(
        key=f"{teller.id}.{name or kind}",
        feature=teller.feature,
        at=teller.at,
        kind=kind,
        stage=job.stage,
        role=job.who,
        text=text,
        data=stored,
    )
