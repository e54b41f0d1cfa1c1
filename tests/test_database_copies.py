"""Before a schema is changed, the database as it is is copied: there is a way back.

Covers: I7, I3, K1
"""

from __future__ import annotations

import sqlite3
from contextlib import closing
from pathlib import Path

import pytest

from sparing.database import Database, open_database
from tests.disks import on_a_small_disk
from tests.notes import NOTES, add, complaint, make_notes, notes

MORE = tuple(f"create table more{number} (n integer)" for number in range(6))


@pytest.fixture
def database(tmp_path: Path) -> Database:
    return make_notes(tmp_path, "one", "two")


def copies(database: Database) -> list[str]:
    return sorted(path.name for path in database.path.parent.glob("*schema*"))


def test_the_copy_holds_what_was_there_before(database: Database) -> None:
    """I7: also what was in the log only; readable by its owner alone."""
    with database.watch() as changed:
        changed()
        add(database, "three")
        open_database(database.path, (*NOTES, MORE[0]))
    copy = database.path.with_name("notes.db.schema-1")
    with closing(sqlite3.connect(copy)) as connection:
        assert connection.execute("select count(*) from notes").fetchone() == (3,)
        assert connection.execute("pragma user_version").fetchone() == (1,)
    assert copy.stat().st_mode & 0o777 == 0o600


def test_a_new_database_has_no_copy(database: Database) -> None:
    assert copies(database) == []
    open_database(database.path, NOTES)
    assert copies(database) == []


def test_the_newest_three_are_kept(database: Database) -> None:
    for number in range(len(MORE)):
        open_database(database.path, (*NOTES, *MORE[: number + 1]))
    assert copies(database) == [f"notes.db.schema-{number}" for number in (4, 5, 6)]


def test_a_migration_that_fails_leaves_its_copy(database: Database) -> None:
    complaint(lambda: open_database(database.path, (*NOTES, "insert into nowhere values (1)")))
    assert copies(database) == ["notes.db.schema-1"]
    assert notes(database) == ["one", "two"]


FULL = """
from sparing.database import open_database
from sparing.errors import StateError
schema = "create table notes (n integer primary key, text text not null unique)"
with open_database(folder / "notes.db", (schema,)).watch() as changed:
    changed()
    squeeze()
    try:
        open_database(folder / "notes.db", (schema, "create table more (n integer)"))
    except StateError as error:
        print(error)
relieve()
print(sorted(path.name for path in folder.iterdir() if "schema" in path.name))
open_database(folder / "notes.db", (schema, "create table more (n integer)"))
print(sorted(path.name for path in folder.iterdir() if "schema" in path.name))
"""


def test_without_room_for_a_copy_nothing_is_changed(tmp_path: Path) -> None:
    """I3: two lines, no half copy; with room again the same command goes through."""
    ended = on_a_small_disk(tmp_path, FULL)
    assert ended.code == 0, ended.err
    what, repair, left, made = ended.out.splitlines()
    if ended.real:
        assert what.endswith("a copy of notes.db, which is made before it is upgraded")
    # A limit on file sizes is no full disk: newer versions of SQLite call it an error of the disk.
    assert "free" in repair or (not ended.real and "disk I/O error" in what)
    assert (left, made) == ("[]", "['notes.db.schema-1']")
