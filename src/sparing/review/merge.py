"""What several reviewers found, each thing once.

Only what is surely the same is merged: a finding that is said twice costs little, one that is
lost costs a defect. A reviewer's own findings are never merged with one another, unless one is
the other word by word.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from sparing.finding import Finding, Severity, Verdict
from sparing.review.identity import likeness, restates

STRICTEST_FIRST = (Severity.BLOCKER, Severity.WARNING, Severity.SUGGESTION)


@dataclass(frozen=True, slots=True)
class Merged:
    finding: Finding
    """In the words of the strictest reviewer."""
    roles: tuple[str, ...]
    said: tuple[Finding, ...]
    """As each of the reviewers put it."""

    @property
    def continues(self) -> str:
        """The earlier finding that it is said to continue."""
        return next((one.continues for one in self.said if one.continues), "")


def merge(verdicts: Sequence[Verdict]) -> tuple[Merged, ...]:
    """Merged findings in the order in which they were first raised."""
    merged: list[Merged] = []
    for verdict in verdicts:
        for finding in verdict.findings:
            place = _place(merged, verdict.role, finding)
            if place is None:
                merged.append(Merged(finding, (verdict.role,), (finding,)))
            else:
                merged[place] = _joined(merged[place], verdict.role, finding)
    return tuple(merged)


def _place(merged: Sequence[Merged], role: str, finding: Finding) -> int | None:
    likely = [
        (-likeness(finding, one.finding), place)
        for place, one in enumerate(merged)
        if (finding in one.said or role not in one.roles) and _is_same(finding, one)
    ]
    return min(likely)[1] if likely else None


def _is_same(finding: Finding, one: Merged) -> bool:
    """Compare by the earlier finding that both continue, else by their words."""
    if finding.continues and one.continues:
        return finding.continues == one.continues
    return restates(finding, one.finding)


def _joined(one: Merged, role: str, finding: Finding) -> Merged:
    if finding in one.said and role in one.roles:
        return one
    rank = STRICTEST_FIRST.index
    stricter = rank(finding.severity) < rank(one.finding.severity)
    return replace(
        one,
        finding=finding if stricter else one.finding,
        roles=one.roles if role in one.roles else (*one.roles, role),
        said=(*one.said, finding),
    )
