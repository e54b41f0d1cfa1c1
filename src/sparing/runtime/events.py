"""Events for people who watch. The key keeps a repeated step from recording an event twice."""

from __future__ import annotations

import sqlite3
from typing import Protocol

from sparing.codec import JsonObject
from sparing.job import Job
from sparing.records.events import Event, add


class Teller(Protocol):
    @property
    def id(self) -> str: ...

    @property
    def feature(self) -> str: ...

    @property
    def at(self) -> float: ...


def tell(
    tx: sqlite3.Connection,
    teller: Teller,
    job: Job,
    kind: str,
    *,
    text: str = "",
    data: JsonObject | None = None,
    name: str = "",
) -> None:
    key = f"{teller.id}.{name or kind}"
    add(
        tx,
        Event(
            key=key,
            feature=teller.feature,
            at=teller.at,
            kind=kind,
            stage=job.stage,
            role=job.role,
            text=text,
            data=data or {},
        ),
    )
