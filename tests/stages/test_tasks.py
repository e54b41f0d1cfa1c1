"""Tasks one by one: each is looked at, tried once more, and left out only by a person.

Covers: D1, D4, A6
"""

from __future__ import annotations

from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sparing import codec
from sparing.flow.state import Do, Outcome, OutcomeKind, Position
from sparing.job import BUDGET, Job, JobKind, JobResult
from sparing.stages.moves import Happened, Next, StageRules
from sparing.stages.place import Place
from sparing.stages.stage import next_move
from sparing.task_progress import TaskProgress, TaskResult
from sparing.turn import StageStep, Turn
from tests.stages.test_stage import at

RULES = StageRules(cap=3, gates=frozenset({"implement"}), headless=True)
TASKS = (("1", "One"), ("2", "Two"), ("3", "Three"))
FAILED = JobResult(failure="garbage", detail="no words")
DOUBT = JobResult(passed=False, detail="nothing was changed", reply="why")


def after(found: Place | Next, *results: JobResult) -> Next:
    place = found if isinstance(found, Place) else found.place
    return next_move(place, Happened(results), RULES, 1.0)


def said(found: Next, kind: OutcomeKind, feedback: str = "") -> Next:
    return next_move(found.place, Happened(answer=Outcome(kind), feedback=feedback), RULES, 1.0)


def job(found: Next) -> Job:
    (only,) = found.jobs
    return only


def begun(**more: object) -> Next:
    listed = replace(JobResult(tasks=TASKS, waits=(("3", ("2",)),)), **more)
    return after(after(at("implement"), JobResult(commit="c0")), listed)


def one_done(number: int = 1) -> Next:
    return after(after(begun(), JobResult(commit=f"c{number}", reply="r")), JobResult(commit="log"))


def waved(*asked: tuple[str, ...], asks: bool = False) -> Next:
    """Two tasks side by side, and what each has asked."""
    place = begun(waves=(("1", "2"), ("3",))).place
    results = (JobResult(commit="c1", reply="r1"), JobResult(commit="c2", reply="r2"))
    rules = RULES._replace(asks=asks)
    return next_move(place, Happened(results, asked=asked), rules, 1.0)


def test_a_question_of_a_task_in_a_wave_is_not_lost() -> None:
    """F5: who asks goes again alone, where it can be answered; the others are taken in."""
    found = waved((), ("Which port?",), asks=True)
    assert [one.number for one in found.place.building.parts] == ["1"]
    assert "2" in found.place.building.alone
    assert "2" not in found.place.building.tried
    found = after(after(found, JobResult(commit="joined")), JobResult(commit="log"))
    assert (job(found).task, found.place.step) == ("2", StageStep.TASK)


def test_in_a_wave_defaults_are_taken_where_nobody_is_asked() -> None:
    """F5: and told, by task."""
    found = waved((), ("Which port? (default: 80)",))
    assert [one.number for one in found.place.building.parts] == ["1", "2"]
    said = "task 2: it asks: Which port? Taken by default: 80"
    assert found.notes == (("implementer", said),)


def test_a_task_is_done_when_the_program_has_seen_it() -> None:
    """D1: dispatch, look, next task; the look knows what was there before."""
    found = begun()
    assert (job(found).task, job(found).turn, job(found).iteration) == ("1", Turn.IMPLEMENT, 1)
    found = after(found, JobResult(commit="c1", reply="report"))
    assert job(found).kind is JobKind.PROVE
    assert job(found).building.since == "c0"
    assert job(found).building.parts == (TaskResult("1", "c1", "report"),)
    found = after(found, JobResult(commit="log"))
    assert (job(found).task, job(found).head) == ("2", "log")
    assert found.place.building.done == ("1",)


def test_what_is_not_borne_out_is_tried_once_more_with_the_reason() -> None:
    """D4: then a person is asked; nobody goes on as if it were done."""
    found = after(after(one_done(), JobResult(commit="c2")), DOUBT)
    assert (job(found).task, job(found).iteration, job(found).feedback) == ("2", 2, "why")
    found = after(after(found, JobResult(commit="c3")), DOUBT)
    assert (found.do, found.place.state.position) == (Do.WAIT, Position.STUCK)
    reason = found.place.state.reason
    assert "task 2 is not done: nothing was changed" in reason
    assert "leave it and 3, which wait for it, out: approve; to try again: resume" in reason


def test_a_dispatch_that_fails_is_tried_once_more() -> None:
    """D4: one retry, then it stops; what is done stays done."""
    found = after(one_done(), FAILED)
    assert (job(found).task, job(found).iteration) == ("2", 2)
    found = after(found, FAILED)
    assert (found.place.state.position, found.place.building.done) == (Position.STUCK, ("1",))
    assert "task 2 is not done: garbage: no words" in found.place.state.reason


def test_what_a_dispatch_has_tried_twice_itself_goes_to_a_person_at_once() -> None:
    found = after(begun(), JobResult(failure="crashed", detail="trace\nlast words"))
    assert "task 1 is not done: crashed: last words." in found.place.state.reason


@pytest.mark.parametrize("failure", [BUDGET, "quota", "auth", "loop"])
def test_what_no_try_would_mend_waits_for_whoever_can(failure: str) -> None:
    """E3: nothing is left out because a cap was reached."""
    found = after(begun(), JobResult(failure=failure, detail="words"))
    assert (found.place.state.position, found.place.state.acceptable) == (Position.STUCK, False)
    found = said(found, OutcomeKind.CONTINUE)
    assert (job(found).task, job(found).iteration) == ("1", 1)


def stuck_on_two() -> Next:
    found = after(after(one_done(), JobResult(commit="c2")), DOUBT)
    return after(after(found, JobResult(commit="c3")), DOUBT)


def test_a_person_leaves_a_task_out_and_what_waits_for_it() -> None:
    """D4: recorded, in the log, in the stage's notes and at its gate."""
    found = said(stuck_on_two(), OutcomeKind.APPROVE)
    assert (job(found).kind, found.place.step) == (JobKind.NOTE, StageStep.SKIP)
    building = job(found).building
    assert (building.skipped, building.blocked) == ((("2", "nothing was changed"),), ("3",))
    assert building.since == "log"  # what was tried is put back to here
    found = after(found, JobResult(commit="c4"))
    assert job(found).kind is JobKind.CHECK
    assert job(found).building.settled == ("2", "3")
    closed = replace(found.place, review=None)
    found = after(next_move(closed, Happened((JobResult(),)), RULES, 1.0), JobResult(commit="c5"))
    assert found.place.marks["implement"].notes == ("task 2 was left out: nothing was changed",)
    assert "task 2 was left out" in found.place.state.reason


def test_a_person_has_it_tried_again() -> None:
    """A6: first a look, in case they have put it right themselves; then the agent."""
    found = said(stuck_on_two(), OutcomeKind.CONTINUE)
    assert job(found).kind is JobKind.PROVE
    assert job(after(found, JobResult(commit="c9"))).task == "3"
    again = after(found, DOUBT)
    assert (job(again).kind, job(again).task) == (JobKind.DISPATCH, "2")


def test_a_rejection_goes_to_the_task_and_not_to_the_whole_stage() -> None:
    """A6: the tasks that follow are still done."""
    found = said(stuck_on_two(), OutcomeKind.REJECT, "words")
    assert (job(found).task, job(found).turn, job(found).feedback) == ("2", Turn.IMPLEMENT, "words")
    found = after(after(found, JobResult(commit="c4")), JobResult(commit="c5"))
    assert job(found).task == "3"
    assert job(found).feedback == ""


def test_nothing_is_lost_between_tasks() -> None:
    """D4: a place that was stored goes on as if nothing had happened."""
    found = one_done()
    kept = Place.load(found.place.dump())
    assert kept == found.place
    assert after(kept, JobResult(commit="c2")).jobs == after(found, JobResult(commit="c2")).jobs


def test_a_leg_that_is_begun_anew_does_no_task_twice() -> None:
    """D4, I1: the old one could not run any more; its branch has what it did."""
    found = after(Place.load(one_done().place.dump()))
    assert job(found).kind is JobKind.OPEN
    found = after(after(found, JobResult(commit="log")), JobResult(tasks=TASKS))
    assert (job(found).task, found.place.building.done) == ("2", ("1",))
    other = after(after(one_done().place), JobResult(commit="log"))
    assert job(after(other, JobResult(tasks=(("1", "Another"),)))).task == "1"


def test_a_row_from_before_the_look_goes_on() -> None:
    """I4: its tasks were counted only."""
    old = {**begun().place.dump(), "task": 1}
    del old["building"]
    found = after(Place.load(old), JobResult(commit="c2", reply="r"))
    assert (job(found).kind, job(found).building.parts[0].number) == (JobKind.PROVE, "2")
    found = after(found, JobResult(commit="log"))
    assert (job(found).task, found.place.building.done) == ("3", ("1", "2"))


def test_tasks_of_a_wave_have_a_worktree_each() -> None:
    """D1"""
    found = begun(waves=(("1", "2"), ("3",)))
    assert [(one.task, one.head) for one in found.jobs] == [("1", "c0"), ("2", "c0")]
    assert len({one.lane for one in found.jobs} - {""}) == 2
    found = after(found, JobResult(commit="a", reply="ra"), JobResult(commit="b", reply="rb"))
    assert (job(found).kind, job(found).head) == (JobKind.JOIN, "c0")
    assert job(found).building.parts == (TaskResult("1", "a", "ra"), TaskResult("2", "b", "rb"))
    found = after(found, JobResult(commit="m"))
    assert (job(found).kind, job(found).head) == (JobKind.NOTE, "m")
    found = after(found, JobResult(commit="log"))
    assert (job(found).task, job(found).lane) == ("3", "")


def test_what_did_not_fit_runs_again_alone_on_what_is_there() -> None:
    """D1: and knows why."""
    found = after(begun(waves=(("1", "2"), ("3",))), JobResult(commit="a"), JobResult(commit="b"))
    found = after(
        after(found, JobResult(commit="m", left=(("2", "why"),))), JobResult(commit="log")
    )
    assert (job(found).task, job(found).lane, job(found).head) == ("2", "", "log")
    assert job(found).feedback == "why"
    found = after(after(found, JobResult(commit="c")), JobResult(commit="log2"))
    assert found.place.building.done == ("1", "2")
    assert job(found).task == "3"


def test_who_fails_in_a_wave_has_its_second_try_when_the_others_are_in() -> None:
    """D4"""
    found = after(begun(waves=(("1", "2"), ("3",))), JobResult(commit="a"), FAILED)
    assert [part.number for part in job(found).building.parts] == ["1"]
    found = after(after(found, JobResult(commit="m")), JobResult(commit="log"))
    assert job(found).task == "2"
    assert after(found, FAILED).place.state.position is Position.STUCK


def test_a_wave_that_a_cap_interrupted_does_only_what_is_missing() -> None:
    """E3, I1: what was paid for counts."""
    found = after(
        begun(waves=(("1", "2"), ("3",))), JobResult(commit="a"), JobResult(failure=BUDGET)
    )
    assert found.place.state.position is Position.STUCK
    found = said(found, OutcomeKind.CONTINUE)
    assert job(found).task == "2"
    before = found.place.done  # brought along with what comes, as `looks.happened` does
    found = after(found, *before, JobResult(commit="b"))
    assert [(one.number, one.commit) for one in job(found).building.parts] == [
        ("1", "a"), ("2", "b"),
    ]  # fmt: skip


NUMBERS = st.lists(st.sampled_from("123456"), max_size=6, unique=True)


@given(NUMBERS, NUMBERS)
def test_whatever_is_left_out_every_task_is_over_once(skipped: list[str], waits: list[str]) -> None:
    """D4: done, left out or blocked, and never two of them."""
    building = TaskProgress(
        tuple((one,) for one in "123456"), tuple((one, ("1",)) for one in waits if one != "1")
    )
    while building.upcoming:
        number = building.upcoming[0]
        building = (
            building.without(number, "so") if number in skipped else building.having((number,))
        )
    over = (*building.done, *building.left_out)
    assert sorted(over) == sorted("123456")
    assert codec.load(TaskProgress, codec.brief(building)) == building


def test_a_person_says_what_should_be_different_about_a_task() -> None:
    """D4: that task again, with their words and two more tries; the others stay as they are."""
    found = said(stuck_on_two(), OutcomeKind.REJECT, "hash of words")
    assert (job(found).task, job(found).feedback) == ("2", "hash of words")
    assert found.place.building.done == ("1",)
    assert "2" not in found.place.building.tried
