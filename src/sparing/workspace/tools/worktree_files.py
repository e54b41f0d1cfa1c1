"""The worktree's files as an agent may see them: listed, opened, redacted, line by line."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from sparing.errors import RepositoryError
from sparing.redact import Redactor
from sparing.workspace.project.paths import PathRefused
from sparing.workspace.tools.arguments import ToolMistake
from sparing.workspace.tools.confined_open import Beneath
from sparing.workspace.tools.pages import split_lines
from sparing.workspace.tools.search import BINARY_BYTES

MOST_SUGGESTED = 4
MOST_BROUGHT = 2_000
"""Files that one call may put on disk if a worktree has left them out."""
Listing = Callable[[], Sequence[str]]
Bringing = Callable[[Sequence[str]], int]
"""Puts files on disk that a worktree has left out; returns how many were too many to bring."""


def nothing_left_out(_: Sequence[str]) -> int:
    return 0


class NotForYou(ToolMistake):
    """A path that leads elsewhere, or to something that is not shown to any agent."""


@dataclass(frozen=True, slots=True)
class ShownFile:
    path: str
    digest: str
    """Digest of its bytes."""
    text: str
    """Redacted, with as many lines as the file."""
    lines: Sequence[str]
    hidden: frozenset[int]
    """Lines that were redacted."""


@dataclass(frozen=True, slots=True)
class WorktreeFiles:
    beneath: Beneath
    listing: Listing
    redactor: Redactor
    bring: Bringing = nothing_left_out

    def listed(self) -> Sequence[str]:
        """Tracked and new files, without ignored ones."""
        try:
            return sorted(set(self.listing()))
        except (OSError, RepositoryError):
            return ()

    def shown(self, path: str) -> ShownFile:
        name, data = self._opened(path)
        if b"\0" in data[:BINARY_BYTES]:
            raise ToolMistake(f"{name} is not text: {len(data)} bytes.")
        raw = data.decode("utf-8", "replace")
        text = self.redactor.clean_lines(raw)
        before, lines = split_lines(raw), split_lines(text)
        hidden = {
            n for n, pair in enumerate(zip(before, lines, strict=True), 1) if len(set(pair)) > 1
        }
        return ShownFile(
            path=name,
            digest=hashlib.sha256(data).hexdigest(),
            text=text,
            lines=lines,
            hidden=frozenset(hidden),
        )

    def _opened(self, path: str) -> tuple[str, bytes]:
        try:
            name = self.beneath.relative(path)
            return name, self._read(name)
        except PathRefused as refusal:
            if any(one.startswith(f"{path.strip('/')}/") for one in self.listed()):
                raise ToolMistake(f"{path} is a folder. Its files: outline it.") from None
            raise NotForYou(f"{path}: {refusal.reason}.") from None
        except FileNotFoundError:
            raise ToolMistake(f"{path}: there is no such file.{self._suggested(path)}") from None
        except OSError as error:
            raise ToolMistake(f"{path}: {error.strerror}.") from None

    def _read(self, name: str) -> bytes:
        try:
            return self.beneath.read(name)
        except FileNotFoundError:
            self.bring([name])
            return self.beneath.read(name)

    def _suggested(self, path: str) -> str:
        name = path.rstrip("/").rpartition("/")[2]
        found = [one for one in self.listed() if one.rpartition("/")[2] == name]
        listed = ", ".join(found[:MOST_SUGGESTED])
        return f" Perhaps: {listed}." if found else ""
