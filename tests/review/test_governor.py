"""The convergence governor: when a loop ends, and why. Covers: C1, C2, C17, C19."""

from __future__ import annotations

import pytest

from sparing.finding import Finding, Severity, Verdict
from sparing.review.governor import ReviewState, SeenVerdict, SinceLastLook, govern
from sparing.review.loop import Loop, LoopDecision
from sparing.review.tracking import FindingStatus
from tests.review.looks import (
    EMPTY,
    LOOP,
    LOSS,
    NITS,
    SPEED,
    START,
    answered,
    changed,
    look,
    one,
    reworded,
)


def test_findings_keep_their_ids_from_look_to_look() -> None:
    """C2: new, repeated, resolved, regressed."""
    first = look(START, SPEED, EMPTY)
    assert [(t.id, t.status) for t in first.state.tracked] == [
        ("F1", FindingStatus.NEW),
        ("F2", FindingStatus.NEW),
    ]
    again = reworded(SPEED, "AC-3: the speed of the search still has no number")
    second = look(first.state, again, LOSS, answers=(changed("F1"), changed("F2")))
    assert [(t.id, t.status) for t in second.state.tracked] == [
        ("F1", FindingStatus.REPEATED),
        ("F2", FindingStatus.RESOLVED),
        ("F3", FindingStatus.NEW),
    ]
    third = look(second.state, EMPTY)
    assert [(t.id, t.status) for t in third.state.tracked] == [
        ("F1", FindingStatus.RESOLVED),
        ("F2", FindingStatus.REGRESSED),
        ("F3", FindingStatus.RESOLVED),
    ]


def test_a_new_warning_sends_the_author_again() -> None:
    """C2"""
    ruled = look(START, SPEED)
    assert (ruled.decision, ruled.state.loop.iteration) == (LoopDecision.REVISE, 2)
    assert ruled.reasons == (
        "spec-reviewer does not pass: 1 warning counts",
        "back to the author: iteration 2 of 3 follows",
    )


def test_a_reviewer_that_is_satisfied_hands_on_to_the_next() -> None:
    """C1"""
    ruled = look(START)
    assert (ruled.decision, ruled.state.loop.asks) == (LoopDecision.ASK, ("phase-reviewer",))
    assert look(ruled.state).decision is LoopDecision.ACCEPT


def test_a_warning_that_the_author_answered_counts_only_with_new_evidence() -> None:
    """C2, C17: it is contested, and a note; the human sees both sides' words at the gate."""
    first = look(START, SPEED, EMPTY)
    ruled = look(first.state, SPEED, answers=(answered("F1"), changed("F2")))
    contested = one(ruled, "F1")
    assert (contested.status, contested.counts) == (FindingStatus.CONTESTED, False)
    assert (ruled.decision, ruled.state.loop.asks) == (LoopDecision.ASK, ("phase-reviewer",))
    assert [(t.finding.text, t.answer and t.answer.words) for t in ruled.open] == [
        (SPEED.text, "the PRD wants it so")
    ]
    assert (
        "F1 is a note now: the author gave a reason, and no new evidence was brought against it"
        in ruled.reasons
    )
    shown = look(
        first.state,
        Finding(Severity.WARNING, SPEED.text, location="AC-3", quote="The search is fast"),
        answers=(answered("F1"), changed("F2")),
        quoted=True,
    )
    assert (shown.decision, one(shown, "F1").counts) == (LoopDecision.REVISE, True)


def test_a_quote_that_is_not_there_or_was_given_before_is_no_new_evidence() -> None:
    """C2, C19"""
    quoting = Finding(Severity.WARNING, SPEED.text, location="AC-3", quote="The search is fast")
    first = look(START, quoting, quoted=True)
    for quoted in (False, True):
        ruled = look(first.state, quoting, answers=(answered("F1"),), quoted=quoted)
        assert not one(ruled, "F1").counts


def test_warnings_that_stay_end_on_a_plateau() -> None:
    """C2: nothing that counted was settled; another revision would not help."""
    first = look(START, SPEED, EMPTY)
    ruled = look(first.state, SPEED, EMPTY, answers=(changed("F1"), changed("F2")))
    assert ruled.decision is LoopDecision.ESCALATE
    assert not ruled.blocked
    assert ruled.reasons[-1].startswith("stopped before the cap: the last revision settled no")
    assert [t.id for t in ruled.open] == ["F1", "F2"]


def test_headless_goes_on_with_recorded_concerns_if_only_warnings_remain() -> None:
    """C2: the next reviewer looks all the same."""
    first = look(START, SPEED)
    ruled = look(first.state, SPEED, answers=(changed("F1"),), headless=True)
    assert (ruled.decision, ruled.state.loop.asks) == (LoopDecision.ASK, ("phase-reviewer",))
    assert ruled.state.loop.failed == ("spec-reviewer",)
    assert [t.id for t in ruled.open] == ["F1"]
    assert "there is nobody to ask and no blocker is open" in ruled.reasons[-1]
    done = look(ruled.state, headless=True)
    assert (done.decision, done.state.loop.failed) == (LoopDecision.ACCEPT, ("spec-reviewer",))


def test_headless_stops_if_a_blocker_remains() -> None:
    """C2"""
    ruled = look(START, LOSS, headless=True)
    while ruled.decision is LoopDecision.REVISE:
        ruled = look(ruled.state, LOSS, answers=(changed("F1"),), headless=True)
    assert (ruled.decision, ruled.blocked, one(ruled, "F1").times) == (
        LoopDecision.ESCALATE,
        True,
        3,
    )


def test_a_blocker_gets_a_second_try_before_the_plateau() -> None:
    """C2"""
    state = ReviewState(Loop(LOOP.groups, cap=5))
    first = look(state, LOSS)
    second = look(first.state, LOSS, answers=(changed("F1"),))
    assert second.decision is LoopDecision.REVISE
    third = look(second.state, LOSS, answers=(changed("F1"),))
    assert third.decision is LoopDecision.ESCALATE
    assert third.reasons[-1].startswith("stopped before the cap")


def test_a_repeated_warning_becomes_a_note_while_other_things_move() -> None:
    """C2: the bar rises; from the third look on it needs a line to show for it."""
    first = look(START, SPEED, EMPTY)
    second = look(first.state, SPEED, answers=(changed("F1"), changed("F2")))
    assert (second.decision, one(second, "F1").counts) == (LoopDecision.REVISE, True)
    third = look(second.state, SPEED, answers=(changed("F1"),))
    assert (third.decision, one(third, "F1").counts) == (LoopDecision.ASK, False)
    assert "F1 is a note now: said 3 times without new evidence" in third.reasons


def test_what_is_a_note_stays_one_for_the_next_reviewer() -> None:
    """C2, C1: the phase-reviewer says the same once more, and shows nothing for it."""
    ruled = look(START, SPEED, EMPTY)
    ruled = look(ruled.state, SPEED, answers=(changed("F1"), changed("F2")))
    ruled = look(ruled.state, SPEED, answers=(changed("F1"),))
    assert ruled.state.loop.asks == ("phase-reviewer",)
    after = look(ruled.state, SPEED)
    assert (after.decision, one(after, "F1").counts) == (LoopDecision.ACCEPT, False)
    assert after.reasons[-1] == "accepted with 1 concern recorded"
    assert look(ruled.state, SPEED, quoted=True).decision is LoopDecision.REVISE


def test_a_reviewer_that_nitpicks_for_ever_ends_within_the_cap_and_shows_why() -> None:
    """C2: always something new, never a line to show for it."""
    ruled = look(START, *NITS[:2])
    asked = 1
    while ruled.decision is LoopDecision.REVISE:
        ruled = look(ruled.state, *NITS[2 * asked : 2 * asked + 2])
        asked += 1
    assert (asked, ruled.decision) == (3, LoopDecision.ASK)
    assert "spec-reviewer passes: no finding counts against it" in ruled.reasons
    assert any("a warning needs a line as evidence" in reason for reason in ruled.reasons)


@pytest.mark.parametrize(
    ("cap", "stopped"),
    [
        (5, "stopped before the cap"),
        (3, "the cap of 3 iterations is reached with findings open"),
    ],
)
def test_as_many_new_warnings_as_before_are_a_plateau_too(cap: int, stopped: str) -> None:
    """C2: with lines to show for all of them. K1: the third of three is not before the cap."""
    ruled = look(ReviewState(Loop(LOOP.groups, cap=cap)), *NITS[:2], quoted=True)
    asked = 1
    while ruled.decision is LoopDecision.REVISE:
        ruled = look(ruled.state, *NITS[2 * asked : 2 * asked + 2], quoted=True)
        asked += 1
    assert (asked, ruled.decision) == (3, LoopDecision.ESCALATE)
    assert ruled.reasons[-1] == (
        f"{stopped}: as many findings count as before, another revision would not help"
    )


def test_a_suggestion_never_counts_and_a_refusal_without_a_reason_does() -> None:
    """C2"""
    nice = Finding(Severity.SUGGESTION, "A diagram would help")
    approving = Verdict("spec-reviewer", approved=True, findings=(nice,))
    assert govern(START, [SeenVerdict(approving)], SinceLastLook()).decision is LoopDecision.ASK
    refusing = Verdict("spec-reviewer", approved=False)
    ruled = govern(START, [SeenVerdict(refusing)], SinceLastLook())
    assert (ruled.decision, ruled.blocked) == (LoopDecision.REVISE, True)
    assert ruled.reasons[0] == "spec-reviewer refuses without a reason"


def test_a_suggestion_that_nobody_repeats_is_not_taken_for_resolved() -> None:
    """C2: reviewers are asked to return to blockers and warnings; silence on the rest says nothing.
    One that the author says it took up is resolved, and one that is raised again is repeated."""
    mild = Finding(Severity.SUGGESTION, "A diagram of the states would help", location="AC-3")
    first = look(START, mild, LOSS)
    silent = look(first.state)
    assert [one(silent, id).status.value for id in ("F1", "F2")] == ["not repeated", "resolved"]
    assert silent.open == ()
    taken = look(first.state, answers=(changed("F1"), changed("F2")))
    assert one(taken, "F1").status.value == "resolved"
    again = look(look(first.state, LOSS).state, mild)
    assert (one(again, "F1").status.value, one(again, "F1").roles) == (
        "repeated",
        ("spec-reviewer",),
    )


def test_what_was_a_suggestion_and_is_called_a_warning_counts() -> None:
    """C2"""
    mild = Finding(Severity.SUGGESTION, SPEED.text, location="AC-3")
    ruled = look(look(START, mild, EMPTY).state, SPEED)
    assert one(ruled, "F1").counts


def validated(iteration: int, cap: int) -> ReviewState:
    """Everybody has passed; the code reviewers look once more at what stands there now."""
    loop = Loop((("spec-reviewer",),), cap=cap, iteration=iteration, validate=True)
    first = govern(
        ReviewState(loop), [SeenVerdict(Verdict("spec-reviewer", True))], SinceLastLook()
    )
    assert (first.decision, first.state.loop.final) == (LoopDecision.ASK, True)
    return first.state


@pytest.mark.parametrize(("iteration", "cap"), [(1, 3), (3, 3), (3, 5)])
def test_a_first_blocker_after_a_pass_is_a_regression_and_no_plateau(
    iteration: int, cap: int
) -> None:
    """C2, C9: the author gets its turn; nothing was open before, so nothing stood still."""
    ruled = look(validated(iteration, cap), LOSS)
    assert (ruled.decision, ruled.state.loop.iteration) == (LoopDecision.REVISE, iteration + 1)
    assert not any("before the cap" in reason for reason in ruled.reasons)


def test_a_second_regression_at_the_cap_is_for_a_human() -> None:
    """C2: the turn beyond the cap is given once."""
    ruled = look(validated(3, 3), LOSS)
    mended = look(ruled.state, answers=(changed("F1"),))
    assert (mended.decision, mended.state.loop.final) == (LoopDecision.ASK, True)
    assert look(mended.state, LOSS).decision is LoopDecision.ESCALATE
