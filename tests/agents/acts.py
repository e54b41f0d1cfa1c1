"""What the conformance suite says to a backend: acts, in words that every coding agent knows."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Protocol

from sparing.agents.backend import Backend
from sparing.failure import Failure
from sparing.usage import Usage


@dataclass(frozen=True, slots=True)
class Act:
    """What the agent does in a turn."""

    reply: str = "done"
    role: str = "*"
    """Whose turn it is; the first act that fits is taken."""
    read: tuple[str, ...] = ()
    write: Mapping[str, str] = field(default_factory=dict[str, str])
    delay_seconds: float = 0.0
    leaves: int | None = None
    """The exit code with which the client leaves before it has a result."""
    held: bool = False
    """The answer begins only after `Backends.release`."""
    fails: Failure | None = None
    """What goes wrong at the provider."""


class Backends(Protocol):
    """Makes backends over one folder of sessions: each is a new process of ours to them."""

    def make(self, *acts: Act) -> Backend: ...

    def release(self, count: int) -> None:
        """Let answers begin that are held back, as soon as there are so many."""
        ...

    def bill(self) -> Usage:
        """All that the provider has charged so far."""
        ...

    def close(self) -> None: ...
