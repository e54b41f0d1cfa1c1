"""Workers that run features of this repository, on a server that several workers share.

A row exists for as long as its worker is alive or believed to be. Removing it declares the worker
gone; nothing that it writes counts any more. On a single machine no worker has a row.
"""

from __future__ import annotations

import json
from typing import NamedTuple

from sparing.connection import Connection

NAMES = (
    "id", "host", "person", "process", "version", "kernel", "disk", "checkout", "backends",
    "slots", "started", "draining",
)  # fmt: skip
_COLUMNS = ", ".join(NAMES)


class Worker(NamedTuple):
    id: str
    host: str
    person: str
    process: int
    version: str
    kernel: str
    """Sessions of a client begin with it: another one has less to read from a cache."""
    disk: str
    """Name of the state folder it works in, with its worktrees and sessions."""
    checkout: str
    backends: tuple[str, ...]
    slots: int
    started: float
    draining: bool = False


def announce(tx: Connection, worker: Worker) -> None:
    values = (
        *worker[: NAMES.index("backends")], json.dumps(worker.backends), worker.slots,
        worker.started, int(worker.draining),
    )  # fmt: skip
    marks = ", ".join("?" * len(NAMES))
    tx.execute(f"insert into workers ({_COLUMNS}) values ({marks})", values)  # noqa: S608


def set_draining(tx: Connection, worker: str) -> None:
    tx.execute("update workers set draining = 1 where id = ?", (worker,))


def remove(tx: Connection, worker: str) -> bool:
    return tx.execute("delete from workers where id = ?", (worker,)).rowcount == 1


def is_known(connection: Connection, worker: str) -> bool:
    found = connection.execute("select 1 from workers where id = ?", (worker,)).fetchone()
    return found is not None


def every(connection: Connection) -> list[Worker]:
    """In the order in which they came."""
    rows = connection.execute(f"select {_COLUMNS} from workers order by started, id")  # noqa: S608
    return [_worker(*row) for row in rows]


def _worker(*values: object) -> Worker:
    row = dict(zip(NAMES, values, strict=True))
    return Worker(
        **{
            **row,
            "backends": tuple(json.loads(str(row["backends"]))),
            "draining": bool(row["draining"]),
        }  # pyright: ignore[reportArgumentType]
    )
