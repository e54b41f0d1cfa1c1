"""How the stage that is entered goes on from the one before: what a place keeps of it.

Small JSON, as all of a place. What was weighed with which figures is told as an event.
"""

from __future__ import annotations

from dataclasses import asdict, dataclass
from enum import StrEnum
from typing import Any


class Go(StrEnum):
    NONE = ""
    """Not weighed, or there is no session yet."""
    CONTINUE = "continue"
    HAND_OFF = "hand off"


@dataclass(frozen=True, slots=True)
class Going:
    thread: str = ""
    """The flow, where its stages share one session; else empty."""
    go: Go = Go.NONE
    handoff: str = ""
    """Hash of what a fresh session begins with."""
    anew: bool = False
    """A person wants the stage from its beginning: no session of before knows of that."""
    said: Go = Go.NONE
    """What a person answered when asked."""

    def dump(self) -> dict[str, Any]:
        return asdict(self)

    @classmethod
    def load(cls, value: dict[str, Any] | None) -> Going:
        fields = dict(value or {})
        for name in ("go", "said"):
            fields[name] = Go(fields.get(name, Go.NONE))
        return cls(**fields)


@dataclass(frozen=True, slots=True)
class Found:
    """What came of weighing."""

    go: Go = Go.NONE
    reason: str = ""
    forced: bool = False
    """Going on is not advised: a person is asked, if there is one."""
    judged: bool = False
    """The old session is asked before it ends."""
    at_all: bool = True
    """Going on is possible."""
    handoff: str = ""

    def dump(self) -> dict[str, Any]:
        return asdict(self)

    @classmethod
    def load(cls, value: dict[str, Any]) -> Found:
        fields: dict[str, Any] = {**value, "go": Go(value["go"])}
        return cls(**fields)
