"""How a stage continues from the one before it: resume or handoff, as stored in a `Place`.

Small JSON, like all of it. The figures that decided it are recorded as an event.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum


class SessionStep(StrEnum):
    NONE = ""
    """Not decided, or there is no session yet."""
    CONTINUE = "continue"
    HAND_OFF = "hand off"


@dataclass(frozen=True, slots=True)
class Continuation:
    thread: str = ""
    """The flow, if its stages share one session; else empty."""
    go: SessionStep = SessionStep.NONE
    handoff: str = ""
    """Hash of what a fresh session begins with."""
    anew: bool = False
    """True if a person wants the stage from its beginning, which no earlier session knows about."""
    said: SessionStep = SessionStep.NONE
    """The person's answer when asked."""


@dataclass(frozen=True, slots=True)
class WeighResult:
    """The result of weighing a resume against a handoff."""

    go: SessionStep = SessionStep.NONE
    reason: str = ""
    forced: bool = False
    """True if resuming is not advised: a person is asked, if there is one."""
    judged: bool = False
    """True if the old session is asked for a handoff before it ends."""
    at_all: bool = True
    """True if the session can be resumed."""
    handoff: str = ""
