"""Which part of a large repository a worktree for one package holds.

The package, the packages of the repository that its project files name, tool settings at the top
level, and what a setting adds. Read from a commit; what no project file names is not found.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from functools import lru_cache
from posixpath import basename, dirname, join, normpath
from typing import NamedTuple, Protocol

from sparing.workspace.git.repository import Repository
from sparing.workspace.git.snapshot import Snapshot
from sparing.workspace.project.sparse_checkout import Cone

MANIFESTS = frozenset({
    *("package.json", "deno.json", "pyproject.toml", "setup.py", "setup.cfg", "go.mod"),
    *("Cargo.toml", "pom.xml", "build.gradle", "build.gradle.kts", "composer.json", "Gemfile"),
    *("mix.exs", "Package.swift", "pubspec.yaml"),
})  # fmt: skip
"""Files that make a folder a project of its own."""
_REFERRING = frozenset({*MANIFESTS, "tsconfig.json", "Makefile", "requirements.txt", "tox.ini"})
_NAME = re.compile(r'(?m)"name"\s*:\s*"([^"\n]+)"|^name\s*=\s*"([^"\n]+)"|^module\s+(\S+)')
_WORD = re.compile(r"[@\w][\w@./-]*")
_RELATIVE = re.compile(r"\.\./[\w@./-]*")
MOST_MANIFESTS = 3_000


class PartSettings(Protocol):
    @property
    def root(self) -> str: ...

    @property
    def sparse(self) -> str: ...

    @property
    def sparse_above(self) -> int: ...

    @property
    def sparse_folders(self) -> Sequence[str]: ...


class _Wanted(NamedTuple):
    repository: Repository
    commit: str
    root: str
    above: int
    also: tuple[str, ...]


def chosen_cone(
    repository: Repository, commit: str, settings: PartSettings, also: Sequence[str]
) -> Cone:
    """The cone; empty if a worktree holds everything. The program writes to folders in `also`."""
    if not settings.root or settings.sparse == "off":
        return ()
    above = settings.sparse_above if settings.sparse == "auto" else 0
    more = (*settings.sparse_folders, *also)
    return _cone(_Wanted(repository, commit, settings.root, above, more))


@lru_cache(64)
def _cone(wanted: _Wanted) -> Cone:
    """The cone; cached, since a commit never changes."""
    files = Snapshot(wanted.repository, wanted.commit)
    if len(files.entries) <= wanted.above:
        return ()
    tools = {path.partition("/")[0] for path in files.entries if path.startswith(".")}
    tops = {one for one in tools if one not in files.entries}
    found = {*package_folders(files, wanted.root), *wanted.also, *tops}
    return tuple(sorted(one for one in found if not _is_in(one, found)))


def package_folders(files: Snapshot, root: str) -> tuple[str, ...]:
    """The package and those in the repository that it depends on, according to project files."""
    manifests = sorted(path for path in files.entries if basename(path) in MANIFESTS)
    known = _names(files, manifests[:MOST_MANIFESTS])
    folders = {dirname(path) for path in manifests} - {""}
    found, waiting = {root}, [root]
    while waiting:
        here = waiting.pop()
        for one in _named_by(files, here, known, folders):
            if one not in found and not _is_in(one, found) and not root.startswith(f"{one}/"):
                found.add(one)
                waiting.append(one)
    return tuple(sorted(found))


def _names(files: Snapshot, manifests: Sequence[str]) -> dict[str, str]:
    """The folder of each package, by package name."""
    found: dict[str, str] = {}
    for path in manifests:
        match = _NAME.search(files.text(path)) if dirname(path) else None
        if match is not None:
            found.setdefault(_plain(next(one for one in match.groups() if one)), dirname(path))
    return found


def _named_by(
    files: Snapshot, folder: str, known: dict[str, str], folders: set[str]
) -> Iterator[str]:
    start = f"{folder}/"
    for path in files.entries:
        if not path.startswith(start) or basename(path) not in _REFERRING:
            continue
        text = files.text(path)
        words = {_plain(word) for word in _WORD.findall(text)}
        yield from sorted(known[word] for word in words & known.keys())
        for reference in _RELATIVE.findall(text):
            place = normpath(join(dirname(path), reference))
            yield from (one for one in (place, dirname(place)) if one in folders)


def _plain(name: str) -> str:
    return name.lower().replace("_", "-")


def _is_in(path: str, folders: set[str]) -> bool:
    return any(path.startswith(f"{one}/") for one in folders)
