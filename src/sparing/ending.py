"""What a feature remembers of its end: what was left open, and which logs were read.

Part of a place, so small JSON only; what a later version has added may be missing.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from sparing.turn import TURNS, Turn

(ROLE,) = TURNS[Turn.RETRO].roles
"""Who looks back at a feature."""


@dataclass(frozen=True, slots=True)
class Ending:
    unfinished: tuple[str, ...] = ()
    """Unfinished tasks, in words; a person accepts them or does not."""
    logs: str = ""
    """The commit with the logs as a retrospective has read them; empty while none has."""

    def dump(self) -> dict[str, Any]:
        return {"unfinished": list(self.unfinished), "logs": self.logs}

    @classmethod
    def load(cls, value: Mapping[str, Any]) -> Ending:
        return cls(tuple(value.get("unfinished", ())), value.get("logs", ""))
