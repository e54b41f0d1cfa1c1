"""One reviewer's look after another, for tests of the governor."""

from __future__ import annotations

from sparing.finding import Finding, Severity, Verdict
from sparing.review.answers import Answer, Kind
from sparing.review.governor import DEFAULT_CAP, Ruled, Said, Seen, State, govern
from sparing.review.loop import Loop
from sparing.review.quotes import Quote
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
START = State(LOOP)


def look(
    state: State,
    *findings: Finding,
    answers: tuple[Answer, ...] = (),
    quoted: bool = False,
    headless: bool = False,
    rulings: tuple[Ruling, ...] = (),
) -> Ruled:
    """One reviewer's look at what stands there."""
    (role,) = state.loop.asks
    verdict = Verdict(role, approved=not findings, findings=findings)
    quotes = tuple(Quote.FOUND if quoted else Quote.NONE for _ in findings)
    return govern(state, [Seen(verdict, quotes)], Said(answers, rulings), headless=headless)


def changed(id: str) -> Answer:
    return Answer(id, Kind.CHANGED, "now it does")


def answered(id: str) -> Answer:
    return Answer(id, Kind.ANSWERED, "the PRD wants it so")


def one(ruled: Ruled, id: str) -> Tracked:
    return next(tracked for tracked in ruled.state.tracked if tracked.id == id)


def reworded(finding: Finding, text: str) -> Finding:
    return Finding(finding.severity, text, location=finding.location)
