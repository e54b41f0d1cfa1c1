"""Results of trying our own tools with a client and a model: one row per combination."""

from __future__ import annotations

import json
from dataclasses import astuple, dataclass

from sparing.connection import Connection
from sparing.usage import Origin, Usage

COLUMNS = (
    "backend, version, model, at, reason, items, uncached, read, write_5m, write_1h, output,"
    " origin, seconds"
)

_NEW = ", ".join(f"{name} = excluded.{name}" for name in COLUMNS.split(", ")[3:])


@dataclass(frozen=True, slots=True)
class ToolCheckRow:
    backend: str
    version: str
    model: str
    at: float
    reason: str
    """Why writers work with the client's tools; empty if they can have ours."""
    items: tuple[tuple[str, bool, str], ...]
    """Each task, whether it was done, and in words."""
    usage: Usage
    origin: Origin
    seconds: float


def put(tx: Connection, row: ToolCheckRow) -> None:
    """Store a check; it replaces an older one."""
    tx.execute(
        f"insert into tool_checks ({COLUMNS}) values ({', '.join('?' * 13)})"  # noqa: S608
        f" on conflict (backend, version, model) do update set {_NEW}",
        (
            *(row.backend, row.version, row.model, row.at, row.reason, json.dumps(row.items)),
            *astuple(row.usage),
            *(row.origin.value, row.seconds),
        ),
    )


def passed(connection: Connection, backend: str, version: str) -> frozenset[str]:
    """The models that writers can have our tools with."""
    rows = connection.execute(
        "select model from tool_checks where backend = ? and version = ? and reason = ''",
        (backend, version),
    )
    return frozenset(str(model) for (model,) in rows)
