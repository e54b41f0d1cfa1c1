"""Reviewers of a document that share one turn: how they are named, and when they may.

A panel is a specialist and the phase-reviewer that follows it. One turn then gives two verdicts;
every decision about them is made as if they had been given one after the other.
"""

from __future__ import annotations

from collections.abc import Sequence
from enum import StrEnum

SECOND = "phase-reviewer"
"""The only role that reviews in the turn of another: code reviewers stay separate."""
ENOUGH_LOOKS = 30
"""Separate reviews without a finding: at most one in ten would have had one (95 % certain)."""
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
    """The name of joint reviewers in the ledger and in sessions."""
    return _JOINT.join(roles)


def short_name(name: str) -> str:
    """The name for a narrow column: `spec+phase-reviewer`."""
    *before, last = members(name)
    return joint_name([*(one.removesuffix(_KIND) for one in before), last])


def members(name: str) -> tuple[str, ...]:
    """The roles in a joint name; a single reviewer is its only member."""
    return tuple(name.split(_JOINT))
