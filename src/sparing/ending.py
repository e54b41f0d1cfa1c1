"""What a feature remembers of its end: what was left open, and which logs were read.

Part of a place, so small JSON only; what a later version has added may be missing.
"""

from __future__ import annotations

from dataclasses import dataclass

from sparing.codec import Stored

ROLE = "retro-facilitator"
"""Who looks back at a feature."""


@dataclass(frozen=True, slots=True)
class Ending(Stored):
    unfinished: tuple[str, ...] = ()
    """Tasks that are not done, in words; a person goes on with them or does not."""
    logs: str = ""
    """The commit with the logs as a retrospective has read them; empty while none has."""
