"""The specialist's verdict on a document, passed to the reviewer that follows."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from sparing.finding import Severity, Verdict


@dataclass(frozen=True, slots=True)
class DomainOutcome:
    verdict: Verdict
    passed: bool
    iteration: int
    cap: int


def outcome_block(outcomes: Sequence[DomainOutcome]) -> str:
    """The Domain Reviewer Outcome; empty where no such reviewer ran."""
    if not outcomes:
        return ""
    return "## Domain Reviewer Outcome\n" + "".join(_rows(one) for one in outcomes)


def _rows(one: DomainOutcome) -> str:
    result = (
        f"APPROVED at iteration {one.iteration}/{one.cap}"
        if one.passed
        else f"FAILED at iteration cap ({one.cap}/{one.cap})"
    )
    return (
        f"- Reviewer: {one.verdict.role}\n"
        f"- Result: {result}\n"
        f"- Unresolved issues: {_unresolved(one)}\n"
    )


def _unresolved(one: DomainOutcome) -> str:
    """Blockers and warnings; a verdict that passed has none."""
    found = [
        f"{finding.severity}: {' '.join(finding.text.split())}"
        for finding in one.verdict.findings
        if finding.severity is not Severity.SUGGESTION
    ]
    return "".join(f"\n  - {text}" for text in found) if found else "none"
