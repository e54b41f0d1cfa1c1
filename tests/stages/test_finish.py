"""A feature's last stage, move by move. Covers: D6, D7, A7."""

from __future__ import annotations

from dataclasses import replace

import pytest

from sparing.artifact import ArtifactName
from sparing.ending import ROLE, Ending
from sparing.flow.advance import begin
from sparing.flow.state import Do, Outcome, OutcomeKind, Position
from sparing.job import JobKind, JobResult
from sparing.stages.last_stage import SHOWN
from sparing.stages.moves import Happened, Next, StageRules
from sparing.stages.place import Mark, Place
from sparing.stages.stage import next_move
from sparing.turn import StageStep, Turn

RULES = StageRules(3, frozenset(), headless=True, assistants=frozenset({ROLE}))
OPEN = ("task 1.2, Print it, has 2 of 3 boxes open",)


def finish(step: StageStep = StageStep.OPEN) -> Place:
    return Place(begin("feature", "finish", frozenset(ArtifactName)), "c0", step)


def after(place: Place, result: JobResult, rules: StageRules = RULES) -> Next:
    return next_move(place, Happened((result,)), rules, 100.0)


def said(place: Place, kind: OutcomeKind, feedback: str = "") -> Next:
    return next_move(place, Happened(answer=Outcome(kind), feedback=feedback), RULES, 100.0)


def surveyed(*unfinished: str) -> Next:
    found = after(finish(), JobResult(commit="c0"))
    assert [job.kind for job in found.jobs] == [JobKind.SURVEY]
    return after(found.place, JobResult(unfinished=unfinished))


def test_nothing_open_a_retrospective_then_the_checks() -> None:
    """D6: in this order."""
    found = surveyed()
    (job,) = found.jobs
    assert (job.role, job.turn, job.iteration) == (ROLE, Turn.RETRO, 1)
    found = after(found.place, JobResult(commit="c1"))
    assert [job.kind for job in found.jobs] == [JobKind.CHECK]
    assert (found.place.head, found.place.ending) == ("c1", Ending(logs="c1"))
    found = after(found.place, JobResult())
    assert [job.kind for job in found.jobs] == [JobKind.CLOSE]


def test_unfinished_tasks_stop_also_where_nobody_can_be_asked() -> None:
    """D6"""
    found = surveyed(*OPEN)
    state = found.place.state
    assert (found.do, state.position, state.acceptable) == (Do.WAIT, Position.STUCK, True)
    assert state.reason == f"1 task is not finished: {OPEN[0]}"
    many = surveyed(*(f"task {n}" for n in range(SHOWN + 2)))
    assert many.place.state.reason.startswith(f"{SHOWN + 2} tasks are not finished: task 0; ")
    assert many.place.state.reason.endswith("; and 2 more")


def test_a_person_goes_on_with_them_and_they_are_recorded() -> None:
    """D6"""
    found = said(surveyed(*OPEN).place, OutcomeKind.APPROVE)
    assert [job.turn for job in found.jobs] == [Turn.RETRO]
    found = after(after(found.place, JobResult(commit="c1")).place, JobResult())
    found = after(found.place, JobResult(commit="c2"))
    assert found.place.marks["finish"].notes == OPEN
    assert found.place.state.concerns == ("finish",)
    assert [job.kind for job in found.jobs] == [JobKind.HANDOVER]


def test_or_sends_them_to_the_implementer_and_is_asked_again() -> None:
    """D6"""
    found = said(surveyed(*OPEN).place, OutcomeKind.REJECT, "words")
    (job,) = found.jobs
    assert (job.role, job.turn, job.feedback) == ("implementer", Turn.REDO, "words")
    found = after(found.place, JobResult(commit="c1"))
    assert [job.kind for job in found.jobs] == [JobKind.SURVEY]


def test_a_retrospective_stops_nothing_and_its_logs_stay() -> None:
    """D7"""
    found = after(surveyed().place, JobResult(commit="c1", passed=False, detail="timed out"))
    assert [job.kind for job in found.jobs] == [JobKind.CHECK]
    assert found.place.ending.logs == ""


def test_one_that_is_not_wanted_is_not_held() -> None:
    """D7: left out of the assistants, it costs nothing."""
    place = after(finish(), JobResult(commit="c0"), RULES).place
    found = after(place, JobResult(), RULES._replace(assistants=frozenset()))
    assert [job.kind for job in found.jobs] == [JobKind.CHECK]


def test_it_is_held_once_however_often_the_stage_is_sent_back() -> None:
    held = replace(finish(StageStep.SURVEY), ending=Ending(logs="c1"))
    assert [job.kind for job in after(held, JobResult()).jobs] == [JobKind.CHECK]


def test_what_failed_may_have_committed_something_first() -> None:
    """D6: the last commit is made before the branch is brought home, and stays."""
    state = replace(finish().state, position=Position.HANDOVER)
    place = replace(finish(StageStep.HANDOVER), state=state)
    found = after(
        place, JobResult(commit="c9", failure="not handed over", detail="both changed: a")
    )
    assert (found.place.head, found.place.state.held) == ("c9", Position.HANDOVER)
    assert Place.load(found.place.dump()) == found.place
    again = said(found.place, OutcomeKind.CONTINUE)
    assert [(job.kind, job.head) for job in again.jobs] == [(JobKind.HANDOVER, "c9")]


ASKED = RULES._replace(gates=frozenset({"finish", "done"}))


def at_last_gate(flow: str = "feature", stage: str = "finish") -> Place:
    """Closed, and shown to a person."""
    place = Place(begin(flow, stage, frozenset(ArtifactName)), "c0", StageStep.CLOSE)
    mark = Mark(1.0, completed=90.0, base="c0")
    closed = replace(place, marks={stage: mark}, ending=Ending(logs="c0"))
    found = after(closed, JobResult(commit="c1"), ASKED)
    assert (found.do, found.place.state.position) == (Do.WAIT, Position.GATE)
    return found.place


def answered(place: Place, kind: OutcomeKind, feedback: str = "", target: str = "") -> Next:
    answer = Outcome(kind, target=target)
    return next_move(place, Happened(answer=answer, feedback=feedback), ASKED, 100.0)


@pytest.mark.parametrize(("flow", "stage"), [("feature", "finish"), ("L1", "done"), ("L3", "done")])
def test_what_was_approved_is_handed_over_and_nothing_else(flow: str, stage: str) -> None:
    """A7, A2: the hand-over is of the commit that the gate has shown."""
    found = answered(at_last_gate(flow, stage), OutcomeKind.APPROVE)
    assert [(job.kind, job.head) for job in found.jobs] == [(JobKind.HANDOVER, "c1")]
    ended = after(found.place, JobResult(commit="c1"), ASKED)
    assert (ended.do, ended.place.head) == (Do.END, "c1")


@pytest.mark.parametrize(("flow", "stage"), [("feature", "finish"), ("L1", "done"), ("L3", "done")])
def test_a_rejection_first_takes_back_that_it_is_completed(flow: str, stage: str) -> None:
    """D6, A5, F7"""
    found = answered(at_last_gate(flow, stage), OutcomeKind.REJECT, "words")
    (job,) = found.jobs
    assert job.kind is JobKind.REOPEN
    assert job.place is not None
    assert Place.load(job.place).marks[stage].completed is None
    on = after(found.place, JobResult(commit="c2"), ASKED)
    (job,) = on.jobs
    assert (job.turn, job.head, job.feedback) == (Turn.REDO, "c2", "words")
    assert on.place.state.rejects[0][1] == 1


def test_what_was_changed_after_the_approval_is_asked_about() -> None:
    """A7: and no rule lets it pass, for its checks were not run."""
    handing = answered(at_last_gate(), OutcomeKind.APPROVE).place
    changed = JobResult(commit="c9", passed=False, detail="changed")
    found = after(handing, changed, ASKED._replace(auto=True))
    state = found.place.state
    assert (found.do, state.position, found.place.head) == (Do.WAIT, Position.GATE, "c9")
    assert state.reason.startswith("not passed by rule: ")
    assert after(handing, changed, ASKED).place.state.reason == "changed"


def test_a_last_stage_that_a_person_takes_as_it_is_is_closed_and_shown() -> None:
    """A7, A5: nothing is handed over whose branch does not say that it is completed."""
    place = Place(begin("L1", "done", frozenset(ArtifactName)), "c0", StageStep.AUTHOR)
    place = replace(place, marks={"done": Mark(1.0)})
    stuck = after(place, JobResult(failure="crashed"), ASKED).place
    edited = replace(stuck, state=replace(stuck.state, acceptable=True))
    found = answered(edited, OutcomeKind.APPROVE)
    assert [job.kind for job in found.jobs] == [JobKind.CLOSE]
    shown = after(found.place, JobResult(commit="c1"), ASKED)
    assert (shown.do, shown.place.state.position) == (Do.WAIT, Position.GATE)
    assert shown.place.state.concerns == ("done",)
