"""How a review ended, worded for a gate: who passed, who did not, and what is still open.

A pass counts only if the reviewer has no open findings, or if the loop could have continued: at the
cap there is no further review, so what is open there was never settled.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from sparing.finding import Severity
from sparing.review.governor import ReviewState
from sparing.review.loop import Ended
from sparing.review.tracking import Tracked


class ReviewerOutcome(NamedTuple):
    passed: tuple[str, ...]
    failed: tuple[Ended, ...]
    """Reviewers whose last verdict was negative, whatever let the loop continue."""
    capped: tuple[Ended, ...]
    """Reviewers that ended at the cap, failed or with open findings."""
    unasked: tuple[str, ...]
    """Reviewers whose turn never came."""

    @property
    def clean(self) -> bool:
        return not (self.failed or self.capped or self.unasked)


def outcome_of(state: ReviewState) -> ReviewerOutcome:
    loop = state.loop
    holding = {role for one in state.tracked if _is_held(one) for role in one.roles}
    failed = tuple(one for one in loop.outcomes if not one.passed)
    capped = tuple(
        one
        for one in loop.outcomes
        if one.iteration >= loop.cap and (not one.passed or one.role in holding)
    )
    bad = {one.role for one in (*failed, *capped)}
    passed = tuple(one.role for one in loop.outcomes if one.role not in bad)
    unasked = tuple(role for group in loop.groups[loop.group :] for role in group)
    return ReviewerOutcome(passed, failed, capped, unasked)


def outcome_words(state: ReviewState) -> str:
    """Each reviewer by name; those who did not pass first."""
    found, cap = outcome_of(state), state.loop.cap
    failed = [f"{one.role} failed at iteration {one.iteration} of {cap}" for one in found.failed]
    held = [
        f"{one.role} passed at iteration {one.iteration} of {cap} with findings open"
        for one in found.capped
        if one.passed
    ]
    passed = [f"{role} passed" for role in found.passed]
    unasked = [f"{role} was not asked" for role in found.unasked]
    return ", ".join((*failed, *held, *passed, *unasked))


def stay_open(findings: Sequence[Tracked]) -> str:
    """How many findings stay open; empty if none does."""
    count = len(findings)
    if not count:
        return ""
    return "1 finding stays open" if count == 1 else f"{count} findings stay open"


def _is_held(one: Tracked) -> bool:
    return one.open and one.finding.severity is not Severity.SUGGESTION and not one.dismissed
