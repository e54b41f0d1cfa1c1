"""From a place to the jobs of its step."""

from __future__ import annotations

from dataclasses import replace

from sparing.engine.jobs import Job, JobKind, Turn
from sparing.engine.place import Place, Step, stage_of

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
        return replace(job, place=place.dump())
    return job


def agent_job(place: Place, turn: Turn) -> Job:
    """What the stage's author is asked for."""
    role = stage_of(place).author
    if place.step is Step.TASK:
        job = _job(place, f"task-{place.task + 1}", role=role, turn=Turn.IMPLEMENT)
        return replace(job, task=place.tasks[place.task][0], iteration=1)
    iteration = place.turn if place.step is Step.AUTHOR else place.repairs
    return replace(_job(place, role, role=role, turn=turn), iteration=max(1, iteration))


def review_jobs(place: Place) -> tuple[Job, ...]:
    """One for each reviewer of the group that has not passed."""
    assert place.loop is not None
    iteration = place.loop.iteration
    return tuple(
        replace(_job(place, role, role=role, turn=Turn.REVIEW), iteration=iteration)
        for role in place.loop.asks
    )


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
    )
