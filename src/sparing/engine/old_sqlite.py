"""Functions that the engine's library needs from SQLite and that older versions lack."""

from __future__ import annotations

import sqlite3
import time


def with_parts_of_seconds(connection: sqlite3.Connection) -> None:
    """DBOS assumes that from Python 3.12 on SQLite is 3.42 or newer, and calls
    `unixepoch('subsec')`, which is null on an older one."""
    if sqlite3.sqlite_version_info < (3, 42):
        connection.create_function("unixepoch", -1, _epoch)


def _epoch(*how: str) -> float:
    return time.time() if "subsec" in how else int(time.time())
