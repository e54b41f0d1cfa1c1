"""The frozen loop. A leg runs from a start or an answer to the next human wait or the end.

It knows nothing: moves are decided in a recorded step, work is done in child workflows. Runs
that are under way replay this code. Names, arguments and the order of steps are stored data:
whoever changes one of them raises `REVISION`.
"""

from __future__ import annotations

from dataclasses import asdict
from typing import Any

from dbos import DBOS, SetWorkflowID

from sparing.dispatch.weighing import weigh
from sparing.engine import steps
from sparing.engine.dispatch import dispatch
from sparing.engine.seats import seat
from sparing.finish.survey import reopen, survey
from sparing.implement import proof, task_list, waves
from sparing.job import Job, JobKind
from sparing.runtime import signals
from sparing.runtime.crash import Body, record_with
from sparing.ticket import Ticket

SIBLING_SECONDS = 5.0
"""Dispatches side by side start one after the other, so that the first has filled the cache."""

PROGRAM = {
    JobKind.OPEN: steps.open_worktree,
    JobKind.TASKS: task_list.list_tasks,
    JobKind.PROVE: proof.prove,
    JobKind.JOIN: waves.join_wave,
    JobKind.NOTE: proof.note,
    JobKind.TRIAL: proof.trial,
    JobKind.ACCEPT: proof.accept,
    JobKind.CHECK: steps.check,
    JobKind.SURVEY: survey,
    JobKind.CLOSE: steps.close,
    JobKind.REOPEN: reopen,
    JobKind.HANDOVER: steps.handover,
    JobKind.WEIGH: weigh,
}


@DBOS.workflow(name="leg", max_recovery_attempts=20)
async def leg(start: dict[str, Any]) -> str:
    """`start`: feature, generation, leg, id, place, answer, reason, feedback, asked."""
    place = start["place"]
    said: dict[str, Any] = {
        "results": [], "answer": start["answer"], "reason": start["reason"],
        "feedback": start["feedback"], "asked": start["asked"],
    }  # fmt: skip
    numbers = {name: start[name] for name in ("feature", "generation", "leg", "id")}
    count = 0
    while True:
        count += 1
        move = await steps.decide({**numbers, "move": count}, place, said)
        if not move["jobs"]:
            await steps.settle(numbers, move)
            return move["do"]
        results = await _work(start["feature"], move)
        place, said = (
            move["place"],
            {"results": results, "answer": "", "reason": "", "feedback": ""},
        )


@DBOS.workflow(name="job", max_recovery_attempts=20)
async def job(ticket: dict[str, Any], work: dict[str, Any]) -> dict[str, Any]:
    asked = Job.load(work)
    async with seat():
        if asked.kind is JobKind.DISPATCH:
            result = await dispatch(Ticket(**ticket), asked)
        else:
            result = await PROGRAM[asked.kind](ticket, work)
    signals.done(ticket["id"])
    return result


async def _work(feature: str, move: dict[str, Any]) -> list[dict[str, Any]]:
    """All jobs of a move, side by side."""
    ids: list[str] = move["tickets"]
    handles: list[Any] = []
    for number, (name, work) in enumerate(zip(move["names"], move["jobs"], strict=True)):
        at, sibling = move["at"] + SIBLING_SECONDS * number, ids[number - 1] if number else ""
        ticket = Ticket(ids[number], feature, at, sibling, again=ids[number] != name)
        with SetWorkflowID(name):
            handles.append(await DBOS.start_workflow_async(job, asdict(ticket), work))
    results: list[dict[str, Any]] = []
    for ticket_id, handle in zip(ids, handles, strict=True):
        often = await signals.polling_seconds(ticket_id)
        results.append(await handle.get_result(polling_interval_sec=often))
    signals.forget(ids)
    return results


def _recorded(name: str, preemptible: bool, body: Body) -> Body:
    return DBOS.step(name=name, preemptible=preemptible)(body)


record_with(_recorded)
