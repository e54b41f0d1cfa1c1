"""The frozen loop. A leg runs from a start or an answer to the next wait for a person or the end.

It knows nothing: moves are decided in a recorded step, work is done in child workflows. Runs in
progress replay this code. Names, arguments and the order of steps are stored data: changing one of
them requires raising `REVISION`.
"""

from __future__ import annotations

from typing import Any

from dbos import DBOS, SetWorkflowID

from sparing import codec
from sparing.codec import JsonObject
from sparing.engine.decision import Decision, LegStart
from sparing.engine.decision_input import Said
from sparing.engine.dispatch import dispatch
from sparing.engine.steps.program import PROGRAM, decide, sent_on, settle
from sparing.fleet.slots import job_slot
from sparing.job import Job, JobKind, JobResult, Ticket
from sparing.runtime import signals

SIBLING_SECONDS = 5.0
"""Seconds between the starts of parallel dispatches, so that the first has filled the cache."""


@DBOS.workflow(name="leg", max_recovery_attempts=20)
async def leg(start: JsonObject) -> str:
    """Run one leg; `start` is a stored `LegStart`."""
    here = codec.load(LegStart, start)
    place = here.place
    said = Said(answer=here.answer, reason=here.reason, feedback=here.feedback, asked=here.asked)
    count = 0
    while True:
        count += 1
        move = await decide(here, count, place, said)
        if not move.jobs:
            await settle(here, move)
            return move.do.value
        said = Said(await _work(here.feature, move))
        place = move.place


@DBOS.workflow(name="job", max_recovery_attempts=20)
async def job(ticket: JsonObject, work: JsonObject) -> JsonObject:
    """Run one job, given a stored `Ticket` and `Job`; returns a stored `JobResult`."""
    who = codec.load(Ticket, ticket)
    result = await _done(who, codec.load(Job, work))
    signals.job_done(who.id)
    return codec.dump(result)


async def _done(ticket: Ticket, asked: Job) -> JobResult:
    async with job_slot():
        if asked.kind is JobKind.DISPATCH:
            result = await dispatch(ticket, asked)
        else:
            result = await PROGRAM[asked.kind](ticket, asked)
        return await sent_on(ticket.feature, result)


async def _work(feature: str, move: Decision) -> tuple[JobResult, ...]:
    """Run a move's jobs: a single one as steps of this leg, several in parallel as workflows."""
    if len(move.jobs) != 1:
        return await _side_by_side(feature, move)
    (asked,), (own,), (name,) = move.jobs, move.tickets, move.names
    ticket = Ticket(id=own, feature=feature, at=move.at, again=own != name)
    result = await _done(ticket, asked)
    signals.forget(move.tickets)
    return (result,)


async def _side_by_side(feature: str, move: Decision) -> tuple[JobResult, ...]:
    handles: list[Any] = []
    for number, (name, work) in enumerate(zip(move.names, move.jobs, strict=True)):
        at, own = move.at + SIBLING_SECONDS * number, move.tickets[number]
        sibling = move.tickets[number - 1] if number else ""
        ticket = Ticket(id=own, feature=feature, at=at, after=sibling, again=own != name)
        with SetWorkflowID(name):
            started = DBOS.start_workflow_async(job, codec.dump(ticket), codec.dump(work))
            handles.append(await started)
    results: list[JobResult] = []
    for own, handle in zip(move.tickets, handles, strict=True):
        often = await signals.polling_seconds(own)
        found = await handle.get_result(polling_interval_sec=often)
        results.append(codec.load(JobResult, found))
    signals.forget(move.tickets)
    return tuple(results)
