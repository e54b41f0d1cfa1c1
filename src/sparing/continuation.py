"""How a stage continues from the one before it: resume or handoff, as kept in a place.

Small JSON, as all of a place. The figures that were weighed are recorded as an event.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum


class SessionStep(StrEnum):
    NONE = ""
    """Not weighed, or there is no session yet."""
    CONTINUE = "continue"
    HAND_OFF = "hand off"


@dataclass(frozen=True, slots=True)
class Continuation:
    thread: str = ""
    """The flow, where its stages share one session; else empty."""
    go: SessionStep = SessionStep.NONE
    handoff: str = ""
    """Hash of what a fresh session begins with."""
    anew: bool = False
    """A person wants the stage from its beginning: no session of before knows of that."""
    said: SessionStep = SessionStep.NONE
    """What a person answered when asked."""


@dataclass(frozen=True, slots=True)
class WeighResult:
    """What came of weighing."""

    go: SessionStep = SessionStep.NONE
    reason: str = ""
    forced: bool = False
    """Resuming is not advised: a person is asked, if there is one."""
    judged: bool = False
    """The old session is asked before it ends."""
    at_all: bool = True
    """The session can be resumed."""
    handoff: str = ""
