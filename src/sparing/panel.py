"""Reviewers of a document who look in one turn: how they are named, and when they may.

A panel is a specialist and the phase-reviewer that follows it. One turn then gives two verdicts;
everything that is decided of them is decided as if they had been given one after the other.
"""

from __future__ import annotations

from collections.abc import Sequence
from enum import StrEnum

SECOND = "phase-reviewer"
"""The only one that looks in the turn of another: code reviewers stay apart."""
_JOINT = "+"


class PanelMode(StrEnum):
    SEPARATE = "separate"
    """Each reviewer has a turn of its own."""
    MERGED = "merged"
    """One turn, two verdicts."""
    AUTO = "auto"
    """Merged once the second reviewer has long found nothing of its own; still sampled."""


def joint_name(roles: Sequence[str]) -> str:
    """How the ledger and a session name those who look together."""
    return _JOINT.join(roles)


def members(name: str) -> tuple[str, ...]:
    """Whom such a name means; one who looks alone is its only member."""
    return tuple(name.split(_JOINT))
