"""The state of one stage's review: which group is asked, at which iteration, who has passed.

Groups are asked in order; each has its own counter. A cap of n runs n iterations.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from enum import StrEnum

from sparing.finding import Severity, Verdict
from sparing.review.verdict import passes


class Decision(StrEnum):
    ASK = "ask"
    """Ask the reviewers named by `asks` about what stands there now."""
    REVISE = "revise"
    """The author goes again, then the reviewers that failed."""
    ACCEPT = "accept"
    ESCALATE = "escalate"
    """The cap is reached with findings open."""


@dataclass(frozen=True, slots=True)
class Loop:
    groups: tuple[tuple[str, ...], ...]
    cap: int
    group: int = 0
    iteration: int = 1
    passed: tuple[str, ...] = ()
    """Who of the current group has passed."""

    @property
    def asks(self) -> tuple[str, ...]:
        if self.group >= len(self.groups):
            return ()
        return tuple(role for role in self.groups[self.group] if role not in self.passed)


def decide(loop: Loop, verdicts: Sequence[Verdict]) -> tuple[Decision, Loop]:
    """What follows from the verdicts of this iteration."""
    passed = (*loop.passed, *(verdict.role for verdict in verdicts if passes(verdict)))
    here = replace(loop, passed=passed)
    if here.asks:
        if loop.iteration >= loop.cap:
            return Decision.ESCALATE, here
        return Decision.REVISE, replace(here, iteration=loop.iteration + 1)
    following = replace(here, group=loop.group + 1, iteration=1, passed=())
    return (Decision.ASK if following.asks else Decision.ACCEPT), following


def blocked(verdicts: Sequence[Verdict]) -> bool:
    """Whether what is open holds a blocker, or a refusal without a reason."""
    return any(
        verdict.count(Severity.BLOCKER) or (not verdict.approved and not verdict.findings)
        for verdict in verdicts
    )
