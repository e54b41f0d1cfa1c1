"""One dispatch: gather, choose, call, record, commit. A workflow body: it only strings steps.

An agent that fails in a way that may pass is asked once more; a session that can't be used any
more gives way to a fresh one.
"""

from __future__ import annotations

from dataclasses import asdict
from typing import Any

from sparing.dispatch.call import SECRETS, call
from sparing.dispatch.handoff import hand_over
from sparing.dispatch.research import look_around
from sparing.dispatch.turn import (
    commit,
    judge,
    leaked,
    prepare,
    prepare_repair,
    prepare_secrets,
    report,
)
from sparing.failure import Failure
from sparing.finish.lessons import retrospect
from sparing.finish.proposals import prepare_proposal, propose
from sparing.job import BUDGET, LOOP, Job, JobResult
from sparing.ticket import Ticket
from sparing.turn import TURNS, Turn
from sparing.turn_kind import ReplyForm
from sparing.way import Way

PASSING = frozenset(
    {
        Failure.OVERLOADED,
        Failure.NETWORK,
        Failure.CRASHED,
        Failure.TIMED_OUT,
        Failure.INVALID_SESSION,
    }
)
"""Failures worth a second, fresh try."""
RESUMING = PASSING | {Failure.CONTEXT_OVERFLOW, Failure.GARBAGE}
"""Of a session that is gone on with, also these: a fresh one may do better."""
STOPS = frozenset({BUDGET, LOOP})
"""What a person has to decide; the work goes on from here."""
NEEDED = STOPS | {Failure.AUTH, Failure.QUOTA}
"""Failures that would stop whoever comes next just as well."""
REPAIR = "repair_reply"
SECRET_REPAIRS = 2
"""How often an author may try to take a secret out of its change."""


async def dispatch(ticket: Ticket, job: Job) -> dict[str, Any]:
    if job.turn is Turn.HAND_OVER:
        return await hand_over(ticket, job)
    who, what = asdict(ticket), job.dump()
    sent = await prepare(who, what, "")
    if "failure" in sent:
        return JobResult(failure=sent["failure"], detail=sent["detail"]).dump()
    reply = await call(who, what, sent)
    resumed = sent["way"] == Way.RESUME
    if reply["failure"] in (RESUMING if resumed else PASSING):
        lost = f"{reply['failure']}: {reply['detail']}" if resumed else ""
        sent = await prepare(who, what, lost)
        reply = await call(who, what, sent)
    return await _ended(job, who, what, sent, reply)


async def _ended(
    job: Job,
    who: dict[str, Any],
    what: dict[str, Any],
    sent: dict[str, Any],
    reply: dict[str, Any],
) -> dict[str, Any]:
    """What becomes of a reply depends on what was asked for."""
    if job.turn is Turn.RESEARCH and reply["failure"] not in NEEDED:
        return await look_around(who, what, reply)
    if job.turn is Turn.RETRO:
        return await retrospect(who, what, sent, reply)
    if reply["failure"]:
        return JobResult(failure=reply["failure"], detail=reply["detail"]).dump()
    if job.turn is Turn.PROPOSE:
        return await _proposed(who, what, sent, reply)
    if TURNS[job.turn].form is ReplyForm.VERDICT:
        return await _judged(who, what, sent, reply)
    return await _committed(who, what, sent, reply)


async def _committed(
    who: dict[str, Any], what: dict[str, Any], sent: dict[str, Any], reply: dict[str, Any]
) -> dict[str, Any]:
    """Secrets in a change go back to whoever wrote it; a change that keeps them stops the work."""
    done = await commit(who, what, sent, reply)
    for _ in range(SECRET_REPAIRS):
        if not done.get("secrets"):
            return done
        repair = await prepare_secrets(sent, reply["session"], done["secrets"])
        again = await call(who, what, repair, SECRETS)
        if again["failure"]:
            return JobResult(failure=again["failure"], detail=again["detail"]).dump()
        reply = again
        done = await commit(who, what, sent, reply)
    return leaked(done["secrets"]).dump() if done.get("secrets") else done


async def _proposed(
    who: dict[str, Any], what: dict[str, Any], sent: dict[str, Any], reply: dict[str, Any]
) -> dict[str, Any]:
    """A proposal that can't be used goes back once; then a person is asked."""
    found = await propose(who, what, reply, False)
    if found["complaint"]:
        repair = await prepare_proposal(sent, reply["session"], found["complaint"])
        again = await call(who, what, repair, REPAIR)
        if again["failure"]:
            return JobResult(failure=again["failure"], detail=again["detail"]).dump()
        found = await propose(who, what, again, True)
    return found["result"]


async def _judged(
    who: dict[str, Any], what: dict[str, Any], sent: dict[str, Any], reply: dict[str, Any]
) -> dict[str, Any]:
    found = await judge(who, what, sent, reply, False)
    if found["complaint"]:
        repair = await prepare_repair(sent, reply["session"], found["complaint"])
        again = await call(who, what, repair, REPAIR)
        if again["failure"] in STOPS:
            return JobResult(failure=again["failure"], detail=again["detail"]).dump()
        reply = again if not again["failure"] else reply
        found = await judge(who, what, sent, reply, True)
    result = found["result"]
    if what["turn"] == Turn.JUDGE and not result["failure"]:
        return await report(who, what, result)
    return result
