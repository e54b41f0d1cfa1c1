"""Who helps when the tasks are done, and what counts of it.

Covers: D5, C11
"""

from __future__ import annotations

import pytest

from sparing.flow.flows import CODE_REVIEWERS
from sparing.flow.state import Do, Outcome, OutcomeKind, Position
from sparing.job import Job, JobKind, JobResult
from sparing.roles.load import shipped
from sparing.stages.assistants import DEEPENER, FIXES, SIMPLIFIER
from sparing.stages.moves import Happened, Next, StageRules
from sparing.stages.stage import next_move
from sparing.turn import Turn
from tests.stages.test_stage import at

BOTH = frozenset({SIMPLIFIER, DEEPENER})
RED = JobResult(passed=False, detail="checks are red: test", reply="output")
UNCHANGED = JobResult(changed=False, reply="none")


def after(found: Next, *results: JobResult, helpers: frozenset[str] = BOTH) -> Next:
    rules = StageRules(3, frozenset({"implement"}), headless=True, assistants=helpers)
    return next_move(found.place, Happened(results), rules, 1.0)


def said(found: Next, kind: OutcomeKind) -> Next:
    rules = StageRules(3, frozenset({"implement"}), headless=True, assistants=BOTH)
    return next_move(found.place, Happened(answer=Outcome(kind)), rules, 1.0)


def job(found: Next) -> Job:
    (only,) = found.jobs
    return only


def tasks_done(helpers: frozenset[str] = BOTH) -> Next:
    rules = StageRules(3, frozenset({"implement"}), headless=True, assistants=helpers)
    found = next_move(at("implement"), Happened((JobResult(commit="c0"),)), rules, 1.0)
    for result in (
        JobResult(tasks=(("1", "One"),)),
        JobResult(commit="c1"),
        JobResult(commit="log"),
    ):
        found = after(found, result, helpers=helpers)
    return found


def deepened() -> Next:
    """Its tests are written, and the program is about to run them."""
    found = after(after(tasks_done(), UNCHANGED), JobResult(commit="log", reply="outlines"))
    return after(found, JobResult(commit="tests", reply="report"))


def test_everybody_helps_in_turn_and_then_the_code_is_reviewed() -> None:
    """D5: simplifier with a look at the checks, deepener without and with the code, the loop."""
    found = tasks_done()
    assert (job(found).role, job(found).turn) == (SIMPLIFIER, Turn.SIMPLIFY)
    found = after(found, JobResult(commit="plain"))
    assert (job(found).kind, job(found).building.since) == (JobKind.TRIAL, "log")
    found = after(found, JobResult(commit="plain"))
    assert (job(found).role, job(found).turn) == (DEEPENER, Turn.OUTLINE)
    found = after(found, JobResult(reply="outlines", changed=False))
    assert (job(found).turn, job(found).feedback) == (Turn.DEEPEN, "outlines")
    found = after(found, JobResult(commit="tests", reply="report"))
    assert (job(found).kind, job(found).head) == (JobKind.CHECK, "tests")
    found = after(found, JobResult(facts="sheet"))
    assert [one.role for one in found.jobs] == list(CODE_REVIEWERS)
    assert {one.facts for one in found.jobs} == {"sheet"}


def test_one_that_the_settings_leave_out_is_never_asked() -> None:
    found = tasks_done(frozenset({DEEPENER}))
    assert job(found).turn is Turn.OUTLINE
    found = tasks_done(frozenset({SIMPLIFIER}))
    found = after(found, UNCHANGED, helpers=frozenset({SIMPLIFIER}))
    assert job(found).kind is JobKind.CHECK
    assert job(tasks_done(frozenset())).kind is JobKind.CHECK


@pytest.mark.parametrize("failure", ["garbage", "timed out", "budget", "nothing left"])
def test_one_that_fails_is_told_of_and_left_out(failure: str) -> None:
    """D5: help never stands in the way."""
    found = after(tasks_done(), JobResult(failure=failure, detail="words"))
    assert found.notes == ((SIMPLIFIER, f"{SIMPLIFIER} is left out: {failure}: words"),)
    # What it left in the worktree is put away before anybody looks.
    assert (job(found).kind, job(found).head, job(found).building.since) == (
        JobKind.TRIAL, "log", "log",
    )  # fmt: skip
    found = after(found, JobResult(commit="log"))
    assert job(found).turn is Turn.OUTLINE
    found = after(found, JobResult(failure=failure))
    assert job(after(found, JobResult(commit="log"))).kind is JobKind.CHECK


def test_whoever_changes_nothing_costs_no_look() -> None:
    found = after(after(tasks_done(), UNCHANGED), JobResult(reply="outlines", changed=False))
    assert job(after(found, UNCHANGED)).kind is JobKind.CHECK


def test_code_that_differs_from_its_promise_is_changed_twice_at_most() -> None:
    """D5: with what the tests printed and what the deepener reported; then a person is asked."""
    found = deepened()
    for number in range(FIXES):
        found = after(found, RED)
        asked = job(found)
        assert (asked.role, asked.turn, asked.iteration) == ("implementer", Turn.MEND, number + 1)
        assert (asked.feedback, asked.note) == ("output", "report")
        found = after(found, JobResult(commit=f"fix{number}"))
        assert job(found).kind is JobKind.CHECK
    found = after(found, RED)
    assert (found.do, found.place.state.position) == (Do.WAIT, Position.STUCK)
    assert "tests of the test-deepener fail after 2 fixes" in found.place.state.reason


def test_a_fix_that_helps_goes_on_to_the_reviewers() -> None:
    found = after(after(after(deepened(), RED), JobResult(commit="fix")), JobResult())
    assert [one.role for one in found.jobs] == list(CODE_REVIEWERS)


def diverging() -> Next:
    found = deepened()
    for _ in range(FIXES):
        found = after(after(found, RED), JobResult(commit="fix"))
    return after(found, RED)


def test_a_person_takes_the_code_as_it_is() -> None:
    """D5: its failing tests are left out and noted, and the checks decide again."""
    found = said(diverging(), OutcomeKind.APPROVE)
    assert (job(found).kind, job(found).building.tests) == (JobKind.ACCEPT, ("log", "tests"))
    assert job(after(found, JobResult(commit="without"))).kind is JobKind.CHECK


def test_a_person_has_it_tried_again() -> None:
    found = said(diverging(), OutcomeKind.CONTINUE)
    assert job(found).kind is JobKind.CHECK
    assert job(after(found, RED)).turn is Turn.MEND


def test_nobody_improves_on_what_is_not_there() -> None:
    """D4, D5: a stage whose only task was left out goes to its checks."""
    rules = StageRules(3, frozenset({"implement"}), headless=True, assistants=BOTH)
    found = next_move(at("implement"), Happened((JobResult(commit="c0"),)), rules, 1.0)
    found = after(found, JobResult(tasks=(("1", "One"),)))
    found = after(found, JobResult(failure="crashed"))
    found = after(said(found, OutcomeKind.APPROVE), JobResult(commit="log"))
    assert job(found).kind is JobKind.CHECK


def test_helpers_are_always_fresh() -> None:
    """C11"""
    for role in BOTH:
        assert shipped(role).always_fresh
