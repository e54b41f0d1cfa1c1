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
