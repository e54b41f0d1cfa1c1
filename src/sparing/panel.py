"""Reviewers of a document who look in one turn: how they are named, and when they may.

A panel is a specialist and the phase-reviewer that follows it. One turn then gives two verdicts;
everything that is decided of them is decided as if they had been given one after the other.
"""

from __future__ import annotations

from collections.abc import Sequence
from enum import StrEnum

SECOND = "phase-reviewer"
"""The only one that looks in the turn of another: code reviewers stay apart."""
ENOUGH_LOOKS = 30
"""Looks apart without a find: at most one in ten would have found something (95 % certain)."""
_JOINT = "+"
_KIND = "-reviewer"


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


def short_name(name: str) -> str:
    """For a narrow column: `spec+phase-reviewer`."""
    *before, last = members(name)
    return joint_name([*(one.removesuffix(_KIND) for one in before), last])


def members(name: str) -> tuple[str, ...]:
    """Whom such a name means; one who looks alone is its only member."""
    return tuple(name.split(_JOINT))
