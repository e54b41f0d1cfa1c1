"""What a feature remembers of its end: what was left open, and which logs were read.

Part of a place, so small JSON only; what a later version has added may be missing.
"""

from __future__ import annotations

from dataclasses import dataclass

from sparing.codec import Stored
from sparing.turn import TURNS, Turn

(ROLE,) = TURNS[Turn.RETRO].roles
"""Who looks back at a feature."""


@dataclass(frozen=True, slots=True)
class Ending(Stored):
    unfinished: tuple[str, ...] = ()
    """Unfinished tasks, in words; a person accepts them or does not."""
    logs: str = ""
    """The commit with the logs as a retrospective has read them; empty while none has."""
