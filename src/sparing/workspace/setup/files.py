"""Files by name, of a folder or of a commit, from which a set-up is found and judged.

In a folder only regular files at its top are read, and no links that lead out of it. For commits
see `Snapshot`.
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Protocol

from sparing.workspace.git.special_files import read_plain


class Files(Protocol):
    def names(self) -> frozenset[str]:
        """Names of regular files at the top."""
        ...

    def text(self, name: str, /) -> str:
        """A file's text; empty if it is not a regular file."""
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
