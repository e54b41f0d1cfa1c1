"""One recipe for connections: schemas only grow, and nothing is ever half done.

Covers: I2, I4, K1
"""

from __future__ import annotations

import sqlite3
import subprocess
import sys
from pathlib import Path

import pytest

from sparing import database as database_module
from sparing.database import Database, open_database
from sparing.records import features
from sparing.records.schema import MIGRATIONS
from tests.notes import NOTES, add, complaint, make_notes, notes
from tests.records.rows import feature_row


def schema(database: Database) -> list[tuple[str, str]]:
    with database.read() as connection:
        return [
            (name, sql)
            for name, sql in connection.execute("select name, sql from sqlite_master order by name")
        ]


def version(database: Database) -> int:
    with database.read() as connection:
        return int(connection.execute("pragma user_version").fetchone()[0])


@pytest.fixture
def database(tmp_path: Path) -> Database:
    return make_notes(tmp_path, "one", "two")


@pytest.mark.parametrize("old", range(len(MIGRATIONS) + 1))
def test_every_schema_there_ever_was_becomes_the_latest(tmp_path: Path, old: int) -> None:
    """I4"""
    fresh = open_database(tmp_path / "fresh.db", MIGRATIONS)
    open_database(tmp_path / "old.db", MIGRATIONS[:old])
    upgraded = open_database(tmp_path / "old.db", MIGRATIONS)
    assert schema(upgraded) == schema(fresh)
    assert version(upgraded) == len(MIGRATIONS)


def test_a_feature_of_the_first_schema_is_there_after_an_upgrade(tmp_path: Path) -> None:
    """I4"""
    row = feature_row()
    with open_database(tmp_path / "new.db", MIGRATIONS).write() as tx:
        features.create(tx, row)
        written = dict(tx.execute("select * from features").fetchone())
    with open_database(tmp_path / "s.db", MIGRATIONS[:1]).write() as tx:
        names = [one["name"] for one in tx.execute("pragma table_info(features)")]
        marks = ", ".join("?" for _ in names)
        values = [written[name] for name in names]
        tx.execute(f"insert into features ({', '.join(names)}) values ({marks})", values)
    with open_database(tmp_path / "s.db", MIGRATIONS).read() as connection:
        assert features.list_all(connection) == [row]


def test_opening_twice_is_harmless(database: Database) -> None:
    """I4"""
    before = schema(database)
    again = open_database(database.path, NOTES)
    assert (schema(again), notes(again), version(again)) == (before, ["one", "two"], 1)


def test_a_migration_that_fails_leaves_the_schema_before_it(database: Database) -> None:
    """I4: neither its first half nor its number stay."""
    broken = "create table more (n integer);\ninsert into nowhere values (1)"
    before = schema(database)
    complaint(lambda: open_database(database.path, (*NOTES, broken)))
    assert (schema(database), version(database), notes(database)) == (before, 1, ["one", "two"])
    repaired = open_database(database.path, (*NOTES, "create table more (n integer)"))
    assert version(repaired) == 2


def test_an_older_program_never_sets_the_version_back(tmp_path: Path) -> None:
    """I4: it has looked before a newer one migrated, and gets its turn after it."""
    newer = open_database(tmp_path / "s.db", MIGRATIONS)
    getattr(database_module, "_migrate")(newer, MIGRATIONS[:-1])  # noqa: B009
    assert version(newer) == len(MIGRATIONS)


def test_a_newer_schema_is_refused(database: Database) -> None:
    """I4: never guessed at."""
    open_database(database.path, (*NOTES, "create table more (n integer)"))
    error = complaint(lambda: open_database(database.path, NOTES))
    assert error.what == "notes.db was written by a newer sparing (schema 2 > 1)"
    assert error.repair == "install that version again, or set another state.folder"


def test_only_its_owner_can_read_it(database: Database) -> None:
    modes = [path.stat().st_mode & 0o777 for path in (database.path.parent, database.path)]
    assert modes == [0o700, 0o600]


def test_an_exception_rolls_the_whole_transaction_back(database: Database) -> None:
    def half() -> None:
        with database.write() as tx:
            tx.execute("insert into notes (text) values ('three')")
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        half()
    assert notes(database) == ["one", "two"]
    add(database, "four")
    assert notes(database) == ["one", "two", "four"]


@pytest.mark.parametrize(
    ("statement", "error"),
    [
        ("insert into notes (text) values ('one')", sqlite3.IntegrityError),
        ("insert into notes (text) values (?)", sqlite3.ProgrammingError),
    ],
)
def test_a_bug_is_no_fault_of_the_file(
    database: Database, statement: str, error: type[Exception]
) -> None:
    """K1: it keeps its traceback."""
    with pytest.raises(error), database.write() as tx:
        tx.execute(statement)


WRITER = """
import sys, time
from pathlib import Path
from sparing.database import open_database
path, name, schema = Path(sys.argv[1]), sys.argv[2], sys.argv[3]
print("ready", flush=True)
while not path.with_suffix(".go").exists():
    time.sleep(0.001)
database = open_database(path, (schema,))
for number in range(15):
    with database.write() as tx:
        last = tx.execute("select coalesce(max(n), 0) from notes").fetchone()[0]
        tx.execute("insert into notes values (?, ?)", (last + 1, f"{name} {number}"))
"""


def test_four_writers_at_once_lose_nothing(tmp_path: Path) -> None:
    """I2: they make the file together and take turns, each sees what the others wrote."""
    path = tmp_path / "notes.db"
    writers = [
        subprocess.Popen(
            [sys.executable, "-c", WRITER, str(path), name, NOTES[0]],
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
        )
        for name in "abcd"
    ]
    assert [writer.stdout and writer.stdout.readline() for writer in writers] == [b"ready\n"] * 4
    path.with_suffix(".go").touch()
    assert [writer.communicate(timeout=240) for writer in writers] == [(b"", b"")] * 4
    written = notes(open_database(path, NOTES))
    assert sorted(written) == sorted(f"{name} {number}" for name in "abcd" for number in range(15))
