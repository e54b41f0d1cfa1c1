"""What a reviewer returns: findings and a verdict.

A verdict's own `approved` is the reviewer's opinion. Whether it passes is a rule of ours
(`review.passes`), so that no reply can approve what it calls a blocker.
"""

from __future__ import annotations

from enum import StrEnum

from sparing.lazy_dataclass import lazy_dataclass


class Severity(StrEnum):
    BLOCKER = "blocker"
    WARNING = "warning"
    SUGGESTION = "suggestion"


class Bar(StrEnum):
    """Which findings block a review, and for how long."""

    POLICY = "policy"
    """Depends on the policy: strict under `seed`, rising under the others."""
    STRICT = "strict"
    """Every blocker and every warning, until the cap."""
    RISING = "rising"
    """Blockers always; warnings less and less, and none once nothing improves any more."""


@lazy_dataclass
class Finding:
    severity: Severity
    text: str
    category: str = ""
    location: str = ""
    quote: str = ""
    suggestion: str = ""
    level: str = ""
    """Which document it contradicts: tasks, spec, design or prd; only some roles say."""
    continues: str = ""
    """The id of the reviewer's own earlier finding that it says is not settled."""

    def __post_init__(self) -> None:
        if not self.text.strip():
            raise ValueError("a finding says what is wrong")


@lazy_dataclass
class LevelResult:
    level: str
    passed: bool
    issues: int = 0


@lazy_dataclass
class Verdict:
    role: str
    approved: bool
    findings: tuple[Finding, ...] = ()
    summary: str = ""
    levels: tuple[LevelResult, ...] = ()
    verified: tuple[str, ...] = ()
    """Evidence: what was seen, and where."""
    missing: tuple[str, ...] = ()
    """Evidence: what was looked for and not found."""
    verification: str = ""
    """The result of checking an external claim."""
    strengths: tuple[str, ...] = ()

    def count(self, severity: Severity) -> int:
        return sum(finding.severity is severity for finding in self.findings)
