"""A conversation with an agent that can be resumed.

One is kept per feature, stage and role. `commit` is the last one that role saw: the delta of its
next turn starts there.
"""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Session:
    id: str
    role: str
    backend: str
    model: str
    prompt_chars: int
    """Length of the latest fresh prompt, in characters."""
    context_tokens: int
    """Size of the transcript after its last call."""
    iteration: int
    commit: str
    last_activity: float
    """Seconds since the epoch."""
    opening: str = ""
    """Hash of the prompt that opened it."""
    last_call: float = 0.0
    """When its last request started: a cache counts from there."""
    answer_tokens: int = 0
    """Tokens of the last answer in the transcript, which no request has sent yet."""

    def __post_init__(self) -> None:
        if not self.id:
            raise ValueError("a session has an id")
        if self.iteration < 1:
            raise ValueError(f"session {self.id}: iteration {self.iteration}; they count from 1")
