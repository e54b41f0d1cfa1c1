"""Findings of several reviewers without duplicates, with file and line where known."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence

from sparing.audit.audit import BranchVerdict
from sparing.finding import Finding, Severity, Verdict
from sparing.report.branch_review import BranchFinding
from sparing.review.merge import Merged, merge
from sparing.review.quotes import QuoteCheck

_PLACE = re.compile(r"([\w./+@-]*\w\.?\w*)(?::(\d{1,7}))?")
ORDER = list(Severity)
LONGEST = 1_000
Read = Callable[[str], str | None]
"""Returns the text of a file of the branch, by its path."""


def findings_of(found: Sequence[BranchVerdict], read: Read) -> list[BranchFinding]:
    """Findings without duplicates, blockers first."""
    verdicts: list[Verdict] = [one.verdict for one in found if one.verdict is not None]
    quoted = {
        id(finding): check
        for one in found
        if one.verdict is not None
        for finding, check in zip(one.verdict.findings, one.quotes, strict=True)
    }
    told = [_told(one, quoted, read) for one in merge(verdicts)]
    return sorted(told, key=lambda one: ORDER.index(one.severity))


def _told(one: Merged, quoted: dict[int, QuoteCheck], read: Read) -> BranchFinding:
    finding = one.finding
    checks = {quoted.get(id(said), QuoteCheck.NONE) for said in one.said}
    file, line = place_of(finding, read)
    return BranchFinding(
        severity=finding.severity,
        text=finding.text,
        roles=one.roles,
        category=finding.category,
        file=file,
        line=line,
        location=finding.location,
        quote=finding.quote,
        suggestion=finding.suggestion,
        verified=QuoteCheck.FOUND in checks if checks - {QuoteCheck.NONE} else None,
    )


def place_of(finding: Finding, read: Read) -> tuple[str, int]:
    """The line of the quoted text, else the line named; a reviewer may miscount."""
    for path, said in _PLACE.findall(finding.location[:LONGEST]):
        text = read(path.removeprefix("./")) if "." in path or "/" in path else None
        if text is None:
            continue
        lines = text.splitlines()
        wanted = finding.quote.strip().split("\n")[0].lstrip("+-").strip()
        at = [number for number, one in enumerate(lines, 1) if wanted and wanted in one]
        named = int(said or 0)
        if at:
            return path.removeprefix("./"), min(at, key=lambda one: abs(one - named))
        return path.removeprefix("./"), named if named <= len(lines) else 0
    return "", 0
