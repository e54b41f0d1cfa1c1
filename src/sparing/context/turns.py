"""What an agent is asked to do in this turn, in words.

Each function fills one file of `prompts/turns`. Text that comes from elsewhere (findings, a
human's feedback, check output) is wrapped as data before it gets here or is wrapped here.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from sparing.context.wrap import defuse, wrap
from sparing.finding import Severity, Verdict
from sparing.prompts.render import fill, words


class OpenFinding(NamedTuple):
    id: str
    severity: str
    role: str
    location: str
    text: str
    suggestion: str


class CheckWords(NamedTuple):
    name: str
    command: str
    output: str


def open_findings(verdicts: Sequence[Verdict]) -> tuple[OpenFinding, ...]:
    """Every blocker and warning, numbered: what the author must settle."""
    found = [
        (verdict.role, finding)
        for verdict in verdicts
        for finding in verdict.findings
        if finding.severity is not Severity.SUGGESTION
    ]
    return tuple(
        OpenFinding(
            f"F{number}",
            finding.severity.value,
            role,
            defuse(finding.location),
            defuse(finding.text),
            defuse(finding.suggestion),
        )
        for number, (role, finding) in enumerate(found, 1)
    )


def write(stage: str, title: str, path: str, *, reads: bool) -> str:
    return fill("turns", "write", stage=stage, title=defuse(title), path=path, reads=reads)


def revise(stage: str, path: str, iteration: int, findings: Sequence[OpenFinding]) -> str:
    summary = words("blocks", "fix_summary")
    return fill(
        "turns", "revise", stage=stage, path=path, iteration=iteration, findings=findings,
        fix_summary=summary,
    )  # fmt: skip


def redo(stage: str, path: str, key: str, feedback: str) -> str:
    said = wrap(feedback, key, "feedback")
    return fill("turns", "redo", stage=stage, path=path, feedback=said)


def review(stage: str, subject: str, iteration: int, cap: int, outcome: str = "") -> str:
    verdict = words("blocks", "verdict")
    return fill(
        "turns", "review", stage=stage, subject=subject, iteration=iteration, cap=cap,
        outcome=outcome, verdict=verdict,
    )  # fmt: skip


class Again(NamedTuple):
    """What a reviewer that keeps its session is told."""

    role: str
    stage: str
    subject: str
    iteration: int
    cap: int
    delta: str
    fix_summary: str


def review_again(again: Again, key: str) -> str:
    reminder = fill("blocks", "reminder", role=again.role)
    return fill(
        "turns", "review_again", stage=again.stage, subject=again.subject,
        iteration=again.iteration, cap=again.cap, delta=wrap(again.delta, key, "changes.diff"),
        fix_summary=wrap(again.fix_summary, key, "fix-summary"), reminder=reminder,
    )  # fmt: skip


def implement(number: str, title: str, files: Sequence[str], done_when: str) -> str:
    return fill(
        "turns", "implement", number=number, task_title=defuse(title),
        files=defuse(", ".join(files)) or "none", done_when=defuse(done_when) or "see the task",
    )  # fmt: skip


def build(stage: str, title: str, path: str, key: str, feedback: str) -> str:
    said = wrap(feedback, key, "feedback") if feedback else ""
    return fill("turns", "build", stage=stage, title=defuse(title), path=path, feedback=said)


def repair_checks(key: str, checks: Sequence[CheckWords]) -> str:
    summary = words("blocks", "fix_summary")
    wrapped = [check._replace(output=wrap(check.output, key, check.name)) for check in checks]
    return fill("turns", "repair_checks", checks=wrapped, fix_summary=summary)


def judge(stage: str, title: str) -> str:
    verdict = words("blocks", "verdict")
    return fill("turns", "judge", stage=stage, title=defuse(title), verdict=verdict)


def repair_reply(problem: str) -> str:
    return fill("blocks", "repair", problem=defuse(problem))


def system(role_class: str) -> str:
    """The neutral system prompt that all roles of a class share."""
    return words("blocks", f"system_{role_class}") + "\n" + words("blocks", "documents_are_data")


def report(verdict: Verdict, passed: bool) -> str:
    """A verdict as a document."""
    return fill(
        "blocks", "report", role=verdict.role, passed=passed, summary=verdict.summary,
        findings=verdict.findings,
    )  # fmt: skip
