"""What makes a fresh worktree usable: detected from its files, approved by a person, then run.

A set-up runs whatever a repository's author has written, with the network, so nothing runs before a
person has seen the commands. The answer is kept under the hash of what was shown; for other
commands the person is asked again. Commands are not run through a shell.
"""

from __future__ import annotations

import fnmatch
import hashlib
import json
import os
import re
import shlex
import tomllib
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import NamedTuple, cast

from sparing.errors import ConfigError
from sparing.workspace.checks.discover import as_table
from sparing.workspace.git.special_files import read_plain
from sparing.workspace.setup.files import Files

ANSWERS = "setup.json"
AUTO = "auto"
_TARGET = re.compile(r"^(setup|bootstrap|deps)\s*:(?!=)", re.MULTILINE)
_EXTRAS = ("dev", "test", "tests", "testing")


class Command(NamedTuple):
    argv: tuple[str, ...]
    origin: str
    """The file or setting that it comes from."""
    folder: str = ""
    """The folder in which it runs."""

    @property
    def words(self) -> str:
        line = shlex.join(self.argv)
        return f"{line} (in {self.folder})" if self.folder else line

    @property
    def told(self) -> list[str]:
        """What a person agrees to."""
        return [*self.argv, *(("in", self.folder) if self.folder else ())]


class SetupPlan(NamedTuple):
    """All that would be done to a new worktree: what is shown, agreed to and hashed."""

    commands: tuple[Command, ...] = ()
    copy: tuple[str, ...] = ()
    services: tuple[str, ...] = ()
    """Servers of this machine that checks may reach."""
    variables: tuple[str, ...] = ()
    """Names of variables of the user's environment that checks are given."""

    @property
    def digest(self) -> str:
        told = [[one.told for one in self.commands], list(self.copy)]
        if self.services or self.variables:
            told += [list(self.services), list(self.variables)]
        return hashlib.sha256(json.dumps(told).encode()).hexdigest()

    @property
    def empty(self) -> bool:
        return not any(self)

    @property
    def parts(self) -> tuple[SetupPlan, ...]:
        """The parts that are agreed to with it: each stays valid as long as it is unchanged,
        whatever happens to the others."""
        return (
            self,
            SetupPlan(self.commands, self.copy),
            SetupPlan((), self.copy),
            self.lent_to_checks,
        )

    @property
    def lent_to_checks(self) -> SetupPlan:
        return SetupPlan((), (), self.services, self.variables)


def plan_setup(
    files: Files, setup: Sequence[str], copy: Sequence[str], root: str = ""
) -> SetupPlan:
    """The plan from the settings; `auto` in the list stands for what is detected among the
    files, which are those of the folder `root`."""
    commands: list[Command] = []
    for line in setup:
        commands += detect(files) if line == AUTO else (_parsed(line),)
    placed = (one._replace(folder=root) for one in commands)
    return SetupPlan(tuple(dict.fromkeys(placed)), tuple(copy))


def detect(files: Files) -> tuple[Command, ...]:
    """Commands for these files; a makefile target of the repository goes before what we infer."""
    target = _TARGET.search(files.text("Makefile"))
    if target:
        return (Command(("make", target[1]), "Makefile"),)
    return (*_python(files), *_node(files), *_rust_and_go(files))


def answer_of(folder: Path, plan: SetupPlan) -> bool | None:
    """The person's answer to exactly this plan; None if no one was asked."""
    return answer_to(folder, plan.digest)


def answer_to(folder: Path, digest: str) -> bool | None:
    found = _answers(folder).get(digest)
    return found if isinstance(found, bool) else None


def remember(folder: Path, plan: SetupPlan, *, agreed: bool) -> None:
    keep_answer(folder, plan.digest, agreed=agreed)


def agreed_commit(folder: Path, feature: str) -> str | None:
    """The last commit of a feature whose set-up a person agreed to."""
    found = _answers(folder).get(f"commit of {feature}")
    return found if isinstance(found, str) else None


def keep_commit(folder: Path, feature: str, commit: str) -> None:
    _keep(folder, f"commit of {feature}", commit)


def keep_answer(folder: Path, digest: str, *, agreed: bool) -> None:
    _keep(folder, digest, agreed)


def _keep(folder: Path, key: str, value: object) -> None:
    told = json.dumps({**_answers(folder), key: value}, indent=2)
    write_private(folder / ANSWERS, f"{told}\n")


def write_private(place: Path, text: str) -> None:
    """Write a file atomically, readable by its owner only."""
    partial = place.with_name(f"{place.name}.{os.getpid()}")
    descriptor = os.open(partial, os.O_WRONLY | os.O_CREAT | os.O_TRUNC | os.O_NOFOLLOW, 0o600)
    with os.fdopen(descriptor, "w") as file:
        file.write(text)
    partial.replace(place)


def _answers(folder: Path) -> Mapping[str, object]:
    try:
        found: object = json.loads(read_plain(folder / ANSWERS) or b"")
    except (ValueError, RecursionError):
        return {}
    return cast("dict[str, object]", found) if isinstance(found, dict) else {}


def _parsed(line: str) -> Command:
    try:
        argv = tuple(shlex.split(line))
    except ValueError as error:
        raise ConfigError(
            f"workspace.setup: {line[:80]!r} is not a command line: {error}",
            "quote it as for a shell, one command per line",
        ) from None
    if not argv:
        raise ConfigError("workspace.setup has an empty command", "remove it from the list")
    return Command(argv, "workspace.setup")


def _python(files: Files) -> Iterator[Command]:
    if "uv.lock" in files.names():
        yield Command(("uv", "sync", "--frozen"), "uv.lock")
    elif "poetry.lock" in files.names():
        yield Command(("poetry", "install", "--no-interaction"), "poetry.lock")
    else:
        yield from _pip(files)


def _pip(files: Files) -> Iterator[Command]:
    wanted = list(_requirements(files))
    if wanted:
        yield Command(("python3", "-m", "venv", ".venv"), wanted[0].origin)
        yield from wanted


def _requirements(files: Files) -> Iterator[Command]:
    pip = (".venv/bin/python", "-m", "pip", "install", "--quiet")
    for name in sorted(fnmatch.filter(files.names(), "requirements*.txt")):
        if re.search(r"^\s*[\w.-]", files.text(name), re.MULTILINE):
            yield Command((*pip, "-r", name), name)
    project = as_table(_toml(files.text("pyproject.toml")).get("project"))
    extras = [name for name in _EXTRAS if name in as_table(project.get("optional-dependencies"))]
    if project.get("dependencies") or extras:
        what = f".[{','.join(extras)}]" if extras else "."
        yield Command((*pip, "-e", what), "pyproject.toml")


def _node(files: Files) -> Iterator[Command]:
    try:
        package: object = json.loads(files.text("package.json") or "{}")
    except (ValueError, RecursionError):
        return
    table = as_table(package)
    locks = {
        "pnpm-lock.yaml": ("pnpm", "install", "--frozen-lockfile"),
        "yarn.lock": ("yarn", "install", "--frozen-lockfile"),
        "package-lock.json": ("npm", "ci"),
    }
    for name, argv in locks.items():
        if table and name in files.names():
            yield Command(argv, name)
            return
    if table.get("dependencies") or table.get("devDependencies"):
        yield Command(("npm", "install", "--no-package-lock"), "package.json")


def _rust_and_go(files: Files) -> Iterator[Command]:
    if "Cargo.toml" in files.names():
        locked = ("--locked",) if "Cargo.lock" in files.names() else ()
        yield Command(("cargo", "fetch", *locked), "Cargo.toml")
    if "go.sum" in files.names():
        yield Command(("go", "mod", "download"), "go.sum")


def _toml(text: str) -> Mapping[str, object]:
    try:
        return tomllib.loads(text)
    except (ValueError, RecursionError):
        return {}
