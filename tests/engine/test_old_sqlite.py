"""An SQLite that is older than the engine's library expects. Covers: K1."""

from __future__ import annotations

import sqlite3
import time
from contextlib import closing

from sparing.connection import with_parts_of_seconds


def test_sqlite_knows_parts_of_a_second() -> None:
    """K1: with Python 3.12 and SQLite 3.40 the engine could not make its tables."""
    with closing(sqlite3.connect(":memory:")) as connection:
        with_parts_of_seconds(connection, time.time)
        connection.execute("create table t (a, at integer not null default (unixepoch('subsec')))")
        connection.execute("insert into t (a) values (1)")
        ((at, whole),) = connection.execute("select at, unixepoch() from t")
    assert at > 1_700_000_000
    assert whole == int(whole)
