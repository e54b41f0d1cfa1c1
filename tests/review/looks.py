"""One reviewer's look after another, for tests of the governor."""

from __future__ import annotations

from sparing.finding import Finding, Severity, Verdict
from sparing.review.answers import AnswerKind, AuthorAnswer
from sparing.review.governor import (
    DEFAULT_CAP,
    GovernorRuling,
    ReviewState,
    SeenVerdict,
    SinceLastLook,
    govern,
)
from sparing.review.loop import Loop
from sparing.review.quotes import QuoteCheck
from sparing.review.tracking import Ruling, Tracked

SPEED = Finding(
    Severity.WARNING, "AC-3 gives no number for the speed of the search", location="AC-3"
)
EMPTY = Finding(Severity.WARNING, "AC-5 leaves out what an empty basket costs", location="AC-5")
LOSS = Finding(
    Severity.BLOCKER, "Step 4 deletes the table before the copy is checked", location="4.1"
)
NITS = [
    Finding(
        Severity.WARNING, f"Word {word} in paragraph {place} is ugly", location=f"Section {place}"
    )
    for place, word in enumerate(
        ("gleam", "hamper", "lattice", "quarrel", "saddle", "tumble", "velvet", "wander")
    )
]
LOOP = Loop((("spec-reviewer",), ("phase-reviewer",)), DEFAULT_CAP)
START = ReviewState(LOOP)


def look(
    state: ReviewState,
    *findings: Finding,
    answers: tuple[AuthorAnswer, ...] = (),
    quoted: bool = False,
    headless: bool = False,
    rulings: tuple[Ruling, ...] = (),
) -> GovernorRuling:
    """One reviewer's look at what stands there."""
    (role,) = state.loop.asks
    verdict = Verdict(role, approved=not findings, findings=findings)
    quotes = tuple(QuoteCheck.FOUND if quoted else QuoteCheck.NONE for _ in findings)
    return govern(
        state, [SeenVerdict(verdict, quotes)], SinceLastLook(answers, rulings), headless=headless
    )


def changed(id: str) -> AuthorAnswer:
    return AuthorAnswer(id, AnswerKind.CHANGED, "now it does")


def answered(id: str) -> AuthorAnswer:
    return AuthorAnswer(id, AnswerKind.ANSWERED, "the PRD wants it so")


def one(ruled: GovernorRuling, id: str) -> Tracked:
    return next(tracked for tracked in ruled.state.tracked if tracked.id == id)


def reworded(finding: Finding, text: str) -> Finding:
    return Finding(finding.severity, text, location=finding.location)
