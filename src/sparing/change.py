"""What a commit of ours changed.

Made by `workspace`, read by everyone else: rooms talk about commits by id and by path, they
never look into the repository themselves.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum


class MergeHistory(StrEnum):
    """Which commits of a finished branch its base gets."""

    ALL = "all"
    SQUASH = "squash"
    REBASE = "rebase"


@dataclass(frozen=True, slots=True)
class FileChange:
    path: str
    """Relative to the root of the worktree, with forward slashes."""
    added: int
    removed: int
    """Lines removed; 0, as `added`, for a binary file."""


@dataclass(frozen=True, slots=True)
class Change:
    commit: str
    parent: str

    @property
    def empty(self) -> bool:
        return self.commit == self.parent
