"""Steps of a leg, and of jobs that need no agent: the program looks, checks and commits."""

from __future__ import annotations

import asyncio
from collections.abc import Callable

from sparing.dispatch import weighing
from sparing.engine import decision
from sparing.engine.recorded_step import step
from sparing.errors import RepositoryError, SparingError
from sparing.finish import close_stage, handover, unfinished_tasks
from sparing.fleet.arrival import send
from sparing.implement import open_worktree, stage_checks, task_list, task_proof, task_undo, waves
from sparing.job import Job, JobKind, JobResult, Ticket
from sparing.runtime.source import Source, row_of
from sparing.runtime.surroundings import current
from sparing.upstream import base_sync

Work = Callable[[Source, Ticket], JobResult]


async def _done(ticket: Ticket, job: Job, work: Work) -> JobResult:
    around = current()
    source = Source(around, row_of(around, ticket.feature), job, None)
    return await outcome(lambda: work(source, ticket))


@step("open")
async def make_worktree(ticket: Ticket, job: Job) -> JobResult:
    return await _done(ticket, job, open_worktree.open_worktree)


@step("tasks")
async def list_tasks(ticket: Ticket, job: Job) -> JobResult:
    return await _done(ticket, job, task_list.list_all)


@step("prove")
async def prove(ticket: Ticket, job: Job) -> JobResult:
    return await _done(ticket, job, task_proof.look_at)


@step("join")
async def join(ticket: Ticket, job: Job) -> JobResult:
    return await _done(ticket, job, waves.join_wave)


@step("note")
async def note(ticket: Ticket, job: Job) -> JobResult:
    return await _done(ticket, job, task_proof.write_down)


@step("trial")
async def trial(ticket: Ticket, job: Job) -> JobResult:
    return await _done(ticket, job, task_proof.weigh_help)


@step("accept")
async def accept(ticket: Ticket, job: Job) -> JobResult:
    return await _done(ticket, job, task_proof.leave_tests_out)


@step("check")
async def check(ticket: Ticket, job: Job) -> JobResult:
    return await _done(ticket, job, stage_checks.check_stage)


@step("survey")
async def look_at_tasks(ticket: Ticket, job: Job) -> JobResult:
    return await _done(ticket, job, unfinished_tasks.survey)


@step("close")
async def close(ticket: Ticket, job: Job) -> JobResult:
    return await _done(ticket, job, close_stage.close_stage)


@step("reopen")
async def reopen(ticket: Ticket, job: Job) -> JobResult:
    return await _done(ticket, job, unfinished_tasks.reopen)


@step("handover")
async def hand_home(ticket: Ticket, job: Job) -> JobResult:
    return await _done(ticket, job, handover.hand_over_branch)


@step("undo")
async def undo(ticket: Ticket, job: Job) -> JobResult:
    return await _done(ticket, job, task_undo.take_back)


@step("sync")
async def sync(ticket: Ticket, job: Job) -> JobResult:
    return await _done(ticket, job, base_sync.bring_base)


weigh = step("weigh")(weighing.weigh)

PROGRAM = {
    JobKind.OPEN: make_worktree,
    JobKind.TASKS: list_tasks,
    JobKind.PROVE: prove,
    JobKind.JOIN: join,
    JobKind.NOTE: note,
    JobKind.TRIAL: trial,
    JobKind.ACCEPT: accept,
    JobKind.CHECK: check,
    JobKind.SURVEY: look_at_tasks,
    JobKind.CLOSE: close,
    JobKind.REOPEN: reopen,
    JobKind.HANDOVER: hand_home,
    JobKind.SYNC: sync,
    JobKind.UNDO: undo,
    JobKind.WEIGH: weigh,
}


decide = step("decide")(decision.decide)
settle = step("settle")(decision.settle)


async def sent_on(feature: str, result: JobResult) -> JobResult:
    """What a job has committed is where other workers find it, before its result is recorded."""
    around = current()
    try:
        await asyncio.to_thread(send, around.travel, row_of(around, feature))
    except RepositoryError as error:
        return JobResult(failure=error.what, detail=error.repair)
    return result


async def outcome(work: Callable[[], JobResult]) -> JobResult:
    """Never raises what a person can repair: the feature waits, nothing is lost."""
    try:
        return await asyncio.to_thread(work)
    except SparingError as error:
        return JobResult(failure=error.what, detail=error.repair)
