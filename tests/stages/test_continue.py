"""A step that was interrupted is asked for again, and only what is missing. Covers: A6, E3, I4."""

from __future__ import annotations

from sparing import codec
from sparing.artifact import ArtifactName
from sparing.finding import Finding, Severity, Verdict
from sparing.flow.advance import begin
from sparing.flow.flows import FEATURE
from sparing.flow.state import Cause, Do, Outcome, OutcomeKind, Position
from sparing.job import Job, JobKind, JobResult
from sparing.review.governor import SeenVerdict, SinceLastLook
from sparing.stages.moves import Happened, Next, StageRules
from sparing.stages.place import Place
from sparing.stages.stage import next_move
from sparing.turn import StageStep, Turn

GATES = frozenset(stage.name for stage in FEATURE.stages if stage.gate)
RULES = StageRules(cap=3, gates=GATES, headless=False)
BUDGET = JobResult(failure="budget", detail="money of this feature")
GO_ON = Happened(answer=Outcome(OutcomeKind.CONTINUE))
REVIEWERS = list(FEATURE.stage("implement").reviewers[0])


def at(stage: str, step: StageStep = StageStep.OPEN) -> Place:
    return Place(begin("feature", stage, frozenset(ArtifactName)), "base", step)


def after(place: Place, *results: JobResult, verdicts: tuple[Verdict, ...] = ()) -> Next:
    seen = tuple(SeenVerdict(verdict) for verdict in verdicts)
    keys = {verdict.role: "as it stands" for verdict in verdicts}
    return next_move(place, Happened(results, seen, SinceLastLook(inputs=keys)), RULES, 100.0)


def continued(stuck: Next) -> Next:
    """The place as it is stored, given to the next leg with a person's word."""
    assert (stuck.do, stuck.place.state.position) == (Do.WAIT, Position.STUCK)
    return next_move(Place.load(stuck.place.dump()), GO_ON, RULES, 200.0)


def same(before: Next, again: Next) -> bool:
    return list(map(codec.dump, before.jobs)) == list(map(codec.dump, again.jobs))


def implementing() -> Next:
    """Three tasks, the first of them done and seen to be done."""
    listed = after(
        after(at("implement"), JobResult(commit="c0")).place, JobResult(tasks=_tasks("123"))
    )
    return _built(listed, "c1")


def _built(asked: Next, commit: str) -> Next:
    done = after(asked.place, JobResult(commit=commit, reply="note"))
    return after(done.place, JobResult(commit=f"{commit}, noted"))


def _tasks(numbers: str) -> tuple[tuple[str, str], ...]:
    return tuple((number, f"Task {number}") for number in numbers)


def test_an_author_is_asked_the_same_again() -> None:
    """E3: the same dispatch, at the same commit, with the same words."""
    asked = after(at("specify"), JobResult(commit="c0"))
    stuck = after(asked.place, BUDGET)
    assert stuck.place.state.cause is Cause.BUDGET
    assert stuck.place.state.reason == "budget: money of this feature"
    again = continued(stuck)
    assert same(asked, again)
    assert again.place.turn == asked.place.turn


def test_a_revision_keeps_its_findings() -> None:
    reviewed = after(after(at("specify"), JobResult(commit="c0")).place, JobResult(commit="c1"))
    bad = Verdict("spec-reviewer", approved=False, findings=(Finding(Severity.BLOCKER, "no"),))
    failed = JobResult(dispatch="d", passed=False, role="spec-reviewer")
    revising = after(reviewed.place, failed, verdicts=(bad,))
    again = continued(after(revising.place, BUDGET))
    assert same(revising, again)
    (job,) = again.jobs
    assert (job.turn, job.settles, job.iteration) == (Turn.REVISE, ("F1",), 2)


def test_finished_tasks_are_not_done_again() -> None:
    second = implementing()
    again = continued(after(second.place, BUDGET))
    assert same(second, again)
    assert [job.task for job in again.jobs] == ["2"]


def test_only_reviewers_without_an_answer_are_asked() -> None:
    """E3: what the others said counts together with what the last one says."""
    built = _built(_built(implementing(), "c2"), "c3")
    asked = after(built.place, JobResult(passed=True))
    assert [job.role for job in asked.jobs] == REVIEWERS
    good = [JobResult(dispatch=f"d-{role}", role=role) for role in REVIEWERS]
    stuck = after(asked.place, good[0], BUDGET, BUDGET)
    again = continued(stuck)
    assert [job.role for job in again.jobs] == REVIEWERS[1:]
    once_more = continued(after(again.place, good[0], good[1], BUDGET))
    assert [job.role for job in once_more.jobs] == REVIEWERS[2:]
    verdicts = tuple(Verdict(role, approved=True) for role in REVIEWERS)
    done = after(once_more.place, *good, verdicts=verdicts)
    assert [job.kind for job in done.jobs] == [JobKind.CLOSE]
    assert done.place.done == ()


def test_a_handover_is_tried_again() -> None:
    place = at("finish", StageStep.CLOSE)
    gate = after(place, JobResult(commit="c1")).place
    handing = next_move(gate, Happened(answer=Outcome(OutcomeKind.APPROVE)), RULES, 150.0)
    assert [job.kind for job in handing.jobs] == [JobKind.HANDOVER]
    again = continued(after(handing.place, JobResult(failure="not merged", detail="main moved")))
    assert [job.kind for job in again.jobs] == [JobKind.HANDOVER]
    assert again.place.state.position is Position.HANDOVER


def test_a_rejection_begins_the_stage_anew() -> None:
    """What was kept of the interrupted step is not mixed into it."""
    asked = after(at("specify"), JobResult(commit="c0"))
    stuck = after(asked.place, BUDGET)
    rejected = next_move(
        stuck.place, Happened(answer=Outcome(OutcomeKind.REJECT), feedback="hash"), RULES, 1.0
    )
    (job,) = rejected.jobs
    assert (job.turn, rejected.place.done) == (Turn.REDO, ())


def revising() -> Next:
    reviewed = after(after(at("specify"), JobResult(commit="c0")).place, JobResult(commit="c1"))
    return _refused(reviewed)


def _refused(reviewed: Next) -> Next:
    bad = Verdict("spec-reviewer", approved=False, findings=(Finding(Severity.BLOCKER, "no"),))
    return after(reviewed.place, JobResult(dispatch="d", passed=False), verdicts=(bad,))


def test_one_round_without_a_change_is_borne_two_are_not() -> None:
    """A loop breaker: no diff in two rounds."""
    nothing = JobResult(commit="c1", reply="I disagree", changed=False)
    first = after(revising().place, nothing)
    assert [job.role for job in first.jobs] == ["spec-reviewer"]
    stuck = after(_refused(first).place, nothing)
    assert (stuck.place.state.cause, stuck.place.state.reason) == (
        Cause.LOOP,
        "loop: spec-author changed nothing in 2 rounds",
    )


def test_a_change_begins_to_count_anew() -> None:
    nothing = JobResult(commit="c1", changed=False)
    first = after(revising().place, nothing)
    changed = after(_refused(first).place, JobResult(commit="c2"))
    assert changed.place.idle == 0


def test_places_of_an_earlier_version_are_read() -> None:
    """I4: what was added since has a value that means nothing happened."""
    place = implementing().place
    old = place.dump()
    for name in ("asked", "idle", "done"):
        del old[name]
    read = Place.load(old)
    assert (read.asked, read.idle, read.done) == (Turn.NONE, 0, ())
    assert codec.load(Job, codec.dump(implementing().jobs[0])).task == "2"
