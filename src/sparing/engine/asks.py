"""From a place to the jobs of its step."""

from __future__ import annotations

from dataclasses import replace

from sparing.engine.jobs import Job, JobKind, Turn
from sparing.engine.place import Place, Step, stage_of
from sparing.engine.rounds import to_settle

AGENT_STEPS = frozenset({Step.AUTHOR, Step.TASK, Step.REPAIR})
PROGRAM_JOBS = {
    Step.OPEN: JobKind.OPEN,
    Step.TASKS: JobKind.TASKS,
    Step.CHECK: JobKind.CHECK,
    Step.CLOSE: JobKind.CLOSE,
    Step.HANDOVER: JobKind.HANDOVER,
}


def program_job(place: Place) -> Job:
    """What the program does itself."""
    kind = PROGRAM_JOBS[place.step]
    job = _job(place, kind.value, kind)
    if kind in (JobKind.CLOSE, JobKind.HANDOVER):
        return replace(job, place=replace(place, review=None).dump())
    return job


def agent_job(place: Place) -> Job:
    """What the stage's author is asked for."""
    role, turn = stage_of(place).author, place.asked
    if place.step is Step.TASK:
        job = _job(place, f"task-{place.task + 1}", role=role, turn=Turn.IMPLEMENT)
        return replace(job, task=place.tasks[place.task][0], iteration=1)
    iteration = place.turn if place.step is Step.AUTHOR else place.repairs
    settles = to_settle(place.review) if turn is Turn.REVISE else ()
    job = _job(place, role, role=role, turn=turn)
    return replace(job, iteration=max(1, iteration), settles=settles)


def review_jobs(place: Place) -> tuple[Job, ...]:
    """One for each reviewer of the group that has neither passed nor answered already."""
    assert place.loop is not None
    loop, answered = place.loop, {result.role for result in place.done}
    return tuple(
        replace(
            _job(place, role, role=role, turn=Turn.REVIEW),
            iteration=loop.iteration,
            final=loop.final,
            ended=tuple(tuple(one) for one in loop.outcomes),
            facts=place.facts,
        )
        for role in loop.asks
        if role not in answered
    )


def jobs_of(place: Place) -> tuple[Job, ...]:
    """The jobs of the step that a place is at, as they were asked for."""
    if place.step is Step.REVIEW:
        return review_jobs(place)
    if place.step in AGENT_STEPS:
        return (agent_job(place),)
    return (program_job(place),)


def _job(
    place: Place,
    name: str,
    kind: JobKind = JobKind.DISPATCH,
    *,
    role: str = "",
    turn: Turn = Turn.NONE,
) -> Job:
    return Job(
        kind,
        place.state.stage,
        place.head,
        name,
        role,
        turn,
        open=place.open,
        feedback=place.feedback,
        note=place.note,
        baseline=place.baseline,
    )
