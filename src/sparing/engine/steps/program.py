"""Steps of a leg, and of jobs that need no agent: the program looks, checks and commits."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Mapping

from sparing.approval import trace
from sparing.dispatch import weighing
from sparing.engine import decision
from sparing.engine.recorded_step import step
from sparing.errors import RepositoryError, SparingError
from sparing.finish import close_stage, handover, unfinished_tasks
from sparing.fleet.arrival import send
from sparing.implement import open_worktree, stage_checks, task_list, task_proof, task_undo, waves
from sparing.job import Job, JobKind, JobResult, Ticket, failed_result
from sparing.runtime.source import Source, row_of
from sparing.runtime.surroundings import current
from sparing.upstream import base_sync

Work = Callable[[Source, Ticket], JobResult]
ProgramStep = Callable[[Ticket, Job], Awaitable[JobResult]]


def _step(name: str, work: Work) -> ProgramStep:
    """Wrap the work of another room in a recorded step."""

    async def done(ticket: Ticket, job: Job) -> JobResult:
        around = current()
        source = Source(around, row_of(around, ticket.feature), job, None)
        return await outcome(lambda: work(source, ticket))

    return step(name)(done)


PROGRAM: Mapping[JobKind, ProgramStep] = {
    JobKind.OPEN: _step("open", open_worktree.open_worktree),
    JobKind.TASKS: _step("tasks", task_list.list_all),
    JobKind.PROVE: _step("prove", task_proof.look_at),
    JobKind.JOIN: _step("join", waves.join_wave),
    JobKind.NOTE: _step("note", task_proof.write_down),
    JobKind.TRIAL: _step("trial", task_proof.weigh_help),
    JobKind.ACCEPT: _step("accept", task_proof.leave_tests_out),
    JobKind.CHECK: _step("check", stage_checks.check_stage),
    JobKind.SURVEY: _step("survey", unfinished_tasks.survey),
    JobKind.CLOSE: _step("close", close_stage.close_stage),
    JobKind.REOPEN: _step("reopen", unfinished_tasks.reopen),
    JobKind.HANDOVER: _step("handover", handover.hand_over_branch),
    JobKind.UNDO: _step("undo", task_undo.take_back),
    JobKind.SYNC: _step("sync", base_sync.bring_base),
    JobKind.TRACE: _step("trace", trace.trace),
    JobKind.WEIGH: step("weigh")(weighing.weigh),
}


decide = step("decide")(decision.decide)
settle = step("settle")(decision.settle)


async def sent_on(feature: str, result: JobResult) -> JobResult:
    """What a job has committed is where other workers find it, before its result is recorded."""
    around = current()
    if around.travel is None:
        return result
    try:
        await asyncio.to_thread(send, around.travel, row_of(around, feature))
    except RepositoryError as error:
        return failed_result(error)
    return result


async def outcome(work: Callable[[], JobResult]) -> JobResult:
    """Turn errors that a person can repair into a failed result; the feature then waits."""
    try:
        return await asyncio.to_thread(work)
    except SparingError as error:
        return failed_result(error)
