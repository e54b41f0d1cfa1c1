"""Rulings, reruns, several reviewers, and answers of the author. Covers: C2, C9, C12, C17."""

from __future__ import annotations

import json

from hypothesis import given
from hypothesis import strategies as st

from sparing.finding import Finding, Severity, Verdict
from sparing.review.answers import AnswerKind, AuthorAnswer, read_answers
from sparing.review.governor import ReviewState, SeenVerdict, SinceLastLook, govern, restarted, rule
from sparing.review.loop import Loop, LoopDecision
from sparing.review.quotes import QuoteCheck
from sparing.review.tracking import FindingStatus, Ruling, RulingKind
from tests.review.looks import EMPTY, LOOP, LOSS, NITS, SPEED, START, answered, changed, look, one


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
    assert (third.decision, one(third, "F1").counts) == (LoopDecision.ASK, False)


def test_what_a_human_dismissed_is_no_concern_any_more() -> None:
    """C2: it is open, and nobody is told that it was kept as one."""
    alone = ReviewState(Loop((("spec-reviewer",),), cap=3))
    said = (Ruling("F1", RulingKind.DISMISSED, "we have a backup"),)
    after = look(look(alone, LOSS).state, LOSS, rulings=said)
    assert (after.decision, after.reasons[-1]) == (LoopDecision.ACCEPT, "accepted")


def test_a_dismissal_does_not_cover_what_was_not_said_then() -> None:
    """C2: another blocker in the same place is a finding of its own."""
    first = look(START, LOSS)
    other = Finding(
        Severity.BLOCKER, "Step 4 deletes the backup as well as the table", location="4.1"
    )
    ruled = look(first.state, other, rulings=(Ruling("F1", RulingKind.DISMISSED),))
    fresh = ruled.state.tracked[-1]
    assert (fresh.status, fresh.counts, fresh.ruling) == (FindingStatus.NEW, True, None)
    assert ruled.blocked


def test_ruling_on_all_that_is_open_ends_the_loop_or_grants_an_iteration() -> None:
    """C2"""
    stopped = look(look(START, SPEED, EMPTY).state, SPEED, EMPTY)
    assert stopped.decision is LoopDecision.ESCALATE
    both = [Ruling("F1", RulingKind.DISMISSED), Ruling("F2", RulingKind.DISMISSED)]
    assert rule(stopped.state, both).decision is LoopDecision.ASK
    capped = ReviewState(Loop(LOOP.groups, cap=1))
    again = rule(look(capped, SPEED).state, [Ruling("F1", RulingKind.UPHELD)])
    assert (again.decision, again.state.loop.iteration) == (LoopDecision.REVISE, 2)


def test_a_rerun_forgets_what_was_open_and_keeps_what_was_ruled() -> None:
    """C12"""
    first = look(START, LOSS, SPEED, rulings=())
    ruled = look(first.state, LOSS, rulings=(Ruling("F1", RulingKind.DISMISSED),))
    again = restarted(ruled.state, LOOP)
    assert again.loop == LOOP
    assert not any(t.open for t in again.tracked)
    after = look(again, LOSS)
    assert not one(after, "F1").counts


def test_a_rerun_does_not_say_that_a_suggestion_was_settled() -> None:
    """C2: raised once more it is repeated; regressed is what was settled and came back."""
    wish = Finding(Severity.SUGGESTION, "Name the machine of AC-3", location="AC-3")
    taken = Finding(Severity.SUGGESTION, "Cite the source of the table", location="AC-4")
    first = look(START, LOSS, wish, taken)
    second = look(first.state, wish, answers=(changed("F1"), changed("F3")))
    again = restarted(second.state, LOOP)
    assert [(t.id, t.status, t.counts) for t in again.tracked] == [
        ("F1", FindingStatus.RESOLVED, False),
        ("F2", FindingStatus.NOT_REPEATED, False),
        ("F3", FindingStatus.RESOLVED, False),
    ]
    after = look(again, wish, taken)
    assert [(t.id, t.status) for t in after.state.tracked] == [
        ("F1", FindingStatus.RESOLVED),
        ("F2", FindingStatus.REPEATED),
        ("F3", FindingStatus.REGRESSED),
    ]


def test_three_reviewers_of_code_and_a_final_look() -> None:
    """C9: what two raise stays open until both are silent; a regression counts."""
    loop = Loop((("a", "b", "c"),), 3, validate=True)
    leak = Finding(Severity.WARNING, "The key is written to the log", location="auth.py:40")
    seen = [
        SeenVerdict(Verdict("a", approved=False, findings=(leak,))),
        SeenVerdict(Verdict("b", approved=False, findings=(leak,))),
        SeenVerdict(Verdict("c", approved=True)),
    ]
    at = {role: dict.fromkeys("abc", role) for role in ("k1", "k2", "k3")}
    first = govern(ReviewState(loop), seen, SinceLastLook(inputs=at["k1"]))
    assert first.state.tracked[0].roles == ("a", "b")
    assert first.state.loop.asks == ("a", "b")
    alone = govern(
        first.state, [SeenVerdict(Verdict("a", approved=True))], SinceLastLook(inputs=at["k2"])
    )
    assert (alone.state.tracked[0].open, alone.state.tracked[0].roles) == (True, ("b",))
    fine = [SeenVerdict(Verdict(role, approved=True)) for role in "ab"]
    second = govern(first.state, fine, SinceLastLook([changed("F1")], inputs=at["k2"]))
    assert (second.decision, second.state.loop.asks) == (LoopDecision.ASK, ("c",))
    assert second.reasons[-1] == "final validation: c"
    regressed = [SeenVerdict(Verdict("c", approved=False, findings=(leak,)))]
    third = govern(second.state, regressed, SinceLastLook(inputs=at["k2"]))
    assert (third.decision, one(third, "F1").status) == (
        LoopDecision.REVISE,
        FindingStatus.REGRESSED,
    )


def test_the_state_is_stored_and_read_back() -> None:
    ruled = look(
        look(START, LOSS, SPEED, quoted=True).state,
        SPEED,
        answers=(answered("F2"), changed("F1")),
        rulings=(Ruling("F1", RulingKind.UPHELD, "yes"),),
    )
    stored = json.loads(json.dumps(ruled.state.dump()))
    assert ReviewState.load(stored) == ruled.state


severities = st.sampled_from(Severity)
texts = st.sampled_from([SPEED.text, EMPTY.text, LOSS.text, *(nit.text for nit in NITS)])
rounds = st.lists(
    st.tuples(
        st.booleans(),
        st.lists(st.tuples(severities, texts), max_size=4),
        st.booleans(),
        st.sampled_from(AnswerKind),
    ),
    min_size=1,
    max_size=12,
)


@given(rounds, st.integers(1, 5), st.booleans())
def test_no_blocker_is_ever_lowered_and_every_loop_ends(
    looks: list[tuple[bool, list[tuple[Severity, str]], bool, AnswerKind]], cap: int, headless: bool
) -> None:
    """C2: whatever is said; a loop that is accepted has no open blocker."""
    state, group_looks = ReviewState(Loop(LOOP.groups, cap)), 0
    for approved, said, quoted, kind in looks:
        (role,) = state.loop.asks
        found = tuple(Finding(severity, text, location="AC-1") for severity, text in said)
        quotes = tuple(QuoteCheck.FOUND if quoted else QuoteCheck.ABSENT for _ in found)
        seen = [SeenVerdict(Verdict(role, approved=approved, findings=found), quotes)]
        answers = [AuthorAnswer(t.id, kind, "so it is") for t in state.tracked if t.open]
        ruled = govern(state, seen, SinceLastLook(answers), headless=headless)
        group_looks = group_looks + 1 if ruled.state.loop.group == state.loop.group else 0
        assert group_looks <= cap
        blockers = [t for t in ruled.state.tracked if t.open and t.finding.severity == "blocker"]
        assert all(t.counts for t in blockers)
        raised = any(finding.severity is Severity.BLOCKER for finding in found)
        assert ruled.reasons
        if raised:
            assert ruled.decision in (LoopDecision.REVISE, LoopDecision.ESCALATE)
            assert ruled.blocked
        if ruled.decision in (LoopDecision.ACCEPT, LoopDecision.ESCALATE):
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
        AuthorAnswer("F1", AnswerKind.CHANGED, "AC-3 says 200 ms now"),
        AuthorAnswer("F3", AnswerKind.ANSWERED, "with reason: it is measured elsewhere"),
        AuthorAnswer("F2", AnswerKind.CHANGED, "after all"),
    )


@given(st.text(max_size=300))
def test_no_reply_of_an_author_is_too_odd(reply: str) -> None:
    """C17"""
    assert all(answer.id == "F1" for answer in read_answers(f"- {reply}", ["F1"]))
