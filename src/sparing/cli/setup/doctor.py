"""`sparing doctor`: what is installed, what is missing, and how to fix it."""

from __future__ import annotations

import platform
import shutil
import sys
from collections.abc import Callable
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path

import click

from sparing import __version__, sandbox_path
from sparing.cli.options import json_option, print_json
from sparing.cli.screen import echo, style, wrapped
from sparing.cli.setup.doctor_agent import DoctorLine, agent_findings, online_finding
from sparing.cli.setup.doctor_clients import client_findings, lever_words
from sparing.config.load import current
from sparing.config.terminal import homely
from sparing.database import Database
from sparing.desk.features.engine_presence import other_versions
from sparing.desk.office import Office, open_office
from sparing.desk.setup.disk_use import disk_use
from sparing.desk.setup.roles import catalog, check_roles
from sparing.errors import SparingError, StateError

OLDEST_GIT = (2, 38)
LATEST = "latest"
UNKNOWN = "unknown until there is an agent"


@click.command("doctor")
@click.option(
    "--resume", is_flag=True, help="Check in three short turns that sessions can be resumed."
)
@click.option(
    "--tools",
    is_flag=True,
    help="Check in five turns per model that the agent can use Sparing's tools.",
)
@click.option("--online", is_flag=True, help="Also check that the model's address answers.")
@click.option(
    "--restore", metavar="[DAY]", is_flag=False, flag_value=LATEST,
    help="Restore a backup of the records: the latest, that of DAY, or schema-N from an upgrade.",
)  # fmt: skip
@click.option("--yes", is_flag=True, help="With --restore: even if the records are intact.")
@json_option
def doctor_command(
    resume: bool, tools: bool, online: bool, restore: str | None, yes: bool, as_json: bool
) -> int:
    """Check that everything sparing needs is installed and works.

    Says which agent would be used and why, what is missing and how to get it. Changes nothing and
    uses no network, except with --online (free), --resume, --tools and --restore.
    """
    if restore is not None:
        from sparing.cli.setup.doctor_restore import restore_records

        return restore_records("" if restore == LATEST else restore, yes=yes, as_json=as_json)
    findings = [_python(), _engine(), _git(), _sandbox(), *_here()]
    findings += [online_finding()] if online else []
    findings += _resume() if resume else []
    findings += _tools() if tools else []
    good = all(finding.good for finding in findings)
    if as_json:
        print_json(good=good, findings=[finding._asdict() for finding in findings])
        return 0 if good else 1
    for finding in findings:
        mark = style("✓", fg="green") if finding.good else style("✗", fg="red")
        mark = mark if finding.found or not finding.good else style("·", dim=True)
        first, *rest = finding.words.split("; ") if finding.name == "sandbox" else [finding.words]
        echo(f"{mark} {finding.name:<13}{homely(first)}")
        for line in rest:
            echo(style(wrapped(line, " " * 15), dim=True))
        if finding.repair:
            echo(f"{'':<15}{style(finding.repair, fg='cyan')}")
    return 0 if good else 1


def _python() -> DoctorLine:
    words = f"sparing {__version__} on Python {platform.python_version()} ({sys.platform})"
    return DoctorLine("python", good=True, words=words)


def _engine() -> DoctorLine:
    try:
        return DoctorLine("engine", good=True, words=f"dbos {version('dbos')}")
    except PackageNotFoundError:
        return DoctorLine("engine", good=False, words="dbos is not installed", repair="make setup")


def _git() -> DoctorLine:
    from sparing.workspace.git.runner import git_version

    found = shutil.which("git")
    if found is None:
        return DoctorLine(
            "git", good=False, words="not installed", repair="install git 2.38 or newer"
        )
    numbers = git_version()
    words = ".".join(str(number) for number in numbers)
    if numbers < OLDEST_GIT:
        return DoctorLine("git", good=False, words=words, repair="install git 2.38 or newer")
    return DoctorLine("git", good=True, words=words)


def _sandbox() -> DoctorLine:
    from sparing.workspace.sandbox.launcher import level_reached
    from sparing.workspace.sandbox.policy import settle_level

    reach = level_reached()
    try:
        settle_level(reach)
    except SparingError as error:
        return DoctorLine("sandbox", good=False, words=error.what, repair=error.repair)
    where = f"; inside it, every worktree is {sandbox_path.WORKTREE}" if reach.constant else ""
    return DoctorLine("sandbox", good=True, words=reach.words + where)


def _tools() -> list[DoctorLine]:
    from sparing.cli.setup.doctor_tools import tool_answers

    try:
        return tool_answers(open_office(Path.cwd()))
    except SparingError as error:
        return [DoctorLine("tools", good=False, words=error.what, repair=error.repair)]


def _resume() -> list[DoctorLine]:
    from sparing.cli.setup.doctor_resume import resume_answers

    try:
        return [DoctorLine(*answer) for answer in resume_answers(open_office(Path.cwd()))]
    except SparingError as error:
        return [DoctorLine("resume", good=False, words=error.what, repair=error.repair)]


def _here() -> list[DoctorLine]:
    """The settings, the agent, the repository and its state folder."""
    settings = _look("settings", lambda: _settings(None))
    try:
        office = open_office(Path.cwd())
    except SparingError as error:
        agents = agent_findings(current(None)) if settings.good else []
        bad = DoctorLine("repository", good=False, words=error.what, repair=error.repair)
        return [settings, *agents, bad]
    return [
        _look("settings", lambda: _settings(office)),
        *agent_findings(office.loaded),
        _look("levers", lambda: lever_words(office)),
        *client_findings(office),
        _look("tools", lambda: _whose_tools(office)),
        _look("repository", lambda: str(office.repository.checkout)),
        _look("state", lambda: _state(office)),
        _look("disk", lambda: disk_use(office).words),
        *_versions(office),
        _look("roles", lambda: _roles(office)),
    ]


def _versions(office: Office) -> list[DoctorLine]:
    """Engines or workers of another version that run features here."""
    return [
        DoctorLine("version", good=False, words=one.words, repair=one.repair)
        for one in other_versions(office)
    ]


def _look(name: str, look: Callable[[], str]) -> DoctorLine:
    try:
        words = look()
        return DoctorLine(name, good=True, words=words, found=words != UNKNOWN)
    except SparingError as error:
        return DoctorLine(name, good=False, words=error.what, repair=error.repair)


def _settings(office: Office | None) -> str:
    loaded = office.loaded if office else current(None)
    own = [key for key, origin in loaded.origins.items() if origin != "default"]
    return f"{len(own)} set, the rest by default (sparing config show)"


def _state(office: Office) -> str:
    server = office.folder.server
    if server is None:
        return f"{office.folder.path}, {_intact(office.database)}"
    with office.database.read() as connection:
        connection.execute("select n from changes").fetchone()
    return f"{server.shown}, schema {server.schema}; worktrees in {office.folder.path}"


def _intact(database: Database) -> str:
    with database.read() as connection:
        answer = connection.execute("pragma quick_check").fetchone()[0]
    if answer != "ok":
        raise StateError(
            f"the state in {database.path.parent} is damaged: {answer}",
            "restore the latest daily backup: sparing doctor --restore",
        )
    return "intact"


def _roles(office: Office) -> str:
    warnings = check_roles(office)
    own = len(catalog(office).own)
    words = f"{own} of your own or the repository's" if own else "the built-in ones"
    return "; ".join((words, *warnings))


def _whose_tools(office: Office) -> str:
    from sparing.cli.setup.doctor_tools import whose_tools

    try:
        return whose_tools(office)
    except SparingError:
        return UNKNOWN
