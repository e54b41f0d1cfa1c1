"""Auto mode: a gate passes by rule, never past a no, a failed check or an open blocker.

Covers: A6, A7, F9
"""

from __future__ import annotations

from dataclasses import replace

import pytest

from sparing.context.documents.handoff import Handoff
from sparing.conversation import Conversation
from sparing.finding import Finding, Severity, Verdict
from sparing.flow.state import Cause, Do, OutcomeKind, Position
from sparing.job import JobKind, JobResult
from sparing.review.governor import SeenVerdict
from sparing.review.tracking import Ruling, RulingKind, Tracked
from sparing.stages.auto_gate import OTHER_PERSON, by_rule, unpassed_words
from sparing.stages.moves import Happened, Next, StageRules
from sparing.stages.place import Mark, Place
from sparing.stages.stage import next_move
from sparing.turn import StageStep, Turn
from tests.stages.tiers import DONE, after, asked, at, closed, entered, own_gates, said, walked

GREEN = Conversation(green="base")


def passed(found: Next) -> bool:
    """Whether it went on without anybody, and said why."""
    assert bool(found.by_rule) is (found.do is Do.RUN)
    return found.do is Do.RUN


def at_gate(place: Place) -> Next:
    """The stage's record is committed, in auto mode."""
    return after(replace(place, step=StageStep.CLOSE), JobResult(commit="c9"), auto=True)


@pytest.mark.parametrize("flow", ["L1", "L2", "L3"])
def test_all_gates_of_a_tier_that_goes_well_pass(flow: str) -> None:
    assert [one for one in walked(flow, auto=True) if one.endswith("?")] == []


def test_a_pass_is_recorded_with_its_reason() -> None:
    judged = after(entered("L3", "design_review").place, JobResult(dispatch="d", commit="c1"))
    found = closed(judged, auto=True)
    assert found.by_rule == "judge passed it; nothing is asked"
    done = at_gate(replace(at("L1", "done"), talk=GREEN))
    assert done.by_rule == "it has no reviewer; nothing is asked; no check is red"


def test_without_auto_mode_nothing_passes() -> None:
    """A7"""
    assert [one for one in walked("L1") if one.endswith("?")] == ["plan?", "done?"]


def test_fault_d_auto_mode_does_not_walk_through_a_reject() -> None:
    """F9, fault (d) of the original: a negative verdict goes back, whatever the mode."""
    refused = JobResult(dispatch="d", passed=False, commit="c1", reply="approved, tests passed")
    found = after(entered("L3", "code_review").place, refused, auto=True)
    assert (asked(found).stage, asked(found).turn) == ("implement", Turn.BUILD)
    assert found.by_rule == ""


def test_what_a_person_has_rejected_is_theirs_to_approve() -> None:
    gate = closed(after(entered("L1", "plan").place, JobResult(commit="c1"), handoff=DONE))
    again = said(gate.place, OutcomeKind.REJECT, "shorter", auto=True)
    found = closed(after(again.place, JobResult(commit="c2"), handoff=DONE), auto=True)
    assert not passed(found)
    why = "not passed by rule: you have rejected it before, so you decide"
    assert found.place.state.reason == why
    on = said(found.place, OutcomeKind.APPROVE, auto=True)
    assert (asked(on).stage, on.place.talk.rejected) == ("implement", ())


def test_open_questions_stop_it() -> None:
    """F5"""
    asks = Handoff(open_questions=("Which port?",))
    found = after(entered("L1", "plan").place, JobResult(commit="c1"), handoff=asks, auto=True)
    assert (found.do, found.place.state.cause) == (Do.WAIT, Cause.QUESTIONS)
    held = by_rule(replace(at("L1", "plan"), talk=Conversation(questions=("Which?",))), ())
    assert (held.passes, held.words) == (False, "questions are open")


def test_code_that_no_green_checks_have_seen_does_not_pass() -> None:
    """Skipped, or changed after the checks: the builder of `done` may have touched code."""
    assert not passed(at_gate(at("L1", "done")))
    place = replace(at("L1", "done"), talk=GREEN, step=StageStep.CLOSE)
    rules = StageRules(cap=3, gates=own_gates("L1"), headless=True, auto=True)
    changed = Happened((JobResult(commit="c9"),), recoded=True)
    found = next_move(place, changed, rules, 1.0)
    why = "not passed by rule: no checks were green after the last change of code"
    assert (passed(found), found.place.state.reason) == (False, why)


def test_green_is_what_the_last_run_of_the_checks_says() -> None:
    built = after(entered("L1", "implement").place, JobResult(commit="c1"), handoff=DONE)
    green = after(built.place, JobResult(passed=True))
    assert green.place.talk.green == "c1"
    red = after(built.place, JobResult(passed=False, reply="x", detail="checks are red"))
    assert red.place.talk.green == ""
    back = after(entered("L3", "code_review").place, JobResult(dispatch="d", passed=False))
    assert back.place.talk.green == ""


def test_a_review_that_ended_at_its_cap_does_not_pass() -> None:
    place = replace(at("feature", "specify"), marks={"specify": Mark(0.0, cap_reached=True)})
    found = at_gate(place)
    assert not passed(found)
    assert found.place.state.reason == "not passed by rule: its review ended at the cap"


@pytest.mark.parametrize(
    ("severity", "goes_on"), [(Severity.BLOCKER, False), (Severity.SUGGESTION, True)]
)
def test_an_open_blocker_does_not_pass(severity: Severity, goes_on: bool) -> None:
    found = entered("feature", "specify", auto=True)
    reviewed = after(found.place, JobResult(commit="c1"), auto=True)
    verdict = Verdict("spec-reviewer", approved=True, findings=(Finding(severity, "unclear"),))
    result = JobResult(dispatch="d", passed=goes_on, role="spec-reviewer")
    rules = StageRules(cap=3, gates=own_gates("feature"), headless=True, auto=True)
    looked = next_move(
        reviewed.place, Happened((result,), (SeenVerdict(verdict),)), rules, 1.0
    ).place
    phase = SeenVerdict(Verdict("phase-reviewer", approved=True))
    if goes_on:
        looked = next_move(looked, Happened((result,), (phase,)), rules, 1.0).place
    found_ = by_rule(looked, rules.gates)
    assert found_.passes is goes_on
    words = "2 of 2 reviewers passed; nothing is asked" if goes_on else "blockers are open: F1"
    assert found_.words.endswith(words)


def test_a_blocker_that_a_person_dismissed_is_not_open() -> None:
    """C9: a ruling counts at the gate too."""
    found = entered("feature", "specify", auto=True)
    place = after(found.place, JobResult(commit="c1"), auto=True).place
    assert place.review is not None
    blocker = Tracked("F1", Finding(Severity.BLOCKER, "unclear"), ("spec-reviewer",))
    ruled = replace(blocker, ruling=Ruling("F1", RulingKind.DISMISSED, "it may stay"))
    for one, held in ((blocker, True), (ruled, False)):
        looked = replace(place, review=replace(place.review, tracked=(one,)))
        assert ("blockers are open: F1" in unpassed_words(looked, frozenset())) is held


def test_concerns_that_nobody_has_seen_stop_the_next_gate() -> None:
    place = at("feature", "design")
    concerned = replace(place, state=replace(place.state, concerns=("specify",)))
    held = by_rule(concerned, frozenset({"design"}))
    why = "the review of specify ended with findings open, and specify has no gate of its own"
    assert held == (False, why)
    assert by_rule(concerned, frozenset({"design", "specify"})).passes


def test_a_gate_that_waits_is_a_gate() -> None:
    """A7: what is held is shown as what it is, with the reason in front."""
    found = at_gate(at("L1", "done"))
    assert found.place.state.position is Position.GATE


CHANGED = JobResult(commit="c1", asks=(("test: conftest.py is new", "key"),))


def test_changed_checks_stop_at_a_person_in_every_mode() -> None:
    """A7, H7: no rule passes them; what a person approves is checked again, and noted by key."""
    place = replace(at("L1", "implement"), step=StageStep.CHECK)
    found = after(place, CHANGED, auto=True)
    assert (found.do, found.place.state.position) == (Do.WAIT, Position.STUCK)
    assert found.place.state.reason.endswith(": test: conftest.py is new")
    assert (found.place.talk.green, found.place.talk.changed) == ("", ("key",))
    on = said(found.place, OutcomeKind.APPROVE, auto=True)
    assert (asked(on).kind, asked(on).agreed) == (JobKind.CHECK, ("key",))
    assert (on.place.talk.changed, on.place.talk.agreed) == ((), ("key",))


def test_changed_checks_that_a_person_rejects_are_not_agreed_to() -> None:
    """A7"""
    found = after(replace(at("L1", "implement"), step=StageStep.CHECK), CHANGED, auto=True)
    again = said(found.place, OutcomeKind.REJECT, "put it back", auto=True)
    assert asked(again).turn is Turn.BUILD
    assert (again.place.talk.changed, again.place.talk.agreed) == ((), ())


def test_a_gate_that_needs_another_person_never_passes_by_rule() -> None:
    """A7: a rule acts for whoever started the feature."""
    gate = closed(after(entered("L1", "plan").place, JobResult(commit="c1"), handoff=DONE))
    held = by_rule(gate.place, own_gates("L1"), ("plan",))
    assert (held.passes, held.words) == (False, OTHER_PERSON)
    assert by_rule(gate.place, own_gates("L1"), ("done",)).passes
