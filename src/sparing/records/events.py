"""Events: what happened, in order, for people who watch.

Each has a key, so that a step that is repeated after a crash tells its story once. What a kind
of event carries is a type in `sparing.event`; this is the one writer and the one reader of it.
"""

from __future__ import annotations

import json
from dataclasses import field
from typing import Any, ClassVar, Protocol, Self, TypeVar

from sparing.connection import Connection, Row
from sparing.event import RunEvent, is_known, kind_of, read_event, write_event
from sparing.lazy_dataclass import lazy_dataclass


class _HasKind(Protocol):
    kind: ClassVar[str]


Record = TypeVar("Record", bound=_HasKind)
MOST_AT_ONCE = 100
"""Events in one statement."""


@lazy_dataclass
class Event:
    """A row. `kind` and `data` are what is stored, `what` is the same as a type."""

    key: str
    feature: str
    at: float
    kind: str
    stage: str = ""
    role: str = ""
    text: str = ""
    data: dict[str, Any] = field(default_factory=dict[str, Any])
    n: int = 0

    @classmethod
    def of(
        cls,
        what: RunEvent,
        *,
        key: str,
        feature: str,
        at: float,
        stage: str = "",
        role: str = "",
        text: str = "",
    ) -> Self:
        return cls(
            key=key, feature=feature, at=at, kind=kind_of(what), stage=stage, role=role,
            text=text, data=write_event(what),
        )  # fmt: skip

    @property
    def what(self) -> RunEvent:
        return read_event(self.kind, self.data)


def has(connection: Connection, key: str) -> bool:
    found = connection.execute("select 1 from events where key = ?", (key,))
    return found.fetchone() is not None


def add(tx: Connection, *told: Event) -> None:
    """Record events in this order; several with one statement."""
    for event in told:
        if not is_known(event.kind):
            raise ValueError(
                f"{event.kind!r} is no kind of event: give it a class in sparing.event"
            )
    for first in range(0, len(told), MOST_AT_ONCE):
        some = told[first : first + MOST_AT_ONCE]
        marks = ", ".join(["(?, ?, ?, ?, ?, ?, ?, ?)"] * len(some))
        tx.execute(
            "insert into events (key, feature, at, kind, stage, role, text, data)"  # noqa: S608
            f" values {marks} on conflict (key) do nothing",
            tuple(value for event in some for value in _values(event)),
        )


def _values(event: Event) -> tuple[object, ...]:
    # An agent's words may hold half a character, which no database takes.
    text = event.text.encode("utf-8", "replace").decode()
    data = json.dumps(event.data)
    return event.key, event.feature, event.at, event.kind, event.stage, event.role, text, data


def since(connection: Connection, n: int, feature: str = "") -> list[Event]:
    rows = connection.execute(
        "select key, feature, at, kind, stage, role, text, data, n from events"
        " where n > ? and (? = '' or feature = ?) order by n",
        (n, feature, feature),
    )
    return [_event(row) for row in rows]


def page(connection: Connection, n: int, feature: str, most: int) -> list[Event]:
    """The first events after number `n`, at most `most`."""
    rows = connection.execute(
        "select key, feature, at, kind, stage, role, text, data, n from events"
        " where n > ? and (? = '' or feature = ?) order by n limit ?",
        (n, feature, feature, most),
    )
    return [_event(row) for row in rows]


def latest(connection: Connection, feature: str, most: int) -> list[Event]:
    """The last events of a feature, at most `most`, oldest first."""
    rows = connection.execute(
        "select key, feature, at, kind, stage, role, text, data, n from events"
        " where feature = ? order by n desc limit ?",
        (feature, most),
    )
    return [_event(row) for row in rows][::-1]


def last(connection: Connection, feature: str, kind: str) -> Event | None:
    row = connection.execute(
        "select key, feature, at, kind, stage, role, text, data, n from events"
        " where feature = ? and kind = ? order by n desc limit 1",
        (feature, kind),
    ).fetchone()
    return _event(row) if row else None


def by_key(connection: Connection, key: str) -> Event | None:
    row = connection.execute(
        "select key, feature, at, kind, stage, role, text, data, n from events where key = ?",
        (key,),
    ).fetchone()
    return _event(row) if row else None


def last_what(connection: Connection, feature: str, kind: type[Record]) -> Record | None:
    """The typed content of the feature's latest event of a kind."""
    found = last(connection, feature, kind.kind)
    what = found.what if found else None
    return what if isinstance(what, kind) else None


def last_of_all(connection: Connection, kind: str) -> Event | None:
    """The latest event of a kind, across all features."""
    row = connection.execute(
        "select key, feature, at, kind, stage, role, text, data, n from events"
        " where kind = ? order by n desc limit 1",
        (kind,),
    ).fetchone()
    return _event(row) if row else None


def latest_number(connection: Connection) -> int:
    return int(connection.execute("select coalesce(max(n), 0) from events").fetchone()[0])


def _event(row: Row) -> Event:
    return Event(
        key=row["key"],
        feature=row["feature"],
        at=row["at"],
        kind=row["kind"],
        stage=row["stage"],
        role=row["role"],
        text=row["text"],
        data=json.loads(row["data"]),
        n=row["n"],
    )
