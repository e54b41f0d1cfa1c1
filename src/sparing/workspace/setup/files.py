"""Files by name, of a folder or of a commit: what a set-up is found and judged from.

Of a folder only regular files at its top are read, and none that a link leads out of it to. Of a
commit all paths are known, links and submodules too; nothing on disk is looked at.
"""

from __future__ import annotations

import os
import posixpath
from collections.abc import Mapping
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path, PurePosixPath
from typing import NamedTuple, Protocol

from sparing.workspace.git.commit import read_file
from sparing.workspace.git.plain_file import read_plain
from sparing.workspace.git.repository import Repository

MOST_LINKS = 40
LINK, SUBMODULE = "120000", "160000"


class Files(Protocol):
    def names(self) -> frozenset[str]:
        """Regular files at the top."""
        ...

    def text(self, name: str) -> str:
        """Empty for what is no regular file."""
        ...


@dataclass(frozen=True, slots=True)
class Folder:
    root: Path

    def names(self) -> frozenset[str]:
        return frozenset(path.name for path in self.root.iterdir() if path.is_file())

    def text(self, name: str) -> str:
        path = (self.root / name).resolve()
        if not path.is_relative_to(self.root.resolve()):
            return ""
        return (read_plain(path) or b"").decode("utf-8", "replace")


class Entry(NamedTuple):
    mode: str
    digest: str


@dataclass(frozen=True, slots=True)
class Committed:
    repository: Repository
    commit: str
    entries: Mapping[str, Entry]
    links: frozenset[str]

    def names(self) -> frozenset[str]:
        top = (path for path in self.entries if "/" not in path)
        return frozenset(path for path in top if self.is_file(self.follow(path)[-1]))

    def text(self, name: str) -> str:
        path = self.follow(name)[-1]
        data = read_file(self.repository, self.commit, path) if self.is_file(path) else None
        return (data or b"").decode("utf-8", "replace")

    def is_file(self, path: str) -> bool:
        entry = self.entries.get(path)
        return entry is not None and entry.mode not in (LINK, SUBMODULE)

    def follow(self, path: str) -> tuple[str, ...]:
        """The links on the way to a path, and at the end what they lead to."""
        links: list[str] = []
        path = posixpath.normpath(path)
        while self.links and len(links) < MOST_LINKS:
            link = next((one for one in _upwards(path) if one in self.links), None)
            if link is None:
                break
            links.append(link)
            target = os.fsdecode(read_file(self.repository, self.commit, link) or b"")
            rest = path[len(link) :].lstrip("/")
            path = posixpath.normpath(posixpath.join(posixpath.dirname(link), target, rest))
        return (*links, path)


@lru_cache(16)
def committed(repo: Repository, commit: str) -> Committed:
    """All that a commit holds; a commit never changes."""
    entries: dict[str, Entry] = {}
    for line in os.fsdecode(repo.git().run("ls-tree", "-r", "-z", "--full-tree", commit)).split(
        "\0"
    ):
        if line:
            fields, path = line.split("\t", 1)
            mode, _, digest = fields.split(" ")
            entries[path] = Entry(mode, digest)
    links = frozenset(path for path, entry in entries.items() if entry.mode == LINK)
    return Committed(repository=repo, commit=commit, entries=entries, links=links)


def _upwards(path: str) -> list[str]:
    place = PurePosixPath(path)
    return [str(one) for one in (*reversed(place.parents), place) if str(one) != "."]
