"""A base branch that moved on is brought into a feature: what a job knows about it."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class BaseSync:
    target: str = ""
    """The commit of the base branch that is brought in; empty if nothing is."""
    rebase: bool = False
    """True if the feature's commits are rebased onto it instead of merged."""
    tries: int = 0
    """How often an agent was asked to resolve it."""
    merged: str = ""
    """The commit that an agent works on: both sides in one tree, perhaps with conflicts."""
    problem: str = ""
    """Hash of what blocks it: conflicts with both sides, or red checks."""
