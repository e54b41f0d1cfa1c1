"""Which worker has claimed which feature. A leg is run by the worker that has claimed its feature.

A claim ends with its leg, or when its worker is gone: then another worker takes the feature over,
and the leg continues as a new generation. The generation tells their writes apart.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import NamedTuple

from sparing.connection import Connection
from sparing.records.features import COLUMNS, REVIEWS, FeatureRow, row_of


class Claimable(NamedTuple):
    key: str
    previous: str
    """The worker that had claimed it and is gone; empty if there was none."""
    disk: str
    """Where its worktree and sessions were used last."""


_FREE = (
    "running = 1 and number < ? and executor <> ? and (executor = ''"
    " or not exists (select 1 from workers where workers.id = executor))"
)


Leg = tuple[str, int, int]
"""Key of the feature, generation, number."""


class Due(NamedTuple):
    """What a worker has to act on."""

    letters: bool
    free: bool
    """There are features that it may claim."""
    legs: frozenset[Leg]
    """Those that it runs."""


def due(connection: Connection, worker: str) -> Due:
    """With one short statement: it is asked every second."""
    rows = connection.execute(
        "select 'letter', '', 0, 0 from mailbox where done is null"  # noqa: S608
        f" union all select 'free', '', 0, 0 from features where {_FREE}"
        " union all select 'leg', key, generation, leg from features"
        " where number < ? and running = 1 and executor = ?",
        (REVIEWS, worker, REVIEWS, worker),
    ).fetchall()
    kinds = {row[0] for row in rows}
    legs = frozenset((row[1], row[2], row[3]) for row in rows if row[0] == "leg")
    return Due("letter" in kinds, "free" in kinds, legs)


class Overview(NamedTuple):
    """All features, what a worker has to act on, and the number of the latest event."""

    rows: list[FeatureRow]
    due: Due
    event: int


def overview(connection: Connection, worker: str) -> Overview:
    """With one statement: it is asked after every write."""
    found = connection.execute(
        f"select {COLUMNS}, (select count(*) from mailbox where done is null),"  # noqa: S608
        " (select count(*) from workers where workers.id = features.executor),"
        " (select coalesce(max(n), 0) from events)"
        f" from features where number < {REVIEWS} order by number"
    ).fetchall()
    rows = [row_of(*row[:-3]) for row in found]
    running = [(row, one[-2]) for row, one in zip(rows, found, strict=True) if row.running]
    free = any(row.executor != worker and not (row.executor and live) for row, live in running)
    legs = {
        (row.feature.key, row.generation, row.leg) for row, _ in running if row.executor == worker
    }
    due = Due(any(one[-3] for one in found), free, frozenset(legs))
    return Overview(rows, due, max((one[-1] for one in found), default=0))


def claimable(connection: Connection, worker: str) -> list[Claimable]:
    """Features whose leg has to run and that no live worker has claimed, most urgent first."""
    rows = connection.execute(
        f"select key, executor, disk from features where {_FREE}"  # noqa: S608
        " order by case priority when 'high' then 0 when 'medium' then 1 else 2 end, number",
        (REVIEWS, worker),
    )
    return [Claimable(*row) for row in rows]


def claim(tx: Connection, worker: str, disk: str, keys: Iterable[str]) -> list[Claimable]:
    """Claim these features for the worker; returns those that were still free."""
    wanted = frozenset(keys)
    found = [one for one in claimable(tx, worker) if one.key in wanted]
    take(tx, worker, disk, found)
    return found


def take(tx: Connection, worker: str, disk: str, free: Iterable[Claimable]) -> None:
    """Claim what was found to be free in the same transaction."""
    for one in free:
        tx.execute(
            "update features set executor = ?, disk = ? where key = ?", (worker, disk, one.key)
        )


def release(tx: Connection, worker: str, one: Claimable) -> None:
    """Give a claim back to its previous holder, because the leg was not started here."""
    tx.execute(
        "update features set executor = ?, disk = ? where key = ? and executor = ?",
        (one.previous, one.disk, one.key, worker),
    )


def of_worker(connection: Connection, worker: str) -> frozenset[str]:
    """Features that it has and whose leg runs."""
    rows = connection.execute(
        "select key from features where running = 1 and executor = ?", (worker,)
    )
    return frozenset(str(row[0]) for row in rows)
