"""Where a door stands: a repository, its settings and its state folder."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from sparing.config.load import Loaded, current
from sparing.database import Database
from sparing.records.folder import StateFolder, open_folder
from sparing.workspace.repository import Repository, find_repository, locate_repository


@dataclass(frozen=True)
class Office:
    repository: Repository
    loaded: Loaded
    folder: StateFolder
    database: Database


def open_office(
    start: Path, flags: Mapping[str, object] | None = None, *, reading: bool = False
) -> Office:
    """With `reading` the repository itself is not looked into: enough to see our own records."""
    repository = locate_repository(start) if reading else find_repository(start)
    loaded = current(repository.checkout, flags)
    folder = open_folder(loaded.state_root, repository.key)
    return Office(repository, loaded, folder, folder.database())
