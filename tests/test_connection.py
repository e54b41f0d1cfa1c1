"""While a database is watched its connections are used again, and nobody can tell.

Covers: I2, I3
"""

from __future__ import annotations

import os
import shutil
import sqlite3
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from pathlib import Path

import pytest

from sparing.connection import Cleaning, Connection
from sparing.database import Database
from sparing.redact import Redactor
from tests.notes import add, make_notes, notes


@pytest.fixture
def database(tmp_path: Path) -> Database:
    return make_notes(tmp_path, "one", "two")


def used(database: Database) -> Cleaning:
    with database.read() as connection:
        connection.execute("select 1").fetchone()
    assert isinstance(connection, Cleaning)
    return connection


def is_open(connection: Connection) -> bool:
    try:
        connection.execute("select 1")
    except sqlite3.ProgrammingError:
        return False
    return True


def test_a_connection_is_used_again_while_somebody_watches(database: Database) -> None:
    first = used(database)
    assert not is_open(first)
    with database.watch():
        second = used(database)
        assert used(database) is second
        with ThreadPoolExecutor(1) as pool:
            assert pool.submit(used, database).result() is second
    assert not is_open(second)


def test_two_readers_at_once_have_two_connections(database: Database) -> None:
    with database.watch(), database.read() as one, database.read() as other:
        assert one is not other


def test_rows_that_were_not_read_to_the_end_hold_nobody_to_an_old_state(
    database: Database,
) -> None:
    """I2: the next reader sees what was written since."""
    with database.watch():
        with database.read() as connection:
            half = connection.execute("select text from notes order by n")
            assert half.fetchone()[0] == "one"
        with ThreadPoolExecutor(1) as pool:
            pool.submit(add, Database(database.path), "three").result()
        assert notes(database) == ["one", "two", "three"]


def test_a_transaction_that_failed_takes_its_connection_with_it(database: Database) -> None:
    with database.watch():
        failed: list[Connection] = []
        with suppress(KeyboardInterrupt), database.write() as tx:
            failed.append(tx)
            tx.execute("insert into notes (text) values ('three')")
            raise KeyboardInterrupt
        assert not is_open(failed[0])
        assert notes(database) == ["one", "two"]


def test_a_read_that_leaves_a_transaction_open_leaves_no_lock(database: Database) -> None:
    """I2"""
    with database.watch():
        with database.read() as connection:
            connection.execute("begin immediate")
        add(database, "three")
        assert notes(database) == ["one", "two", "three"]


def test_a_reader_after_a_writer_changes_nothing_that_it_asks_for(database: Database) -> None:
    """Only what is written is cleaned."""
    secret = "sk-ant-REDACTED"
    cleaning = Database(database.path, Redactor([secret]))
    with cleaning.watch():
        add(cleaning, secret)
        with cleaning.read() as connection:
            assert connection.execute("select ?", (secret,)).fetchone()[0] == secret
    assert secret not in notes(database)


def test_a_file_that_was_replaced_is_opened_anew(database: Database, tmp_path: Path) -> None:
    """I3"""
    other = make_notes(tmp_path / "other", "new")
    with database.watch():
        assert notes(database) == ["one", "two"]
        for name in ("-wal", "-shm"):
            database.path.with_name(database.path.name + name).unlink()
        shutil.copyfile(other.path, tmp_path / "copy")
        os.replace(tmp_path / "copy", database.path)  # noqa: PTH105 - reads as it is meant
        assert notes(database) == ["new"]
