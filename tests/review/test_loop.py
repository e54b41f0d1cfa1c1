"""The review loop. Covers: C1, C2, C9."""

from __future__ import annotations

from sparing.finding import Finding, Severity, Verdict
from sparing.review.loop import Decision, Loop, blocked, decide

LOOP = Loop((("spec-reviewer",), ("phase-reviewer",)), cap=3)
THREE = Loop((("a", "b", "c"),), cap=2)


def ok(role: str) -> Verdict:
    return Verdict(role, approved=True)


def bad(role: str, severity: Severity = Severity.WARNING) -> Verdict:
    return Verdict(role, approved=False, findings=(Finding(severity, "unclear"),))


def test_domain_then_phase_reviewer_with_counters_of_their_own() -> None:
    """C1"""
    decision, loop = decide(LOOP, [bad("spec-reviewer")])
    assert (decision, loop.iteration, loop.asks) == (Decision.REVISE, 2, ("spec-reviewer",))
    decision, loop = decide(loop, [ok("spec-reviewer")])
    assert (decision, loop.iteration, loop.asks) == (Decision.ASK, 1, ("phase-reviewer",))
    assert decide(loop, [ok("phase-reviewer")])[0] is Decision.ACCEPT


def test_a_cap_of_n_runs_n_iterations() -> None:
    """C2"""
    loop, asked = LOOP, 0
    while True:
        asked += 1
        decision, loop = decide(loop, [bad("spec-reviewer")])
        if decision is Decision.ESCALATE:
            break
    assert asked == 3


def test_only_failed_reviewers_are_asked_again() -> None:
    """C9"""
    decision, loop = decide(THREE, [ok("a"), bad("b"), ok("c")])
    assert (decision, loop.asks) == (Decision.REVISE, ("b",))
    assert decide(loop, [ok("b")])[0] is Decision.ACCEPT


def test_no_reviewers_means_nothing_to_ask() -> None:
    assert Loop((), cap=3).asks == ()


def test_what_blocks() -> None:
    assert blocked([bad("a", Severity.BLOCKER)])
    assert blocked([Verdict("a", approved=False)])
    assert not blocked([bad("a"), ok("b")])
