"""Files by name, of a folder or of a commit: what a set-up is found and judged from.

Of a folder only regular files at its top are read, and none that a link leads out of it to. Of a
commit see `Snapshot`.
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Protocol

from sparing.workspace.git.special_files import read_plain


class Files(Protocol):
    def names(self) -> frozenset[str]:
        """Regular files at the top."""
        ...

    def text(self, name: str, /) -> str:
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
