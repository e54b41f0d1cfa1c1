"""How a dispatch is sent, in which order it is told, and the policy that chooses."""

from __future__ import annotations

from enum import StrEnum


class Way(StrEnum):
    COMPOSE = "compose"
    """Fresh, mandatory artifacts inline."""
    REFERENCE = "reference"
    """Fresh, artifacts by path."""
    RESUME = "resume"
    """Into the role's own session, with the delta only."""
    FORK = "fork"
    """A new session that shares another one's transcript."""


class Order(StrEnum):
    """In which order a prompt says what it says."""

    NESTED = "nested"
    """What many roles share first, the role's own text last."""
    SEED = "seed"
    """The original order: role and rubric first, what changes last."""


class Policy(StrEnum):
    ADAPTIVE = "adaptive"
    """Predicted cost decides."""
    SEED = "seed"
    """The original workflow's rules to the letter."""
    FRESH = "fresh"
    """The naive baseline: every dispatch from nothing."""
