"""One dispatch: gather, choose, call, record, commit. A workflow body: it only strings steps.

An agent that fails in a way that may pass is asked once more; a session that can't be used any
more gives way to a fresh one.
"""

from __future__ import annotations

from sparing.dispatch.call import SECRETS
from sparing.dispatch.turn import Leak
from sparing.engine.steps import turn
from sparing.failure import Failure
from sparing.job import BUDGET, LOOP, Job, JobResult, Ticket
from sparing.reply import MOST_TRIES, Reply, again
from sparing.sent import REPAIR, NotSent, Sent
from sparing.turn import TURNS, Turn
from sparing.turn_kind import ReplyForm

STOPS = frozenset({BUDGET, LOOP})
"""Failures that a person has to decide about; the work can continue afterwards."""
NEEDED = STOPS | {Failure.AUTH, Failure.QUOTA}
"""Failures that would stop the next dispatch just as well."""
SECRET_REPAIRS = 2
"""How often an author may try to take a secret out of its change."""


async def dispatch(ticket: Ticket, job: Job) -> JobResult:
    if job.turn is Turn.HAND_OVER:
        return await _handed_over(ticket, job)
    sent = await turn.prepare(ticket, job, "")
    if isinstance(sent, NotSent):
        return JobResult(failure=sent.failure, detail=sent.detail)
    if sent.ahead is not None:
        await turn.prime(ticket, job, sent)
    reply = await turn.call(ticket, job, sent)
    for tries in range(MOST_TRIES):
        if (error := again(sent, reply, tries)) is None:
            break
        sent = await turn.prepare(ticket, job, error)
        if isinstance(sent, NotSent):
            return JobResult(failure=sent.failure, detail=sent.detail)
        reply = await turn.call(ticket, job, sent)
    return await _ended(ticket, job, sent, reply)


async def _ended(ticket: Ticket, job: Job, sent: Sent, reply: Reply) -> JobResult:
    """Process a reply according to the kind of turn."""
    if job.turn is Turn.RESEARCH and reply.failure not in NEEDED:
        return await turn.look_around(ticket, job, reply)
    if job.turn is Turn.RETRO:
        return await _looked_back(ticket, job, sent, reply)
    if reply.failure:
        return _failed(reply)
    if job.turn is Turn.PROPOSE:
        return await _proposed(ticket, job, sent, reply)
    if TURNS[job.turn].form is ReplyForm.VERDICT:
        return await _judged(ticket, job, sent, reply)
    return await _committed(ticket, job, sent, reply)


def _failed(reply: Reply) -> JobResult:
    return JobResult(failure=reply.failure, detail=reply.detail)


async def _committed(ticket: Ticket, job: Job, sent: Sent, reply: Reply) -> JobResult:
    """Commit; a change with secrets goes back to its author and stops the work if it keeps them."""
    done = await turn.commit(ticket, job, sent, reply)
    for number in range(SECRET_REPAIRS):
        if not isinstance(done, Leak):
            return done
        repair = await turn.prepare_secrets(sent, reply.session, done.secrets)
        again = await turn.call(ticket, job, repair, SECRETS, number)
        if again.failure:
            return _failed(again)
        reply = again
        done = await turn.commit(ticket, job, sent, reply)
    return done.result if isinstance(done, Leak) else done


async def _proposed(ticket: Ticket, job: Job, sent: Sent, reply: Reply) -> JobResult:
    """A proposal that can't be used goes back once; then a person is asked."""
    found = await turn.propose(ticket, job, reply, False)
    if found.complaint:
        repair = await turn.prepare_proposal(sent, reply.session, found.complaint)
        again = await turn.call(ticket, job, repair, REPAIR)
        if again.failure:
            return _failed(again)
        found = await turn.propose(ticket, job, again, True)
    return found.result


async def _judged(ticket: Ticket, job: Job, sent: Sent, reply: Reply) -> JobResult:
    found = await turn.judge(ticket, job, sent, reply, False)
    if found.complaint:
        wanted = found.wanted
        repair = await turn.prepare_repair(sent, reply.session, found.complaint, True, wanted)
        again = await turn.call(ticket, job, repair, REPAIR)
        if again.failure in STOPS:
            return _failed(again)
        reply = again if not again.failure else reply
        found = await turn.judge(ticket, job, sent, reply, True)
    if job.turn is Turn.JUDGE and not found.result.failure:
        return await turn.report(ticket, job, found.result)
    return found.result


async def _looked_back(ticket: Ticket, job: Job, sent: Sent, reply: Reply) -> JobResult:
    """Read a retrospective, which is optional. A malformed reply is sent back once."""
    found = await turn.learn(ticket, job, reply.reply, reply.failed, bool(reply.failure))
    if found.complaint:
        repair = await turn.prepare_repair(sent, reply.session, found.complaint, False)
        again = await turn.call(ticket, job, repair, REPAIR)
        last = again if not again.failure else reply
        found = await turn.learn(ticket, job, last.reply, "", True)
    return found.result


async def _handed_over(ticket: Ticket, job: Job) -> JobResult:
    """The word of a session that ends. Nothing that fails here stops the work."""
    words = Turn.HAND_OVER.value
    reply = await turn.call(ticket, job, await turn.prepare_handoff(ticket, job, ""), words)
    if reply.failure:
        return (await turn.write_handoff(ticket, job, "", reply.failure)).result
    done = await turn.write_handoff(ticket, job, reply.reply, "")
    if done.problem:
        question = await turn.prepare_handoff(ticket, job, done.problem)
        again = await turn.call(ticket, job, question, words, 1)
        last = reply.reply if again.failure else again.reply
        done = await turn.write_handoff(ticket, job, last, "last")
    return done.result
