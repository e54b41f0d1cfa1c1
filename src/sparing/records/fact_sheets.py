"""Facts that agents named and the program quoted, and the parts of the sheet made of them.

A part is written once: a second try finds it and leaves it as it is.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from sparing.connection import Connection


class FactRow(NamedTuple):
    stage: str
    role: str
    body: str
    """The quoted fact as JSON."""


class PartRow(NamedTuple):
    stage: str
    shown: bool
    """False: kept beside the prompts, so that turns without it can be compared."""
    text: str
    quotes: str
    """The quotes as JSON, so that they can be checked again later."""
    commit: str


def add(tx: Connection, feature: str, dispatch: str, facts: Sequence[FactRow], at: float) -> None:
    """All that one dispatch named; once."""
    tx.executemany(
        "insert into quoted_facts (feature, dispatch, n, stage, role, body, at)"
        " values (?, ?, ?, ?, ?, ?, ?) on conflict do nothing",
        [(feature, dispatch, n, *one, at) for n, one in enumerate(facts)],
    )


def facts_of(connection: Connection, feature: str) -> list[FactRow]:
    rows = connection.execute(
        "select stage, role, body from quoted_facts where feature = ? order by at, dispatch, n",
        (feature,),
    )
    return [FactRow(*row) for row in rows]


def put_part(tx: Connection, feature: str, part: PartRow, at: float) -> None:
    tx.execute(
        "insert into sheet_parts (feature, stage, shown, body, quotes, commit_id, at)"
        " values (?, ?, ?, ?, ?, ?, ?) on conflict do nothing",
        (feature, part.stage, int(part.shown), *part[2:], at),
    )


def parts_of(connection: Connection, feature: str) -> list[PartRow]:
    """Parts of the fact sheet in the order in which they were made."""
    rows = connection.execute(
        "select stage, shown, body, quotes, commit_id from sheet_parts where feature = ?"
        " order by at, stage",
        (feature,),
    )
    return [PartRow(row[0], bool(row[1]), *row[2:]) for row in rows]
