"""The files of a commit, to be looked at without a folder.

Which checks a feature has is decided from commits: what lies in a worktree may have been put
there by an agent, and no commit shows it.
"""

from __future__ import annotations

import os
import posixpath
from dataclasses import dataclass
from fnmatch import fnmatchcase
from functools import cached_property, lru_cache

from sparing.workspace.git.commit import read_file
from sparing.workspace.git.repository import Repository

SIZE_LIMIT = 512 * 1024
LINK, MODULE = "120000", "160000"
MOST_LINKS = 5


@dataclass(frozen=True)
class Snapshot:
    repository: Repository
    commit: str

    @cached_property
    def entries(self) -> dict[str, tuple[str, str]]:
        """Every file, link and module: its mode and its id."""
        return dict(_entries(self.repository, self.commit))

    def text(self, path: str) -> str:
        """At most the limit; nothing if there is no such file.

        A link is followed as long as it leads to another file of the commit.
        """
        for _ in range(MOST_LINKS):
            mode = self.entries.get(path, ("", ""))[0]
            data = read_file(self.repository, self.commit, path) if mode else None
            if data is None or mode == MODULE:
                return ""
            if mode != LINK:
                return data[:SIZE_LIMIT].decode("utf-8", "replace")
            target = posixpath.join(posixpath.dirname(path), os.fsdecode(data))
            path = posixpath.normpath(target)
        return ""

    def matching(self, folder: str, pattern: str, *, deep: bool = False) -> tuple[str, ...]:
        """Paths in a folder, or anywhere below it, whose last part fits."""
        start = f"{folder}/" if folder else ""
        names = [name for name in self._names if fnmatchcase(name, pattern)]
        return tuple(
            path
            for path in sorted(path for name in names for path in self._names[name])
            if path.startswith(start) and (deep or "/" not in path[len(start) :])
        )

    @cached_property
    def _names(self) -> dict[str, list[str]]:
        """Paths by their last part: there are far fewer of those."""
        found: dict[str, list[str]] = {}
        for path in self.entries:
            found.setdefault(posixpath.basename(path), []).append(path)
        return found


@lru_cache(16)
def _entries(repository: Repository, commit: str) -> tuple[tuple[str, tuple[str, str]], ...]:
    out = os.fsdecode(repository.git().run("ls-tree", "-r", "-z", "--full-tree", commit))
    rows = (line.partition("\t") for line in out.split("\0") if line)
    return tuple((path, (head.split()[0], head.split()[2])) for head, _, path in rows)
