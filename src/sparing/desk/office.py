"""What every request of a door needs: a repository, its settings and its state folder."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING

from sparing.config.person import person_here
from sparing.config.process_environment import git_environment, known_secrets
from sparing.config.sources import Sources, sources_here, state_root
from sparing.database import Database
from sparing.lazy_dataclass import lazy_dataclass
from sparing.postgres import Server
from sparing.records.features import FeatureRow, list_all
from sparing.records.folder import StateFolder, open_folder
from sparing.redact import Redactor
from sparing.workspace.git.repository import (
    Repository,
    confirmed,
    locate_repository,
    search_repository,
)

if TYPE_CHECKING:
    from sparing.config.load import Loaded
    from sparing.config.settings import Settings

TERMINAL = "terminal"
"""Who answers where the records are one person's own."""


@lazy_dataclass
class Office:
    repository: Repository
    sources: Sources
    flags: Mapping[str, object]
    folder: StateFolder
    database: Database
    reading: bool = False
    """The repository itself is not looked into."""

    @cached_property
    def loaded(self) -> Loaded:
        return _load(self.sources, self.flags)

    @cached_property
    def person(self) -> str:
        """Who asks."""
        return person_here(self.loaded.settings.state.person)

    @property
    def sender(self) -> str:
        """Who answers in a terminal: of a shared database by name."""
        return TERMINAL if self.database.server is None else self.person


def open_office(
    start: Path, flags: Mapping[str, object] | None = None, *, reading: bool = False
) -> Office:
    """With `reading` the repository itself is not looked into: enough to see our own records."""
    repository = locate_repository(start) if reading else search_repository(start)
    sources, given = sources_here(repository.checkout), flags or {}
    database = ""
    # Where nothing is set there is nothing to check, and our records are where they always are.
    if reading and sources.are_silent and not given:
        root = state_root("", sources.environ)
    else:
        loaded = _load(sources, given)
        root, database = loaded.state_root, loaded.settings.state.database
    logins: tuple[str, ...] = ()
    if not reading:
        from sparing.workspace.git.config import credentials
        from sparing.workspace.git.trusted_programs import trusted_pins

        pins = trusted_pins(root / repository.key)
        repository = confirmed(repository, pins, git_environment())
        logins = credentials(repository.git().settings())
    redactor, server = Redactor((*known_secrets(), *logins)), _server(database, repository)
    folder = open_folder(root, repository.key, redactor, server)
    repository = replace(repository, locks=folder.locks)
    return Office(
        repository=repository, sources=sources, flags=given, folder=folder,
        database=folder.database(), reading=reading,
    )  # fmt: skip


def every_row(office: Office) -> list[FeatureRow]:
    with office.database.read() as connection:
        return list_all(connection)


def _server(url: str, repository: Repository) -> Server | None:
    """A repository is known to a team by the address it came from, wherever it lies."""
    if not url:
        return None
    from hashlib import sha256

    from sparing.workspace.git.push import remote_of

    remote = remote_of(repository, "")
    name = remote.url.removesuffix("/").removesuffix(".git") if remote else repository.key
    return Server(url, f"sparing_{sha256(name.encode()).hexdigest()[:12]}")


def settings_of(office: Office, row: FeatureRow) -> Settings:
    """What counts for a feature: it may have been started with settings of its own."""
    return _load(sources_here(office.repository.checkout), row.overrides).settings


def _load(sources: Sources, flags: Mapping[str, object]) -> Loaded:
    from sparing.config.load import load  # the table of all settings, which few looks need

    return load(sources, flags)
