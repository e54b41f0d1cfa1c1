"""A base branch that moved on is brought into a feature: what a job is told of it."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class BaseSync:
    target: str = ""
    """The commit of the base branch that is brought in; empty if nothing is."""
    rebase: bool = False
    """The feature's commits go on top of it, in place of a merge."""
    tries: int = 0
    """How often an agent was asked to make it fit."""
    merged: str = ""
    """The commit that an agent works on: both sides in one tree, perhaps with conflicts."""
    problem: str = ""
    """Hash of what keeps it from the branch: conflicts with both sides, or red checks."""
