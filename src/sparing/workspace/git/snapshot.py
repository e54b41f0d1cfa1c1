"""The files of a commit, read without a checkout.

Which checks and which set-up a feature has is decided from commits: what is in a worktree may have
been put there by an agent without any commit showing it. Links and submodules are known as such;
nothing on disk is read.
"""

from __future__ import annotations

import os
import posixpath
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass
from fnmatch import fnmatchcase
from functools import cached_property, lru_cache
from pathlib import PurePosixPath

from sparing.workspace.git.commit import read_file
from sparing.workspace.git.direct.history_reader import Entry, list_files
from sparing.workspace.git.object_reader import NoAnswer
from sparing.workspace.git.private_index import is_id
from sparing.workspace.git.repository import Repository
from sparing.workspace.git.special_files import LIMIT_BYTES

LINK, SUBMODULE = "120000", "160000"
MOST_LINKS = 40


@dataclass(frozen=True)
class Snapshot:
    repository: Repository
    commit: str
    root: str = ""
    """Only files in this folder count, with paths relative to it; empty for all."""

    @cached_property
    def entries(self) -> Mapping[str, Entry]:
        """Every file, link and submodule, by path."""
        every = _entries(self.repository, self.commit)
        if not self.root:
            return every
        start = f"{self.root}/"
        return {
            path[len(start) :]: entry for path, entry in every.items() if path.startswith(start)
        }

    def _read(self, path: str) -> bytes | None:
        whole = f"{self.root}/{path}" if self.root else path
        return read_file(self.repository, self.commit, whole)

    def names(self) -> frozenset[str]:
        """Regular files at the top level, also through links."""
        top = (path for path in self.entries if "/" not in path)
        return frozenset(path for path in top if self.is_file(self.follow(path)[-1]))

    def text(self, path: str) -> str:
        """A file's text, up to the limit; empty if there is no such file. Links are followed as
        long as they lead to files of the commit."""
        end = self.follow(path)[-1]
        data = self._read(end) if self.is_file(end) else None
        return (data or b"")[:LIMIT_BYTES].decode("utf-8", "replace")

    def is_file(self, path: str) -> bool:
        entry = self.entries.get(path)
        return entry is not None and entry.mode not in (LINK, SUBMODULE)

    def follow(self, path: str) -> tuple[str, ...]:
        """The links on the way to a path, and at the end what they lead to."""
        links: list[str] = []
        path = posixpath.normpath(path)
        while self._links and len(links) < MOST_LINKS:
            link = next((one for one in _upwards(path) if one in self._links), None)
            if link is None:
                break
            links.append(link)
            target = os.fsdecode(self._read(link) or b"")
            rest = path[len(link) :].lstrip("/")
            path = posixpath.normpath(posixpath.join(posixpath.dirname(link), target, rest))
        return (*links, path)

    def matching(self, folder: str, pattern: str, *, deep: bool = False) -> tuple[str, ...]:
        """Paths in a folder, or anywhere below it, whose file name matches the pattern."""
        start = f"{folder}/" if folder else ""
        names = [name for name in self._by_name if fnmatchcase(name, pattern)]
        return tuple(
            path
            for path in sorted(path for name in names for path in self._by_name[name])
            if path.startswith(start) and (deep or "/" not in path[len(start) :])
        )

    @cached_property
    def _by_name(self) -> dict[str, list[str]]:
        """Paths by file name, of which there are far fewer."""
        found: dict[str, list[str]] = {}
        for path in self.entries:
            found.setdefault(posixpath.basename(path), []).append(path)
        return found

    @cached_property
    def _links(self) -> frozenset[str]:
        return frozenset(path for path, entry in self.entries.items() if entry.mode == LINK)


@lru_cache(16)
def _entries(repository: Repository, commit: str) -> Mapping[str, Entry]:
    """Every file of a commit; cached, since a commit never changes."""
    with suppress(NoAnswer):
        if is_id(commit):
            return list_files(repository.git(), commit)
    out = os.fsdecode(repository.git().run("ls-tree", "-r", "-z", "--full-tree", commit))
    rows = (line.partition("\t") for line in out.split("\0") if line)
    fields = ((path, head.split(" ")) for head, _, path in rows)
    return {path: Entry(mode, digest) for path, (mode, _, digest) in fields}


def _upwards(path: str) -> list[str]:
    place = PurePosixPath(path)
    return [str(one) for one in (*reversed(place.parents), place) if str(one) != "."]
