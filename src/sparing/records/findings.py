"""Findings as of the last review, and what people have ruled on them.

The row of a finding is replaced whenever its stage is reviewed again; `body` is the tracked finding
as JSON, which only the review room reads. A ruling outlives the review, the leg and a rerun: people
say a thing once.
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterable
from typing import NamedTuple

from sparing.connection import Connection


class FindingRow(NamedTuple):
    feature: str
    stage: str
    id: str
    role: str
    first: int
    """The iteration in which it was raised, and `last` the one in which it was said last."""
    last: int
    state: str
    body: str


class RulingRow(NamedTuple):
    feature: str
    stage: str
    finding: str
    ruling: str
    words: str
    at: float


def put_findings(tx: Connection, rows: Iterable[FindingRow]) -> None:
    tx.executemany(
        "insert into findings (feature, stage, id, role, first, last, state, body)"
        " values (?, ?, ?, ?, ?, ?, ?, ?) on conflict (feature, stage, id) do update set"
        " role = excluded.role, first = excluded.first, last = excluded.last,"
        " state = excluded.state, body = excluded.body",
        [row._replace(body=_whole(row.body)) for row in rows],
    )


def findings_of(connection: Connection, feature: str, stage: str = "") -> tuple[FindingRow, ...]:
    """In the order in which they were first stored."""
    rows = connection.execute(
        "select feature, stage, id, role, first, last, state, body from findings"
        " where feature = ? and (? = '' or stage = ?) order by rowid",
        (feature, stage, stage),
    )
    return tuple(FindingRow(*row) for row in rows)


def count_open(connection: Connection, feature: str) -> Counter[str]:
    """By stage: how many findings somebody still holds open; not those that are part of another
    one, nor suggestions that nobody repeated, of which nothing is known."""
    found = connection.execute(
        "select stage, body from findings where feature = ?"
        " and state not in ('resolved', 'not repeated')",
        (feature,),
    )
    return Counter(str(stage) for stage, body in found if not json.loads(body).get("into"))


def raised_by(connection: Connection, role: str) -> tuple[FindingRow, ...]:
    """Findings raised by one role, across all features."""
    rows = connection.execute(
        "select feature, stage, id, role, first, last, state, body from findings where role = ?",
        (role,),
    )
    return tuple(FindingRow(*row) for row in rows)


def forget(tx: Connection, feature: str, stages: Iterable[str]) -> None:
    """Delete the findings of stages that start over; a new review will raise them again if
    needed."""
    tx.executemany(
        "delete from findings where feature = ? and stage = ?",
        [(feature, stage) for stage in stages],
    )


def put_ruling(tx: Connection, row: RulingRow) -> None:
    """Store a ruling; the latest by time wins, in whatever order they are written."""
    tx.execute(
        "insert into rulings (feature, stage, finding, ruling, words, at)"
        " values (?, ?, ?, ?, ?, ?) on conflict (feature, stage, finding) do update set"
        " ruling = excluded.ruling, words = excluded.words, at = excluded.at"
        " where excluded.at >= rulings.at",
        row._replace(words=_whole(row.words)),
    )


def rulings_of(connection: Connection, feature: str, stage: str = "") -> tuple[RulingRow, ...]:
    rows = connection.execute(
        "select feature, stage, finding, ruling, words, at from rulings"
        " where feature = ? and (? = '' or stage = ?) order by rowid",
        (feature, stage, stage),
    )
    return tuple(RulingRow(*row) for row in rows)


def _whole(text: str) -> str:
    """Replace lone surrogates, which a model may write and no database accepts."""
    return text.encode("utf-8", "replace").decode()
