"""Events of a feature's branch and of what others did to it; `event.py` has all the others."""

from __future__ import annotations

from typing import ClassVar

from sparing.lazy_dataclass import lazy_dataclass
from sparing.turn_event import NoteEvent


@lazy_dataclass
class RewoundEvent(NoteEvent):
    kind: ClassVar = "rewound"
    ref: str = ""
    """The ref that keeps the commits that were undone."""
    tip: str = ""
    to: str = ""


@lazy_dataclass
class SyncEvent(NoteEvent):
    """The base branch was brought in."""

    kind: ClassVar = "synced"
    old: str = ""
    """The previous base commit."""
    base: str = ""
    commit: str = ""
    """The feature's new head."""
    turns: int = 0
    """How many turns of an agent it took."""
    rebased: bool = False


@lazy_dataclass
class PullEvent(NoteEvent):
    """The status of a feature's pull request at its host, if it has changed."""

    kind: ClassVar = "pull"
    number: int = 0
    url: str = ""
    state: str = ""
    """open, merged or closed."""
    head: str = ""
    by: str = ""
    """Who merged it."""
    green: int = 0
    pending: int = 0
    red: tuple[str, ...] = ()
    known: tuple[tuple[str, str], ...] = ()
    """The id of every finding that resulted so far, with the host's key of the comment."""
    kept: str = ""
    """The ref that holds the commits of a removed branch."""
    ended: bool = False
    """True if the feature ended with it and was cleaned up."""
