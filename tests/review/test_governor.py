"""The convergence governor: when a loop ends, and why. Covers: C2, C9, C12, C13, C17."""

from __future__ import annotations

import json

from hypothesis import given
from hypothesis import strategies as st

from sparing.finding import Finding, Severity, Verdict
from sparing.review.answers import Answer, Kind, read_answers
from sparing.review.governor import (
    DEFAULT_CAP,
    Ruled,
    Said,
    Seen,
    State,
    govern,
    restarted,
    rule,
)
from sparing.review.loop import Decision, Loop, restart
from sparing.review.quotes import Quote
from sparing.review.tracking import Ruling, RulingKind, Status, Tracked

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


def test_findings_keep_their_ids_from_look_to_look() -> None:
    """C2: new, repeated, resolved, regressed."""
    first = look(START, SPEED, EMPTY)
    assert [(t.id, t.status) for t in first.state.tracked] == [
        ("F1", Status.NEW),
        ("F2", Status.NEW),
    ]
    again = reworded(SPEED, "AC-3: the speed of the search still has no number")
    second = look(first.state, again, LOSS, answers=(changed("F1"), changed("F2")))
    assert [(t.id, t.status) for t in second.state.tracked] == [
        ("F1", Status.REPEATED),
        ("F2", Status.RESOLVED),
        ("F3", Status.NEW),
    ]
    third = look(second.state, EMPTY)
    assert [(t.id, t.status) for t in third.state.tracked] == [
        ("F1", Status.RESOLVED),
        ("F2", Status.REGRESSED),
        ("F3", Status.RESOLVED),
    ]


def test_a_new_warning_sends_the_author_again() -> None:
    """C2"""
    ruled = look(START, SPEED)
    assert (ruled.decision, ruled.state.loop.iteration) == (Decision.REVISE, 2)
    assert ruled.reasons == (
        "spec-reviewer does not pass: 1 warning counts",
        "the author goes again: iteration 2 of 3 follows",
    )


def test_a_reviewer_that_is_satisfied_hands_on_to_the_next() -> None:
    """C1"""
    ruled = look(START)
    assert (ruled.decision, ruled.state.loop.asks) == (Decision.ASK, ("phase-reviewer",))
    assert look(ruled.state).decision is Decision.ACCEPT


def test_a_warning_that_the_author_answered_counts_only_with_new_evidence() -> None:
    """C2, C17: it is contested, and a note; the human sees both sides' words at the gate."""
    first = look(START, SPEED, EMPTY)
    ruled = look(first.state, SPEED, answers=(answered("F1"), changed("F2")))
    contested = one(ruled, "F1")
    assert (contested.status, contested.counts) == (Status.CONTESTED, False)
    assert (ruled.decision, ruled.state.loop.asks) == (Decision.ASK, ("phase-reviewer",))
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
    assert (shown.decision, one(shown, "F1").counts) == (Decision.REVISE, True)


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
    assert ruled.decision is Decision.ESCALATE
    assert not ruled.blocked
    assert ruled.reasons[-1].startswith("stopped on a plateau: nothing that counted was settled")
    assert [t.id for t in ruled.open] == ["F1", "F2"]


def test_headless_goes_on_with_recorded_concerns_if_only_warnings_remain() -> None:
    """C2: the next reviewer looks all the same."""
    first = look(START, SPEED)
    ruled = look(first.state, SPEED, answers=(changed("F1"),), headless=True)
    assert (ruled.decision, ruled.state.loop.asks) == (Decision.ASK, ("phase-reviewer",))
    assert ruled.state.loop.failed == ("spec-reviewer",)
    assert [t.id for t in ruled.open] == ["F1"]
    assert "nobody can be asked and no blocker is open" in ruled.reasons[-1]
    done = look(ruled.state, headless=True)
    assert (done.decision, done.state.loop.failed) == (Decision.ACCEPT, ("spec-reviewer",))


def test_headless_stops_if_a_blocker_remains() -> None:
    """C2"""
    ruled = look(START, LOSS, headless=True)
    while ruled.decision is Decision.REVISE:
        ruled = look(ruled.state, LOSS, answers=(changed("F1"),), headless=True)
    assert (ruled.decision, ruled.blocked, one(ruled, "F1").times) == (Decision.ESCALATE, True, 3)


def test_a_blocker_gets_a_second_try_before_the_plateau() -> None:
    """C2"""
    state = State(Loop(LOOP.groups, cap=5))
    first = look(state, LOSS)
    second = look(first.state, LOSS, answers=(changed("F1"),))
    assert second.decision is Decision.REVISE
    third = look(second.state, LOSS, answers=(changed("F1"),))
    assert third.decision is Decision.ESCALATE
    assert third.reasons[-1].startswith("stopped on a plateau")


def test_a_repeated_warning_becomes_a_note_while_other_things_move() -> None:
    """C2: the bar rises; from the third look on it needs a line to show for it."""
    first = look(START, SPEED, EMPTY)
    second = look(first.state, SPEED, answers=(changed("F1"), changed("F2")))
    assert (second.decision, one(second, "F1").counts) == (Decision.REVISE, True)
    third = look(second.state, SPEED, answers=(changed("F1"),))
    assert (third.decision, one(third, "F1").counts) == (Decision.ASK, False)
    assert "F1 is a note now: said 3 times without new evidence" in third.reasons


def test_a_reviewer_that_nitpicks_for_ever_ends_within_the_cap_and_shows_why() -> None:
    """C2: always something new, never a line to show for it."""
    ruled = look(START, *NITS[:2])
    asked = 1
    while ruled.decision is Decision.REVISE:
        ruled = look(ruled.state, *NITS[2 * asked : 2 * asked + 2])
        asked += 1
    assert (asked, ruled.decision) == (3, Decision.ASK)
    assert "spec-reviewer passes: nothing it says counts" in ruled.reasons
    assert any("a warning needs a line to show for it" in reason for reason in ruled.reasons)


def test_as_many_new_warnings_as_before_are_a_plateau_too() -> None:
    """C2: with a cap of five and lines to show for all of them."""
    ruled = look(State(Loop(LOOP.groups, cap=5)), *NITS[:2], quoted=True)
    asked = 1
    while ruled.decision is Decision.REVISE:
        ruled = look(ruled.state, *NITS[2 * asked : 2 * asked + 2], quoted=True)
        asked += 1
    assert (asked, ruled.decision) == (3, Decision.ESCALATE)
    assert "as much counts as before" in ruled.reasons[-1]


def test_a_suggestion_never_counts_and_a_refusal_without_a_reason_does() -> None:
    """C2"""
    nice = Finding(Severity.SUGGESTION, "A diagram would help")
    approving = Verdict("spec-reviewer", approved=True, findings=(nice,))
    assert govern(START, [Seen(approving)], Said()).decision is Decision.ASK
    refusing = Verdict("spec-reviewer", approved=False)
    ruled = govern(START, [Seen(refusing)], Said())
    assert (ruled.decision, ruled.blocked) == (Decision.REVISE, True)
    assert ruled.reasons[0] == "spec-reviewer refuses without a reason"


def test_what_was_a_suggestion_and_is_called_a_warning_counts() -> None:
    """C2"""
    mild = Finding(Severity.SUGGESTION, SPEED.text, location="AC-3")
    ruled = look(look(START, mild, EMPTY).state, SPEED)
    assert one(ruled, "F1").counts


def test_a_humans_ruling_is_kept_for_later_iterations() -> None:
    """C2: dismissed never counts again, even a blocker; upheld always does."""
    first = look(START, LOSS, SPEED)
    rulings = (
        Ruling("F1", RulingKind.DISMISSED, "we have a backup"),
        Ruling("F2", RulingKind.UPHELD),
    )
    second = look(first.state, LOSS, SPEED, answers=(answered("F2"),), rulings=rulings)
    assert [(t.id, t.counts) for t in second.state.tracked] == [("F1", False), ("F2", True)]
    assert "F1 does not count: a human dismissed it" in second.reasons
    third = look(second.state, LOSS, answers=(changed("F2"),))
    assert (third.decision, one(third, "F1").counts) == (Decision.ASK, False)


def test_a_dismissal_does_not_cover_what_was_not_said_then() -> None:
    """C2: another blocker in the same place is a finding of its own."""
    first = look(START, LOSS)
    other = Finding(
        Severity.BLOCKER, "Step 4 deletes the backup as well as the table", location="4.1"
    )
    ruled = look(first.state, other, rulings=(Ruling("F1", RulingKind.DISMISSED),))
    fresh = ruled.state.tracked[-1]
    assert (fresh.status, fresh.counts, fresh.ruling) == (Status.NEW, True, None)
    assert ruled.blocked


def test_ruling_on_all_that_is_open_ends_the_loop_or_grants_an_iteration() -> None:
    """C2"""
    stopped = look(look(START, SPEED, EMPTY).state, SPEED, EMPTY)
    assert stopped.decision is Decision.ESCALATE
    both = [Ruling("F1", RulingKind.DISMISSED), Ruling("F2", RulingKind.DISMISSED)]
    assert rule(stopped.state, both).decision is Decision.ASK
    capped = State(Loop(LOOP.groups, cap=1))
    again = rule(look(capped, SPEED).state, [Ruling("F1", RulingKind.UPHELD)])
    assert (again.decision, again.state.loop.iteration) == (Decision.REVISE, 2)


def test_a_rerun_forgets_what_was_open_and_keeps_what_was_ruled() -> None:
    """C12"""
    first = look(START, LOSS, SPEED, rulings=())
    ruled = look(first.state, LOSS, rulings=(Ruling("F1", RulingKind.DISMISSED),))
    again = restarted(ruled.state, restart(ruled.state.loop))
    assert again.loop == LOOP
    assert not any(t.open for t in again.tracked)
    after = look(again, LOSS)
    assert not one(after, "F1").counts


def test_three_reviewers_of_code_and_a_final_look() -> None:
    """C9: what two raise stays open until both are silent; a regression counts."""
    loop = Loop((("a", "b", "c"),), 3, validate=True)
    leak = Finding(Severity.WARNING, "The key is written to the log", location="auth.py:40")
    seen = [
        Seen(Verdict("a", approved=False, findings=(leak,))),
        Seen(Verdict("b", approved=False, findings=(leak,))),
        Seen(Verdict("c", approved=True)),
    ]
    at = {role: dict.fromkeys("abc", role) for role in ("k1", "k2", "k3")}
    first = govern(State(loop), seen, Said(inputs=at["k1"]))
    assert first.state.tracked[0].roles == ("a", "b")
    assert first.state.loop.asks == ("a", "b")
    fine = [Seen(Verdict(role, approved=True)) for role in "ab"]
    second = govern(first.state, fine, Said([changed("F1")], inputs=at["k2"]))
    assert (second.decision, second.state.loop.asks) == (Decision.ASK, ("c",))
    assert second.reasons[-1] == "final validation: c"
    regressed = [Seen(Verdict("c", approved=False, findings=(leak,)))]
    third = govern(second.state, regressed, Said(inputs=at["k2"]))
    assert (third.decision, one(third, "F1").status) == (Decision.REVISE, Status.REGRESSED)


def test_the_state_is_stored_and_read_back() -> None:
    ruled = look(
        look(START, LOSS, SPEED, quoted=True).state,
        SPEED,
        answers=(answered("F2"), changed("F1")),
        rulings=(Ruling("F1", RulingKind.UPHELD, "yes"),),
    )
    stored = json.loads(json.dumps(ruled.state.dump()))
    assert State.load(stored) == ruled.state


severities = st.sampled_from(Severity)
texts = st.sampled_from([SPEED.text, EMPTY.text, LOSS.text, *(nit.text for nit in NITS)])
rounds = st.lists(
    st.tuples(
        st.booleans(),
        st.lists(st.tuples(severities, texts), max_size=4),
        st.booleans(),
        st.sampled_from(Kind),
    ),
    min_size=1,
    max_size=12,
)


@given(rounds, st.integers(1, 5), st.booleans())
def test_no_blocker_is_ever_lowered_and_every_loop_ends(
    looks: list[tuple[bool, list[tuple[Severity, str]], bool, Kind]], cap: int, headless: bool
) -> None:
    """C2: whatever is said; a loop that is accepted has no open blocker."""
    state, group_looks = State(Loop(LOOP.groups, cap)), 0
    for approved, said, quoted, kind in looks:
        (role,) = state.loop.asks
        found = tuple(Finding(severity, text, location="AC-1") for severity, text in said)
        quotes = tuple(Quote.FOUND if quoted else Quote.ABSENT for _ in found)
        seen = [Seen(Verdict(role, approved=approved, findings=found), quotes)]
        answers = [Answer(t.id, kind, "so it is") for t in state.tracked if t.open]
        ruled = govern(state, seen, Said(answers), headless=headless)
        group_looks = group_looks + 1 if ruled.state.loop.group == state.loop.group else 0
        assert group_looks <= cap
        blockers = [t for t in ruled.state.tracked if t.open and t.finding.severity == "blocker"]
        assert all(t.counts for t in blockers)
        raised = any(finding.severity is Severity.BLOCKER for finding in found)
        assert ruled.reasons
        if raised:
            assert ruled.decision in (Decision.REVISE, Decision.ESCALATE)
            assert ruled.blocked
        if ruled.decision in (Decision.ACCEPT, Decision.ESCALATE):
            break
        state = ruled.state


REPLY = """\
I went through all of them.

## Findings
- `F1`: changed — AC-3 says 200 ms now
- **F2**: answered — the PRD excludes it
* f3: Answered, with reason: it is measured elsewhere
- F9: changed — nobody asked
- F4: perhaps
- F2 changed after all

## Fix summary
Numbers.
"""


def test_an_authors_answers_are_read() -> None:
    """C17: changed, or answered with a reason; what names no open finding is passed over."""
    assert read_answers(REPLY, ["F1", "F2", "F3", "F4"]) == (
        Answer("F1", Kind.CHANGED, "AC-3 says 200 ms now"),
        Answer("F3", Kind.ANSWERED, "with reason: it is measured elsewhere"),
        Answer("F2", Kind.CHANGED, "after all"),
    )


@given(st.text(max_size=300))
def test_no_reply_of_an_author_is_too_odd(reply: str) -> None:
    """C17"""
    assert all(answer.id == "F1" for answer in read_answers(f"- {reply}", ["F1"]))
