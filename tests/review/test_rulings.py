"""Rulings, reruns, several reviewers, and answers of the author. Covers: C2, C9, C12, C17."""

from __future__ import annotations

import json

from hypothesis import given
from hypothesis import strategies as st

from sparing.finding import Finding, Severity, Verdict
from sparing.review.answers import Answer, Kind, read_answers
from sparing.review.governor import Said, Seen, State, govern, restarted, rule
from sparing.review.loop import Decision, Loop, restart
from sparing.review.quotes import Quote
from sparing.review.tracking import Ruling, RulingKind, Status
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
    assert (third.decision, one(third, "F1").counts) == (Decision.ASK, False)


def test_what_a_human_dismissed_is_no_concern_any_more() -> None:
    """C2: it is open, and nobody is told that it was kept as one."""
    alone = State(Loop((("spec-reviewer",),), cap=3))
    said = (Ruling("F1", RulingKind.DISMISSED, "we have a backup"),)
    after = look(look(alone, LOSS).state, LOSS, rulings=said)
    assert (after.decision, after.reasons[-1]) == (Decision.ACCEPT, "accepted")


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
    alone = govern(first.state, [Seen(Verdict("a", approved=True))], Said(inputs=at["k2"]))
    assert (alone.state.tracked[0].open, alone.state.tracked[0].roles) == (True, ("b",))
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
