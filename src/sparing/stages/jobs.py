"""From a place to the jobs of its step."""

from __future__ import annotations

from dataclasses import replace

from sparing.continuation import Continuation, SessionStep
from sparing.ending import ROLE as RETRO
from sparing.flow.flows import builder_of, code_stage
from sparing.flow.stage import StageWork
from sparing.job import Job, JobKind
from sparing.refinement import Refinement
from sparing.stages.place import Place, stage_of
from sparing.stages.review_rounds import to_settle
from sparing.turn import TURNS, StageStep, Turn

HELP_STEPS = frozenset(row.step for row in TURNS.values() if row.helps)
PROGRAM_JOBS = {
    StageStep.OPEN: JobKind.OPEN,
    StageStep.TASKS: JobKind.TASKS,
    StageStep.CHECK: JobKind.CHECK,
    StageStep.PROVE: JobKind.PROVE,
    StageStep.JOIN: JobKind.JOIN,
    StageStep.NOTE: JobKind.NOTE,
    StageStep.SKIP: JobKind.NOTE,
    StageStep.TRIAL: JobKind.TRIAL,
    StageStep.DEEPENED: JobKind.CHECK,
    StageStep.ACCEPT: JobKind.ACCEPT,
    StageStep.SURVEY: JobKind.SURVEY,
    StageStep.CLOSE: JobKind.CLOSE,
    StageStep.REOPEN: JobKind.REOPEN,
    StageStep.HANDOVER: JobKind.HANDOVER,
    StageStep.SYNC: JobKind.SYNC,
    StageStep.UNDO: JobKind.UNDO,
    StageStep.TRACE: JobKind.TRACE,
}

WITH_PLACE = frozenset(
    {JobKind.SURVEY, JobKind.CLOSE, JobKind.REOPEN, JobKind.HANDOVER, JobKind.TRACE}
)


def program_job(place: Place) -> Job:
    """What the program does itself."""
    kind = PROGRAM_JOBS[place.step]
    job = _job(place, kind.value, kind)
    if kind is JobKind.OPEN:
        return replace(job, given=place.given, rewind=place.talk.rewind)
    if kind is JobKind.CHECK:
        job = replace(job, agreed=place.talk.agreed)
    if kind is JobKind.SYNC:
        return replace(job, sync=place.sync)
    if kind in WITH_PLACE:
        return replace(job, place=replace(place, review=None).dump())
    if stage_of(place).work is StageWork.IMPLEMENT:
        return replace(job, building=place.building)
    return job


def agent_job(place: Place) -> Job:
    """What the stage's author is asked for."""
    role, turn = stage_of(place).author, place.asked
    if place.step is StageStep.TASK:
        return task_job(place, place.tasks[place.task][0])
    iteration = place.turn if place.step is StageStep.AUTHOR else place.repairs
    revises = turn is Turn.REVISE
    settles = to_settle(place.review) if revises else ()
    look = place.loop.iteration if revises and place.loop else 0
    job = _job(place, role, role=role, turn=turn)
    parts = stage_of(place).parts if TURNS[turn].by_parts else ()
    return replace(
        job, iteration=max(1, iteration), look=look, settles=settles, research=place.research,
        part=parts[place.part] if parts else "", going=_going(place),
    )  # fmt: skip


def resolve_job(place: Place) -> Job:
    """Job for the author of the code to resolve conflicts with the base, in a separate worktree."""
    stage = code_stage(place.state.flow)
    job = replace(_job(place, "resolve", role=stage.author, turn=Turn.RESOLVE), stage=stage.name)
    sync = place.sync
    return replace(
        job, head=sync.merged, iteration=sync.tries, feedback=sync.problem, note="", open=(),
        lane=f"sync-{place.sync.target[:10]}",
    )  # fmt: skip


def task_job(place: Place, number: str, lane: str = "") -> Job:
    place_of = [one for one, _ in place.tasks].index(number) + 1
    role = stage_of(place).author
    job = _job(place, f"task-{place_of}", role=role, turn=Turn.IMPLEMENT)
    chain = "" if lane else place.building.chained_to(number)
    iteration = max(1, place.building.turns)
    return replace(job, task=number, iteration=iteration, lane=lane, chain=chain)


def wave_jobs(place: Place) -> tuple[Job, ...]:
    """One for each task of the wave that is not done already, each in a worktree of its own."""
    done = {result.task for result in place.done}
    numbers = [one for one, _ in place.tasks]
    return tuple(
        task_job(place, number, f"{place.moves}-{numbers.index(number) + 1}")
        for number in place.building.side_by_side
        if number not in done
    )


def help_job(place: Place) -> Job:
    """The job of an assistant, or of the author who adapts the code to deeper tests."""
    building, mends = place.building, place.step is StageStep.MEND
    role = stage_of(place).author if mends else building.helper
    job = _job(place, place.step.value, role=role, turn=place.asked)
    if mends:
        return replace(job, iteration=max(1, building.fixes), note=building.outlines)
    outlines = building.outlines if place.asked is Turn.DEEPEN else ""
    return replace(job, iteration=1, feedback=outlines)


def _going(place: Place) -> Continuation:
    """After a stage's first turn its own session is there, and what follows is said in it."""
    going, first = place.going, place.step is StageStep.AUTHOR and place.turn <= 1
    return going if first or not going.thread else replace(going, go=SessionStep.NONE)


def going_job(place: Place) -> Job:
    """Job to weigh the author's next turn before it is sent, or to ask the ending session for
    what only it knows."""
    ahead = agent_job(replace(place, step=StageStep.AUTHOR, turn=place.turn + 1))
    if place.step is StageStep.WEIGH:
        return replace(ahead, kind=JobKind.WEIGH, name=JobKind.WEIGH.value)
    going = replace(place.going, go=SessionStep.NONE)
    role = builder_of(going.thread)
    return replace(ahead, name="handoff", going=going, role=role, turn=Turn.HAND_OVER)


def research_jobs(place: Place) -> tuple[Job, ...]:
    """One job for each researcher that has not answered yet."""
    answered = {result.role for result in place.done}
    return tuple(
        replace(_job(place, role, role=role, turn=Turn.RESEARCH), iteration=1)
        for role, _ in place.research
        if role not in answered
    )


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
            panel=loop.panel,
            refined=place.refining.shown if place.refining else Refinement(),
        )
        for role in loop.asks
        if role not in answered
    )


def jobs_of(place: Place) -> tuple[Job, ...]:
    """The jobs of the step that a place is at, as they were asked for."""
    if place.step is StageStep.REVIEW:
        return review_jobs(place)
    if place.step is StageStep.RESEARCH:
        return research_jobs(place)
    if place.step in (StageStep.WEIGH, StageStep.HAND_OFF):
        return (going_job(place),)
    if place.step is StageStep.WAVE:
        return wave_jobs(place)
    if place.step is StageStep.RESOLVE:
        return (resolve_job(place),)
    if place.step in HELP_STEPS:
        return (help_job(place),)
    if place.step is StageStep.RETRO:
        return (replace(_job(place, RETRO, role=RETRO, turn=Turn.RETRO), iteration=1),)
    return (program_job(place) if place.step in PROGRAM_JOBS else agent_job(place),)


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
