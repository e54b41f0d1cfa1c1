"""Reading verdicts and the pass rule. Covers: C2, C14."""

from __future__ import annotations

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sparing.finding import Severity, Verdict
from sparing.review.verdict import REPLY_LIMIT, Complaint, passes, read_verdict

GOOD: dict[str, object] = {"approved": True, "issues": [], "summary": "fine"}
BLOCKER = {"severity": "blocker", "description": "no error case", "location": "spec.md:3"}


def reply(**change: object) -> str:
    return json.dumps({**GOOD, **change})


def test_a_bare_and_a_fenced_verdict_read_the_same() -> None:
    bare = read_verdict("spec-reviewer", reply(issues=[BLOCKER], approved=False))
    fenced = read_verdict(
        "spec-reviewer",
        f"I read it.\n\n```json\n{reply(issues=[BLOCKER], approved=False)}\n```\nDone.",
    )
    assert bare == fenced
    assert isinstance(bare, Verdict)
    assert bare.findings[0].severity is Severity.BLOCKER
    assert not passes(bare)


def test_challenge_is_a_suggestion() -> None:
    verdict = read_verdict(
        "design-reviewer", reply(issues=[{"severity": "challenge", "description": "why two?"}])
    )
    assert isinstance(verdict, Verdict)
    assert passes(verdict)


@pytest.mark.parametrize("severity", ["blocker", "warning"])
def test_approved_with_an_open_finding_does_not_pass(severity: str) -> None:
    """C2: pass = approved and no blocker and no warning."""
    verdict = read_verdict("r", reply(issues=[{**BLOCKER, "severity": severity}]))
    assert isinstance(verdict, Verdict)
    assert not passes(verdict)


@pytest.mark.parametrize(
    "text",
    [
        "",
        "approved",
        "{",
        '{"approved": true',
        reply() + reply(),
        reply(approved="yes"),
        reply(approved=1),
        reply(issues="none"),
        reply(issues=[{"severity": "fatal", "description": "x"}]),
        reply(issues=[{"severity": "warning"}]),
        reply(issues=[{"severity": "warning", "description": ""}]),
        '{"approved": false, "approved": true, "issues": []}',
        '{"approved": true, "issues": [], "score": NaN}',
        "[" * 100_000,
        '{"a":' * 20_000,
        "x" * (REPLY_LIMIT + 1),
        '{"approved": true}',
    ],
)
def test_what_is_no_verdict_is_a_complaint(text: str) -> None:
    """C14: never read as an approval, never a crash."""
    found = read_verdict("r", text)
    assert isinstance(found, Complaint)
    assert found.what


@given(st.text(alphabet='{}[]":,approvedtrue ', max_size=200))
def test_no_text_crashes_or_approves_by_accident(text: str) -> None:
    """C14"""
    found = read_verdict("r", text)
    if isinstance(found, Verdict):
        assert (
            json.loads(text[text.index("{") : text.rindex("}") + 1])["approved"] == found.approved
        )
