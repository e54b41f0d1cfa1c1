"""`sparing doctor`: what is there, what is missing, and what repairs it."""

from __future__ import annotations

import platform
import shutil
import sys
from collections.abc import Callable
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import NamedTuple

import click

from sparing import __version__
from sparing.cli.options import json_option, print_json
from sparing.config.load import current
from sparing.config.settings import BackendName
from sparing.database import Database
from sparing.desk.office import Office, open_office
from sparing.desk.roles import catalog, check_roles
from sparing.errors import SparingError, StateError

OLDEST_GIT = (2, 38)


class Finding(NamedTuple):
    name: str
    good: bool
    words: str
    repair: str = ""


@click.command("doctor")
@json_option
def doctor_command(as_json: bool) -> int:
    """Check that everything sparing needs is there.

    Changes nothing and asks no network.
    """
    findings = [_python(), _engine(), _git(), *_here()]
    good = all(finding.good for finding in findings)
    if as_json:
        print_json(good=good, findings=[finding._asdict() for finding in findings])
        return 0 if good else 1
    for finding in findings:
        mark = click.style("✓", fg="green") if finding.good else click.style("✗", fg="red")
        click.echo(f"{mark} {finding.name:<12}{finding.words}")
        if finding.repair:
            click.echo(f"  {'':<12}{click.style(finding.repair, fg='cyan')}")
    return 0 if good else 1


def _python() -> Finding:
    words = f"sparing {__version__} on Python {platform.python_version()} ({sys.platform})"
    return Finding("python", good=True, words=words)


def _engine() -> Finding:
    try:
        return Finding("engine", good=True, words=f"dbos {version('dbos')}")
    except PackageNotFoundError:
        return Finding("engine", good=False, words="dbos is not installed", repair="make setup")


def _git() -> Finding:
    from sparing.workspace.git import git_version

    found = shutil.which("git")
    if found is None:
        return Finding("git", good=False, words="not installed", repair="install git 2.38 or newer")
    numbers = git_version()
    words = ".".join(str(number) for number in numbers)
    if numbers < OLDEST_GIT:
        return Finding("git", good=False, words=words, repair="install git 2.38 or newer")
    return Finding("git", good=True, words=words)


def _here() -> list[Finding]:
    """The settings, the repository, its state folder and the agent."""
    looks: list[tuple[str, Callable[[], str]]] = [("settings", lambda: _settings(None))]
    try:
        office = open_office(Path.cwd())
    except SparingError as error:
        looks_bad = Finding("repository", good=False, words=error.what, repair=error.repair)
        return [*(_look(name, look) for name, look in looks), looks_bad]
    looks = [
        ("settings", lambda: _settings(office)),
        ("repository", lambda: str(office.repository.checkout)),
        ("state", lambda: _state(office)),
        ("agent", lambda: _agent(office)),
        ("roles", lambda: _roles(office)),
    ]
    return [_look(name, look) for name, look in looks]


def _look(name: str, look: Callable[[], str]) -> Finding:
    try:
        return Finding(name, good=True, words=look())
    except SparingError as error:
        return Finding(name, good=False, words=error.what, repair=error.repair)


def _settings(office: Office | None) -> str:
    loaded = office.loaded if office else current(None)
    own = [key for key, origin in loaded.origins.items() if origin != "default"]
    return f"{len(own)} set, the others by default (sparing config show)"


def _state(office: Office) -> str:
    return f"{office.folder.path}, {_intact(office.database)}"


def _aside(database: Database) -> str:
    return f"put it aside: mv {database.path} {database.path}.damaged"


def _intact(database: Database) -> str:
    with database.read() as connection:
        answer = connection.execute("pragma quick_check").fetchone()[0]
    if answer != "ok":
        raise StateError(
            f"the state in {database.path.parent} is damaged: {answer}", _aside(database)
        )
    return "intact"


def _roles(office: Office) -> str:
    warnings = check_roles(office)
    own = len(catalog(office).own)
    words = f"{own} of your or the repository's own" if own else "those that ship"
    return "; ".join((words, *warnings))


def _agent(office: Office) -> str:
    chosen = office.loaded.settings.agent.backend
    if chosen is BackendName.SCRIPTED:
        return f"scripted, playing {office.loaded.agent_script or 'no script yet'}"
    return f"{chosen}: this version drives scripted agents only (sparing demo shows one)"
