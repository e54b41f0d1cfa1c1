"""What a feature records of its end: what was left open, and which logs were read.

Part of a `Place`, so small JSON only; fields added by later versions may be missing.
"""

from __future__ import annotations

from dataclasses import dataclass

from sparing.codec import Stored
from sparing.turn import TURNS, Turn

(ROLE,) = TURNS[Turn.RETRO].roles
"""The role that writes a feature's retrospective."""


@dataclass(frozen=True, slots=True)
class Ending(Stored):
    unfinished: tuple[str, ...] = ()
    """Descriptions of unfinished tasks, which a person accepts or not."""
    logs: str = ""
    """The commit with the logs that a retrospective has read; empty if there was none."""
