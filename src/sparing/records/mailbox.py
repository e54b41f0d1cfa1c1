"""The mailbox: requests from user interfaces to the engine.

A sender writes a row and is done, whether an engine runs or not. The key makes a repeated request
count once; the engine acts on rows in order and marks them done.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

from sparing.connection import Connection
from sparing.lazy_dataclass import lazy_dataclass
from sparing.records import features
from sparing.records.features import FeatureRow
from sparing.wait import ring

SAY = "say"
"""The verb of a message for an author; it answers nothing."""


@lazy_dataclass
class Letter:
    n: int
    feature: str
    verb: str
    gate: str
    body: str
    sender: str


def post(tx: Connection, key: str, letter: Letter, at: float) -> bool:
    """Add a letter; False if there is already one with this key."""
    ring()
    done = tx.execute(
        "insert into mailbox (key, feature, verb, gate, body, sender, sent)"
        " values (?, ?, ?, ?, ?, ?, ?) on conflict (key) do nothing",
        (key, letter.feature, letter.verb, letter.gate, letter.body, letter.sender, at),
    )
    return done.rowcount == 1


def unread(connection: Connection) -> list[Letter]:
    rows = connection.execute(
        "select n, feature, verb, gate, body, sender from mailbox where done is null order by n"
    )
    return [Letter(*row) for row in rows]


def is_unread(connection: Connection, n: int) -> bool:
    found = connection.execute("select done from mailbox where n = ?", (n,)).fetchone()
    return found is not None and found[0] is None


def pending(connection: Connection, gate: str) -> Letter | None:
    row = connection.execute(
        "select n, feature, verb, gate, body, sender from mailbox"
        " where gate = ? and done is null order by n limit 1",
        (gate,),
    ).fetchone()
    return Letter(*row) if row else None


def sent_at(connection: Connection, n: int) -> float:
    found = connection.execute("select sent from mailbox where n = ?", (n,)).fetchone()
    return float(found[0])


class BeforeMove(NamedTuple):
    """What is known before a move is decided."""

    row: FeatureRow
    order: str
    """The last verb that a person sent to the leg that runs; empty if none."""
    ruled: bool
    """A person has ruled on findings of the feature."""


def before_move(connection: Connection, feature: str, leg: str, verbs: Sequence[str]) -> BeforeMove:
    """With one statement; `verbs` are those that a leg that runs may be sent."""
    marks = ", ".join("?" * len(verbs))
    found = connection.execute(
        f"select {features.COLUMNS}, (select verb from mailbox where gate = ?"  # noqa: S608
        f" and verb in ({marks}) order by n desc limit 1),"
        " (select count(*) from rulings where feature = features.key) from features where key = ?",
        (leg, *verbs, feature),
    ).fetchone()
    assert found is not None, f"{feature} has no row"
    *values, verb, rulings = found
    return BeforeMove(features.row_of(*values), verb or "", rulings > 0)


def progress(
    tx: Connection,
    key: str,
    leg_id: tuple[int, int],
    place: dict[str, Any],
    head: str,
    asked: Mapping[str, object] | None = None,
    letters: tuple[str, ...] = ("", ""),
) -> str | None:
    """Store what a running leg has decided, for display and for a leg that can't be replayed.

    `letters` are the leg's id and the verbs that it may be sent; returns the last that it was sent
    up to now, None if the leg no longer runs.
    """
    marks = ", ".join("?" * len(letters[1:]))
    found = tx.execute(
        "update features set place = ?, head = ?, asked = ?"  # noqa: S608
        " where key = ? and generation = ? and leg = ? and running = 1"
        f" returning (select verb from mailbox where gate = ? and verb in ({marks})"
        " order by n desc limit 1)",
        (json.dumps(place), head, features.asked_text(asked or {}), key, *leg_id, *letters),
    ).fetchone()
    return (found[0] or "") if found else None


def forward(tx: Connection, leg: str, new: str) -> None:
    """Readdress what was sent to a running leg to the leg that replaces it."""
    tx.execute("update mailbox set gate = ? where gate = ?", (new, leg))


def words_to(connection: Connection, feature: str, verb: str) -> list[Letter]:
    """All letters of one kind that a feature ever got, in order."""
    rows = connection.execute(
        "select n, feature, verb, gate, body, sender from mailbox"
        " where feature = ? and verb = ? order by n",
        (feature, verb),
    )
    return [Letter(*row) for row in rows]


def obeyed(tx: Connection, n: int, result: str, at: float) -> None:
    tx.execute("update mailbox set done = ?, result = ? where n = ?", (at, result, n))


def void(tx: Connection, n: int, result: str, at: float) -> None:
    """Mark a letter as read without effect; the same request may be sent again."""
    tx.execute("update mailbox set key = key || '.void.' || n where n = ?", (n,))
    obeyed(tx, n, result, at)
