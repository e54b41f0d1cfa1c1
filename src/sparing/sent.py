"""A prepared prompt: which way it goes, in which order, and where its text lies."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

from sparing.way import Order, Way

CACHE_LIFE = "5m"


@dataclass(frozen=True, slots=True)
class SentAhead:
    """What is sent before a prompt, to be kept for an hour: its first segments."""

    segments: int
    """How many of the prompt's."""
    group: str
    """Who shares it."""
    blocks: tuple[tuple[str, int], ...]
    """Digest and tokens of each."""
    reason: str


@dataclass(frozen=True, slots=True)
class Sent:
    """A prepared prompt. The text itself lies in the state folder."""

    prompt: str
    chars: int
    way: Way
    reason: str
    resume: str
    model: str
    naive: dict[str, Any]
    order: Order = Order.NESTED
    trunk: str = ""
    """Digest of what must be equal for another dispatch to share this one's trunk."""
    reads: tuple[str, ...] = ()
    """Files that were sent by reference."""
    warnings: tuple[str, ...] = ()
    choice: dict[str, Any] = field(default_factory=dict[str, Any])
    """What the ledger keeps of the choice: blocks, predictions, recall."""
    life: str = CACHE_LIFE
    """Of what the prompt's mark ends."""
    system: str = ""
    """Hash of the system prompt, where it is not the one that roles of a class share."""
    ahead: SentAhead | None = None
    backend: str = ""
    """Who it was prepared for; empty: the feature's own."""

    @property
    def going_on(self) -> dict[str, Any]:
        """Of a turn that follows at once in the same session."""
        return (
            {**self.choice, "resumed": True, "warm": False, "predicted": {}, "beside": {}}
            if self.choice
            else {}
        )


@dataclass(frozen=True, slots=True)
class NotSent:
    """A prompt that could not be prepared, and what a person can do about it."""

    failure: str
    detail: str
