"""A pull request as its host tells it: its state, its checks, and what was said of it.

Everything in it was written by others: words to judge, with the name of whoever wrote them.
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
    """One thing that somebody said of a pull request, or a check that failed."""

    key: str
    """Of the host; another one when something was added to it."""
    author: str
    text: str
    severity: Severity = Severity.WARNING
    member: bool = False
    """Its author belongs to the repository, or is its CI."""
    path: str = ""
    line: int = 0
    quoted: str = ""
    """The line of code that it is about."""
    check: str = ""
    """The name of the check that failed."""

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
    """The commit that the host has of its branch."""
    by: str = ""
    """Who merged it."""
    merged: str = ""
    """The commit that came of the merge."""
    green: int = 0
    pending: int = 0
    red: tuple[str, ...] = ()
    """Names of checks that failed."""
    notes: tuple[PullNote, ...] = ()
