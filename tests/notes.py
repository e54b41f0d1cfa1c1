"""The smallest database there is: notes, one a row."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from sparing.database import Database, open_database
from sparing.errors import StateError

NOTES = ("create table notes (n integer primary key, text text not null unique)",)


def make_notes(folder: Path, *texts: str) -> Database:
    database = open_database(folder / "state" / "notes.db", NOTES)
    add(database, *texts)
    return database


def add(database: Database, *texts: str) -> None:
    with database.write() as tx:
        tx.executemany("insert into notes (text) values (?)", [(text,) for text in texts])


def notes(database: Database) -> list[str]:
    with database.read() as connection:
        return [text for (text,) in connection.execute("select text from notes order by n")]


def complaint(act: Callable[[], object]) -> StateError:
    """The failure, after a look that it has one line for each of its two questions."""
    with pytest.raises(StateError) as caught:
        act()
    assert len(str(caught.value).splitlines()) == 2
    return caught.value
