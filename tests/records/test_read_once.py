"""A plan reads each thing once, and never what was true before a write of its own.

Covers: I4
"""

from __future__ import annotations

from contextvars import Context
from pathlib import Path

import pytest

from sparing.database import Database
from sparing.read_once import each_read_once, forget_reads
from sparing.records import claims, events, features, mailbox
from sparing.records.claims import Due
from sparing.records.events import Event
from sparing.records.mailbox import Letter
from tests.records.attempts import FEATURE
from tests.records.rows import feature_row, make_database

COUNT = "select count(*) from events"


@pytest.fixture
def database(tmp_path: Path) -> Database:
    return make_database(tmp_path)


def told(number: int) -> Event:
    return Event(key=f"k{number}", feature=FEATURE, at=1.0, kind="warning", text=str(number))


def count(database: Database) -> int:
    with database.read() as connection:
        return int(connection.execute(COUNT).fetchone()[0])


def test_within_a_plan_a_statement_has_one_answer(database: Database) -> None:
    """I4: also if somebody else writes meanwhile; after the plan everything is new again."""
    before = count(database)
    with each_read_once():
        assert count(database) == before

        def write() -> None:
            with database.write() as tx:
                events.add(tx, told(1))

        Context().run(write)  # by whoever makes no plan
        assert count(database) == before
        forget_reads()
        assert count(database) == before + 1
    assert count(database) == before + 1


def test_a_plan_sees_what_it_has_written_itself(database: Database) -> None:
    """I4: a write forgets all answers."""
    with each_read_once():
        before = count(database)
        with database.write() as tx:
            events.add(tx, told(1))
        assert count(database) == before + 1


def test_answers_are_read_by_row_by_name_and_as_a_whole(database: Database) -> None:
    """I4: as from the database itself, the first time and again."""
    with database.write() as tx:
        events.add(tx, told(1), told(2))
    asked = "select key, text from events where feature = ? order by n"
    with each_read_once(), database.read() as connection:
        for _ in range(2):
            rows = connection.execute(asked, (FEATURE,))
            assert rows.fetchone()["key"] == "k1"
            assert [row["text"] for row in rows] == ["2"]
            assert rows.fetchone() is None
            assert [row[0] for row in connection.execute(asked, (FEATURE,)).fetchall()] == [
                "k1", "k2",
            ]  # fmt: skip


def test_what_is_added_without_a_transaction_is_seen(database: Database) -> None:
    """I4: as texts are stored on a server, where an insert has no rows to read."""
    add = (
        "insert into events (key, feature, at, kind, stage, role, text, data)"
        " values (?, ?, 1.0, 'warning', '', '', '', '{}')"
    )
    with each_read_once(), database.read() as connection:
        before = connection.execute(COUNT).fetchone()[0]
        connection.execute(add, ("k1", FEATURE))
        assert connection.execute(COUNT).fetchone()[0] == before + 1


def test_many_events_keep_their_order_and_each_its_place(database: Database) -> None:
    """K1: more than one statement takes; one that was told before is not told again."""
    many = [told(number) for number in range(events.MOST_AT_ONCE + 5)]
    with database.write() as tx:
        events.add(tx, many[3])
        events.add(tx, *many)
        events.add(tx)
    with database.read() as connection:
        found = [one.key for one in events.since(connection, 0, FEATURE)]
    rest = [one.key for one in many if one is not many[3]]
    assert found == [many[3].key, *rest]


def test_what_is_due_is_known_with_one_statement(database: Database) -> None:
    """I5: letters, features to claim, and the legs that run here."""
    with database.write() as tx:
        features.create(tx, feature_row(2))
        features.create(tx, feature_row(3))
    with database.read() as connection:
        assert claims.due(connection, "me") == Due(letters=False, free=False, legs=frozenset())
    key, own = feature_row(2).feature.key, feature_row(3).feature.key
    with database.write() as tx:
        mailbox.post(tx, "letter", Letter(0, key, "say", "", "words", "ada"), 1.0)
        tx.execute("update features set running = 1")
        claims.claim(tx, "me", "disk", [own])
    with database.read() as connection:
        found = claims.due(connection, "me")
        others = claims.due(connection, "another")
        for worker, due in (("me", found), ("another", others)):
            seen = claims.overview(connection, worker)
            assert (seen.due, seen.rows) == (due, features.list_all(connection))
            assert seen.event == events.latest_number(connection)
    leg = (own, feature_row(3).generation, feature_row(3).leg)
    assert found == Due(letters=True, free=True, legs=frozenset({leg}))
    assert others.legs == frozenset()
