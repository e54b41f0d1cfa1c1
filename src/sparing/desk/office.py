"""What every request from a user interface needs: repository, settings and state folder."""

from __future__ import annotations

from collections.abc import Generator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import replace
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING

from sparing.config.person import person_here
from sparing.config.process_environment import git_environment, known_secrets
from sparing.config.sources import Sources, sources_here, state_root
from sparing.database import Database
from sparing.feature import Feature
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
"""Sender of answers if the records belong to one person."""


@lazy_dataclass
class Office:
    repository: Repository
    sources: Sources
    flags: Mapping[str, object]
    folder: StateFolder
    database: Database
    reading: bool = False
    """True if the repository itself is not examined."""

    @cached_property
    def loaded(self) -> Loaded:
        return _load(self.sources, self.flags)

    @cached_property
    def person(self) -> str:
        """The person using this command."""
        return person_here(self.loaded.settings.state.person)

    @property
    def sender(self) -> str:
        """Who answers in a terminal: on a shared database, the person's name."""
        return TERMINAL if self.database.server is None else self.person


def open_office(
    start: Path,
    flags: Mapping[str, object] | None = None,
    *,
    reading: bool = False,
    scratch: Path | None = None,
) -> Office:
    """With `reading` the repository itself is not examined: enough to see our own records. With
    `scratch` a repository without records gets them there, for as long as that folder exists."""
    repository = locate_repository(start) if reading else search_repository(start)
    sources, given = sources_here(repository.checkout), flags or {}
    # Where nothing is set there is nothing to check, and our records are where they always are.
    silent = reading and sources.are_silent and not given
    loaded = None if silent else _load(sources, given)
    root = loaded.state_root if loaded else state_root("", sources.environ)
    database = loaded.settings.state.database if loaded else ""
    logins: tuple[str, ...] = ()
    if loaded and not reading:
        from sparing.provision.file_secrets import known_from_files
        from sparing.workspace.git.config import credentials
        from sparing.workspace.git.trusted_programs import trusted_pins

        pins = trusted_pins(root / repository.key)
        repository = confirmed(repository, pins, git_environment())
        shared = known_from_files(repository.checkout, loaded.settings.workspace)
        logins = (*credentials(repository.git().settings()), *shared)
    redactor, server = Redactor((*known_secrets(), *logins)), _server(database, repository)
    if scratch is not None and not (root / repository.key).exists():
        root = scratch
    folder = open_folder(root, repository.key, redactor, server)
    repository = replace(repository, locks=folder.locks)
    return Office(
        repository=repository, sources=sources, flags=given, folder=folder,
        database=folder.database(), reading=reading,
    )  # fmt: skip


@contextmanager
def try_office(start: Path, flags: Mapping[str, object] | None = None) -> Generator[Office]:
    """For a preview: leaves no state behind for a repository that Sparing has never worked in."""
    from tempfile import TemporaryDirectory

    with TemporaryDirectory(prefix="sparing-") as scratch:
        yield open_office(start, flags, scratch=Path(scratch))


def every_row(office: Office) -> list[FeatureRow]:
    with office.database.read() as connection:
        return list_all(connection)


def rows_named(rows: Sequence[FeatureRow], name: str) -> list[FeatureRow]:
    """By number (`1`, `001`), full name or slug; a number is never taken for a slug."""
    wanted = name.strip().lower()
    number = wanted.lstrip("0")
    return [row for row in rows if number == str(row.feature.number)] or [
        row for row in rows if wanted in _names(row.feature)
    ]


def _names(feature: Feature) -> tuple[str, ...]:
    """Names it may be called by besides its number; a project's number is prefixed with P."""
    short = f"p{-feature.number}" if feature.is_project else feature.name
    return (feature.name.lower(), feature.slug, feature.id.lower(), short)


def _server(url: str, repository: Repository) -> Server | None:
    """A team identifies a repository by its remote's address, wherever it is checked out."""
    if not url:
        return None
    from hashlib import sha256

    name = _address(repository).removesuffix("/").removesuffix(".git")
    return Server(url, f"sparing_{sha256(name.encode()).hexdigest()[:12]}")


def _address(repository: Repository) -> str:
    from sparing.workspace.git.push import remote_of

    remote = remote_of(repository, "")
    return remote.url if remote else repository.key


def refuse_second_address(office: Office) -> None:
    """Raise if a team's database has this repository's features under another address only."""
    if office.folder.server is not None:
        from sparing.fleet.other_address import refuse_other_address

        refuse_other_address(office.database, office.repository, _address(office.repository))


def settings_of(office: Office, row: FeatureRow) -> Settings:
    """The settings in force for a feature, which may have been started with its own."""
    return _load(sources_here(office.repository.checkout), row.overrides).settings


def _load(sources: Sources, flags: Mapping[str, object]) -> Loaded:
    from sparing.config.load import load  # the table of all settings, which few looks need

    return load(sources, flags)
