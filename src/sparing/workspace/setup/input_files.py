"""What a set-up reads: the files of a commit that decide what its commands load and run.

Recognised by name in any folder, because a command or another such file names them, or because an
earlier run of the same commands read or looked for them. The list decides when a person is asked
and when an environment may be reused; it need not be complete to be safe, because a set-up only
ever sees the files of a commit that a person agreed to.
"""

from __future__ import annotations

import fnmatch
import hashlib
import posixpath
import re
import sys
from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import lru_cache
from pathlib import PurePosixPath
from typing import NamedTuple

from sparing.workspace.git.repository import Repository
from sparing.workspace.git.snapshot import SUBMODULE, Entry, Snapshot
from sparing.workspace.setup.references import named_by, words_of
from sparing.workspace.setup.setup_plan import Command, SetupPlan, plan_setup
from sparing.workspace.setup.trace import Traced, TraceKind

ANY = (".tool-versions", "mise.toml", ".mise.toml", ".env", ".envrc", ".gitmodules")
PYTHON = (
    "*requirements*.txt", "*requirements*.in", "requirements/*", "*constraints*.txt", "setup.py",
    "setup.cfg", "pyproject.toml", "hatch_build.py", "uv.lock", "uv.toml", "poetry.lock",
    "poetry.toml", "Pipfile", "Pipfile.lock", "pdm.lock", "pylock*.toml", "pip.conf", "pip.ini",
    ".python-version", "environment*.yml", "environment*.yaml", "tox.ini", "noxfile.py",
    "sitecustomize.py",
)  # fmt: skip
NODE = (
    "package.json", "package-lock.json", "npm-shrinkwrap.json", "pnpm-lock.yaml",
    "pnpm-workspace.yaml", ".pnpmfile.*js", "yarn.lock", ".npmrc", ".yarnrc", ".yarnrc.yml",
    ".yarn/*", "bun.lock", "bun.lockb", "bunfig.toml", ".nvmrc", ".node-version", "binding.gyp",
)  # fmt: skip
MAKE = ("GNUmakefile", "makefile", "Makefile", "*.mk", "justfile", ".justfile", "Taskfile.y*ml")
RUST = ("Cargo.toml", "Cargo.lock", ".cargo/*", "rust-toolchain", "rust-toolchain.toml", "build.rs")
GO = ("go.mod", "go.sum", "go.work", "go.work.sum")
RUBY = ("Gemfile", "Gemfile.lock", "*.gemspec", ".bundle/*", ".ruby-version")
OTHERS = (
    "composer.json", "composer.lock", "pom.xml", ".mvn/*", "build.gradle*", "settings.gradle*",
    "gradle.properties", "gradle/*", "gradlew",
)  # fmt: skip
ALL = (*ANY, *PYTHON, *NODE, *MAKE, *RUST, *GO, *RUBY, *OTHERS)
FAMILIES = {
    **dict.fromkeys(("pip", "pip3", "python", "python3", "uv", "poetry", "pdm", "pipenv"), PYTHON),
    **dict.fromkeys(("npm", "pnpm", "yarn", "bun", "corepack"), NODE),
    "cargo": RUST,
    "go": GO,
    "bundle": RUBY,
}
"""Programs that read the files of one family only; what any other program reads is unknown
unless it was traced."""
NOT_RUN = Traced()


class Recipe(NamedTuple):
    """What a set-up would do with the files of one commit."""

    commit: str
    plan: SetupPlan
    entries: tuple[tuple[str, Entry], ...]

    @property
    def digest(self) -> str:
        """A hash that is equal as long as a set-up would load and run the same."""
        told = hashlib.sha256(self.plan.digest.encode())
        for path, entry in self.entries:
            told.update(f"\0{path}\0{entry.mode} {entry.digest}".encode(errors="surrogateescape"))
        return told.hexdigest()


def recipe_at(
    repo: Repository,
    commit: str,
    setup: Sequence[str],
    copy: Sequence[str],
    learned: Mapping[str, Traced] | None = None,
    root: str = "",
) -> Recipe:
    """The recipe of a commit; `learned` is what earlier runs read, by their commands' hash."""
    plan = plan_at(repo, commit, tuple(setup), tuple(copy), root)
    return _recipe_at(repo, commit, plan, (learned or {}).get(plan.digest, NOT_RUN))


def with_learned(repo: Repository, recipe: Recipe, learned: Mapping[str, Traced]) -> Recipe:
    """The same recipe after another run of its commands was traced."""
    known = learned.get(recipe.plan.digest, NOT_RUN)
    return _recipe_at(repo, recipe.commit, recipe.plan, known)


@lru_cache(64)
def plan_at(
    repo: Repository, commit: str, setup: tuple[str, ...], copy: tuple[str, ...], root: str = ""
) -> SetupPlan:
    return plan_setup(Snapshot(repo, commit, root), setup, copy, root)


@lru_cache(64)
def _recipe_at(repo: Repository, commit: str, plan: SetupPlan, learned: Traced) -> Recipe:
    files = Snapshot(repo, commit)
    found = sorted(ingredients(plan, files, learned))
    return Recipe(commit, plan, tuple((path, files.entries[path]) for path in found))


def differences(repo: Repository, before: Recipe, now: Recipe) -> tuple[str, ...]:
    """Files of either recipe that were added, removed or changed."""
    old, new = (Snapshot(repo, one.commit).entries for one in (before, now))
    paths = {path for path, _ in (*before.entries, *now.entries)}
    return tuple(sorted(path for path in paths if old.get(path) != new.get(path)))


def ingredients(plan: SetupPlan, files: Snapshot, learned: Traced = NOT_RUN) -> frozenset[str]:
    if learned.kind is TraceKind.NOTHING and not _is_known(plan):
        return frozenset(files.entries)  # it ran, and nobody could see what it read
    found = {path for path in learned.read if path in files.entries}
    found |= set(_appeared(files, frozenset(learned.absent)))
    patterns: set[str] = set()
    for command in plan.commands:
        named = set(_named(command, files))
        family = _family(command, named=bool(named))
        patterns.update((*ANY, *family) if family else ALL)
        found |= named
    if patterns:
        # One that was there and was not read is none; one that has come since may be.
        unread = learned.unread if learned.kind is TraceKind.CALLS else ()
        found |= set(_known(files, tuple(sorted(patterns)))).difference(unread)
    if patterns.issuperset(PYTHON):
        found |= set(_shadows(files))
    new, goals = found, _goals(plan)
    words = frozenset(word for command in plan.commands for word in command.argv)
    while new:
        new = {path for one in new for path in named_by(files, one, goals, words)} - found
        found |= new
    return frozenset(found)


def unread(files: Snapshot, read: Iterable[str]) -> tuple[str, ...]:
    """Files that by their name a set-up might read, but that were not read."""
    return tuple(sorted(set(_known(files, tuple(sorted(ALL)))).difference(read)))


def _appeared(files: Snapshot, absent: frozenset[str]) -> Iterator[str]:
    """Files that now exist where nothing was found, or in a folder that did not exist."""
    for path in files.entries if absent else ():
        if any(part in absent for part in (path, *map(str, PurePosixPath(path).parents))):
            yield path


def _family(command: Command, *, named: bool) -> Sequence[str] | None:
    """The file names its program reads, if it reads files of one family only."""
    return None if named and _is_script(command) else FAMILIES.get(_program(command))


def _is_known(plan: SetupPlan) -> bool:
    return all(_family(one, named=False) for one in plan.commands)


def _named(command: Command, files: Snapshot) -> Iterator[str]:
    """Files that a command names, also relative to folders that it names."""
    words = [word for part in command.argv for word in words_of(part)]
    modules = [b for a, b in zip(command.argv, command.argv[1:], strict=False) if a == "-m"]
    for name in modules:
        place = name.replace(".", "/")
        words += [f"{place}.py", f"{place}/__init__.py", f"{place}/__main__.py"]
    folders = [word for word in words if _is_folder(files, word)]
    for folder in (".", *folders):
        for word in words:
            yield from _find(files, folder, word)


def _find(files: Snapshot, folder: str, word: str) -> Iterator[str]:
    """The files that a word refers to: by name, through links, or by a pattern."""
    path = posixpath.normpath(posixpath.join(folder, word))
    if any(letter in path for letter in "*?"):
        yield from fnmatch.filter(files.entries, path)
        return
    *links, end = files.follow(path)
    yield from links
    if end in files.entries:
        yield end


def _known(files: Snapshot, patterns: tuple[str, ...]) -> Iterator[str]:
    names = _compiled(tuple(one for one in patterns if "/" not in one))
    below = _compiled(tuple(f"*/{one}" for one in patterns if "/" in one))
    for path, entry in files.entries.items():
        known = names.match(path.rpartition("/")[2]) or below.match(f"/{path}")
        if known or entry.mode == SUBMODULE:
            yield path
            yield from (one for one in files.follow(path) if one in files.entries)


@lru_cache(16)
def _compiled(patterns: tuple[str, ...]) -> re.Pattern[str]:
    return re.compile("|".join(map(fnmatch.translate, patterns)) or r"(?!)")


def _shadows(files: Snapshot) -> Iterator[str]:
    """Modules at the top that Python would import in place of its own."""
    for path in files.entries:
        first, _, rest = path.partition("/")
        if first.removesuffix(".py") in sys.stdlib_module_names and rest in ("", "__init__.py"):
            yield path


def _is_folder(files: Snapshot, word: str) -> bool:
    start = f"{posixpath.normpath(word)}/"
    return any(path.startswith(start) for path in files.entries)


def _program(command: Command) -> str:
    return posixpath.basename(command.argv[0])


def _is_script(command: Command) -> bool:
    """Whether the command may run a file that it names."""
    return not any(one in ("install", "sync", "ci", "fetch", "download") for one in command.argv)


def _goals(plan: SetupPlan) -> frozenset[str]:
    """The make targets that are built; a word that matches no rule means all of them."""
    made = [one.argv[1:] for one in plan.commands if _program(one) in ("make", "gmake")]
    return frozenset(word for words in made for word in words or ("(the first)",))
