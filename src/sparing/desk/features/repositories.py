"""The repositories on this machine that have features, according to our own records."""

from __future__ import annotations

import sqlite3
from pathlib import Path
from typing import NamedTuple

from sparing.database import Database
from sparing.desk.office import Office
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
    """Sorted by name; leaves out any whose folder or records can't be read."""
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


def moved_here(office: Office) -> tuple[str, ...]:
    """Missing folders whose features began with commits of this repository: it was moved, or
    copied from one that was."""
    root = office.folder.path.parent
    folders = (StateFolder(path) for path in sorted(root.iterdir()) if path.is_dir())
    rows = (row.feature for folder in folders for row in _features_of(folder))
    gone = [row for row in rows if not Path(row.repository).is_dir()]
    if not gone:  # git is not even loaded then
        return ()
    git = office.repository.git()
    known = (row for row in gone if git.ask("cat-file", "-e", row.base_commit).returncode == 0)
    return tuple(dict.fromkeys(row.repository for row in known))


def _features_of(folder: StateFolder) -> list[features.FeatureRow]:
    if not folder.exists:
        return []
    try:
        with Database(folder.path / "sparing.db").read() as connection:
            return features.list_all(connection)
    except (StateError, sqlite3.Error):
        return []
