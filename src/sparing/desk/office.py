"""What every request of a door needs: a repository, its settings and its state folder."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from pathlib import Path

from sparing.config.load import Loaded, current, load, sources_here
from sparing.config.process_environment import git_environment, known_secrets
from sparing.config.settings import Settings
from sparing.database import Database
from sparing.records.features import FeatureRow
from sparing.records.folder import StateFolder, open_folder
from sparing.redact import Redactor
from sparing.workspace.git.config import credentials
from sparing.workspace.git.repository import (
    Repository,
    confirmed,
    locate_repository,
    search_repository,
)
from sparing.workspace.git.trusted_programs import trusted_pins


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
    repository = locate_repository(start) if reading else search_repository(start)
    loaded = current(repository.checkout, flags)
    if not reading:
        pins = trusted_pins(loaded.state_root / repository.key)
        repository = confirmed(repository, pins, git_environment())
    logins = () if reading else credentials(repository.git().settings())
    folder = open_folder(loaded.state_root, repository.key, Redactor((*known_secrets(), *logins)))
    repository = replace(repository, locks=folder.locks)
    return Office(repository, loaded, folder, folder.database())


def settings_of(office: Office, row: FeatureRow) -> Settings:
    """What counts for a feature: it may have been started with settings of its own."""
    return load(sources_here(office.repository.checkout), row.overrides).settings
