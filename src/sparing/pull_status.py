"""A pull request as its host reports it: its state, its checks, and the comments.

Everything in it was written by others: text to judge, with its author's name.
"""

from __future__ import annotations

from enum import StrEnum

from sparing.finding import Severity
from sparing.lazy_dataclass import lazy_dataclass


class PullState(StrEnum):
    OPEN = "open"
    MERGED = "merged"
    CLOSED = "closed"


@lazy_dataclass
class PullNote:
    """One comment on a pull request, or a check that failed."""

    key: str
    """The host's key; it changes when something is added."""
    author: str
    text: str
    severity: Severity = Severity.WARNING
    member: bool = False
    """True if its author belongs to the repository, or is its CI."""
    path: str = ""
    line: int = 0
    quoted: str = ""
    """The line of code that it is about."""
    check: str = ""
    """The name of the check that failed."""
    thread: str = ""
    """For a conversation on a line: the id of its first comment."""

    @property
    def place(self) -> str:
        if self.check:
            return f"check {self.check}"
        return f"{self.path}:{self.line}" if self.line else self.path or "pull request"


@lazy_dataclass
class PullStatus:
    number: int
    url: str
    state: PullState
    head: str
    """The tip of its branch at the host."""
    by: str = ""
    """Who merged it."""
    merged: str = ""
    """The commit that the merge produced."""
    green: int = 0
    pending: int = 0
    red: tuple[str, ...] = ()
    """Names of checks that failed."""
    notes: tuple[PullNote, ...] = ()
