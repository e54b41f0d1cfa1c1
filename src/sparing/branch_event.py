"""Events of a feature's branch and of what others did to it; `event.py` has all the others."""

from __future__ import annotations

from typing import ClassVar

from sparing.lazy_dataclass import lazy_dataclass
from sparing.turn_event import NoteEvent


@lazy_dataclass
class RewoundEvent(NoteEvent):
    kind: ClassVar = "rewound"
    ref: str = ""
    """Under which the commits are kept that were taken back."""
    tip: str = ""
    to: str = ""


@lazy_dataclass
class SyncEvent(NoteEvent):
    """The base branch was brought in."""

    kind: ClassVar = "synced"
    old: str = ""
    """The base commit before."""
    base: str = ""
    commit: str = ""
    """The feature's new head."""
    turns: int = 0
    """How many of an agent's it took."""
    rebased: bool = False


@lazy_dataclass
class PullEvent(NoteEvent):
    """How a feature's pull request stands at its host, as far as it has changed."""

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
    """The id of every finding that came of it so far, and the host's key of what was said."""
    kept: str = ""
    """Under which ref the commits of a branch are that was removed."""
    ended: bool = False
    """Its feature has ended with it, and was tidied up."""
