"""The repositories of this machine in which there are features, as our own records know them."""

from __future__ import annotations

import sqlite3
from pathlib import Path
from typing import NamedTuple

from sparing.database import Database
from sparing.errors import StateError
from sparing.records import features
from sparing.records.folder import StateFolder


class KnownRepository(NamedTuple):
    key: str
    checkout: str
    """The folder from which its latest feature was started."""

    @property
    def name(self) -> str:
        return Path(self.checkout).name


def known_repositories(root: Path) -> tuple[KnownRepository, ...]:
    """By name; one whose folder or whose records can't be read is left out."""
    if not root.is_dir():
        return ()
    folders = [StateFolder(path) for path in root.iterdir() if path.is_dir()]
    found = (_known(folder) for folder in folders if folder.exists)
    return tuple(sorted(filter(None, found), key=lambda one: (one.name, one.key)))


def _known(folder: StateFolder) -> KnownRepository | None:
    try:
        with Database(folder.path / "sparing.db").read() as connection:
            checkout = features.latest_checkout(connection)
    except (StateError, sqlite3.Error):
        return None
    return KnownRepository(folder.path.name, checkout) if Path(checkout).is_dir() else None
