"""The review loop. Covers: C1, C2, C7, C9, C12."""

from __future__ import annotations

import json

from hypothesis import given
from hypothesis import strategies as st

from sparing.finding import Finding, Severity, Verdict
from sparing.review.loop import (
    AtCap,
    Ended,
    Loop,
    LoopDecision,
    blocked,
    decide,
    go_on,
)

LOOP = Loop((("spec-reviewer",), ("phase-reviewer",)), cap=3)
THREE = Loop((("a", "b", "c"),), cap=2, validate=True)


def ok(role: str) -> Verdict:
    return Verdict(role, approved=True)


def bad(role: str, severity: Severity = Severity.WARNING) -> Verdict:
    return Verdict(role, approved=False, findings=(Finding(severity, "unclear"),))


def at(key: str) -> dict[str, str]:
    """All reviewers would look at this."""
    return dict.fromkeys(("a", "b", "c"), key)


def test_domain_then_phase_reviewer_with_counters_of_their_own() -> None:
    """C1"""
    decision, loop = decide(LOOP, [bad("spec-reviewer")])
    assert (decision, loop.iteration, loop.asks) == (LoopDecision.REVISE, 2, ("spec-reviewer",))
    decision, loop = decide(loop, [ok("spec-reviewer")])
    assert (decision, loop.iteration, loop.asks) == (LoopDecision.ASK, 1, ("phase-reviewer",))
    assert loop.outcomes == (Ended("spec-reviewer", True, 2),)
    decision, loop = decide(loop, [ok("phase-reviewer")])
    assert (decision, loop.failed) == (LoopDecision.ACCEPT, ())


def test_the_domain_reviewer_is_not_asked_again_after_the_phase_reviewer() -> None:
    """C1: no final validation here."""
    _, loop = decide(LOOP, [ok("spec-reviewer")], {"spec-reviewer": "k1"})
    _, loop = decide(loop, [bad("phase-reviewer")], {"phase-reviewer": "k1"})
    decision, _ = decide(loop, [ok("phase-reviewer")], {"phase-reviewer": "k2"})
    assert decision is LoopDecision.ACCEPT


def test_a_cap_of_n_runs_n_iterations() -> None:
    """C2"""
    loop, asked = LOOP, 0
    while True:
        asked += 1
        decision, loop = decide(loop, [bad("spec-reviewer")])
        if decision is LoopDecision.ESCALATE:
            break
    assert asked == 3


def test_at_the_cap_the_seed_keeps_a_documents_concerns_and_goes_on() -> None:
    """C2, C1: the phase-reviewer still looks, and is told that the domain reviewer failed."""
    loop = Loop(LOOP.groups, cap=1, at_cap=AtCap.GO_ON)
    decision, loop = decide(loop, [bad("spec-reviewer", Severity.BLOCKER)])
    assert (decision, loop.asks) == (LoopDecision.ASK, ("phase-reviewer",))
    assert loop.outcomes == (Ended("spec-reviewer", False, 1),)
    assert (loop.final, loop.regressed, loop.iteration) == (False, False, 1)
    decision, loop = decide(loop, [bad("phase-reviewer")])
    assert (decision, loop.failed) == (LoopDecision.ACCEPT, ("spec-reviewer", "phase-reviewer"))


def test_only_failed_reviewers_are_asked_again() -> None:
    """C9"""
    decision, loop = decide(THREE, [ok("a"), bad("b"), ok("c")], at("k1"))
    assert (decision, loop.asks) == (LoopDecision.REVISE, ("b",))


def test_all_look_once_more_at_what_changed_since_their_own_last_look() -> None:
    """C9, C7: those whose inputs did not change since they passed are not asked."""
    _, loop = decide(THREE, [ok("a"), bad("b"), bad("c")], at("k1"))
    decision, loop = decide(loop, [ok("b"), ok("c")], {**at("k2"), "c": "k1"})
    assert (decision, loop.final, loop.asks) == (LoopDecision.ASK, True, ("a",))
    decision, loop = decide(loop, [ok("a")], at("k2"))
    assert decision is LoopDecision.ACCEPT


def test_nobody_is_asked_again_where_nothing_changed() -> None:
    """C7: three who pass at once have all seen what stands there."""
    assert decide(THREE, [ok("a"), ok("b"), ok("c")], at("k1")).decision is LoopDecision.ACCEPT


def test_a_regression_re_enters_the_loop_and_the_final_look_is_not_counted() -> None:
    """C9, C2"""
    loop = Loop(THREE.groups, cap=3, validate=True)
    _, loop = decide(loop, [ok("a"), bad("b"), ok("c")], at("k1"))
    decision, loop = decide(loop, [ok("b")], at("k2"))
    assert (decision, loop.final, loop.iteration) == (LoopDecision.ASK, True, 2)
    decision, loop = decide(loop, [bad("a"), ok("c")], at("k2"))
    assert (decision, loop.final, loop.iteration) == (LoopDecision.REVISE, False, 3)
    assert loop.asks == ("a",)
    decision, loop = decide(loop, [ok("a")], at("k3"))
    assert (decision, loop.final, loop.asks) == (LoopDecision.ASK, True, ("b", "c"))
    assert decide(loop, [ok("b"), ok("c")], at("k3")).decision is LoopDecision.ACCEPT


def test_a_regression_at_the_cap_is_for_a_human() -> None:
    """C2, C9"""
    _, loop = decide(THREE, [ok("a"), bad("b"), ok("c")], at("k1"))
    _, loop = decide(loop, [ok("b")], at("k2"))
    decision, loop = decide(loop, [bad("a"), ok("c")], at("k2"))
    assert (decision, loop.asks) == (LoopDecision.ESCALATE, ("a",))
    assert go_on(loop).decision is LoopDecision.ACCEPT


def test_without_keys_the_final_look_is_of_all_and_happens_once() -> None:
    """C9: nobody is known to have seen what stands there."""
    _, loop = decide(THREE, [ok("a"), ok("b"), ok("c")])
    assert (loop.final, loop.asks) == (True, ("a", "b", "c"))
    assert decide(loop, [ok("a"), ok("b"), ok("c")]).decision is LoopDecision.ACCEPT


def test_a_reviewer_that_did_not_answer_has_not_passed() -> None:
    decision, loop = decide(THREE, [ok("a"), ok("c")], at("k1"))
    assert (decision, loop.asks) == (LoopDecision.REVISE, ("b",))
    assert decide(LOOP, [ok("phase-reviewer")]).decision is LoopDecision.REVISE


def test_no_reviewers_means_nothing_to_ask() -> None:
    assert Loop((), cap=3).asks == ()


def test_what_blocks() -> None:
    assert blocked([bad("a", Severity.BLOCKER)])
    assert blocked([Verdict("a", approved=False)])
    assert not blocked([bad("a"), ok("b")])


def test_an_old_row_is_read() -> None:
    assert Loop.load([[["a", "b"]], 3, 0, 2, ["a"]]) == Loop((("a", "b"),), 3, 0, 2, ("a",))


@given(st.lists(st.sets(st.sampled_from("abc")), min_size=1, max_size=12), st.integers(1, 4))
def test_every_loop_ends_within_its_cap(passing: list[set[str]], cap: int) -> None:
    """C2, C9: whatever the reviewers say; and what is stored is read back."""
    loop, key, revisions = Loop(THREE.groups, cap, validate=True), 0, 0
    for who in passing:
        verdicts = [ok(role) if role in who else bad(role) for role in loop.asks]
        decision, loop = decide(loop, verdicts, at(f"k{key}"))
        assert Loop.load(json.loads(json.dumps(loop.dump()))) == loop
        revisions += decision is LoopDecision.REVISE
        key += decision is LoopDecision.REVISE
        if decision in (LoopDecision.ACCEPT, LoopDecision.ESCALATE):
            break
    assert revisions <= cap - 1
    assert loop.iteration <= cap
