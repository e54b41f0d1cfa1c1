"""Rows of the engine's database are data. Each names its own serializer; one that names pickle
would run code when it is read, so pickle is refused, and what can't be read is found.
"""

from __future__ import annotations

import sqlite3
from contextlib import closing
from pathlib import Path
from typing import NoReturn

import dbos._serialization as serialization

OURS = "portable_json"


def refuse_pickle() -> None:
    def refuse(*_: object) -> NoReturn:
        raise TypeError("pickle is refused")

    for name in ("serialize", "deserialize"):
        setattr(serialization.DefaultSerializer, name, refuse)


def unreadable(database: Path) -> list[str]:
    """Workflows under way whose rows are not in the one form that we write."""
    with closing(sqlite3.connect(f"file:{database}?mode=ro", uri=True)) as connection:
        rows = connection.execute(
            "select workflow_uuid from workflow_status"
            " where status in ('PENDING', 'ENQUEUED') and coalesce(serialization, '') <> ?",
            (OURS,),
        )
        return [row[0] for row in rows]
