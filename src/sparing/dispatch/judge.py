"""Reading a reviewer's reply: what its verdicts are, what goes back, what a person has to see.

Repeated after a crash it writes the same rows. It spends nothing.
"""

from __future__ import annotations

import asyncio
from dataclasses import replace

from sparing.dispatch.turn import remember
from sparing.dispatch.verdict_reading import (
    NO_VERDICT,
    alone,
    checked_quotes,
    judgements,
    no_verdict,
)
from sparing.finding import Verdict
from sparing.job import Job, JobResult
from sparing.records import verdicts
from sparing.reply import Reply, ReplyOutcome
from sparing.review.verdict import passes
from sparing.runtime.events import tell
from sparing.runtime.source import Source, source_of
from sparing.sent import Sent
from sparing.ticket import Ticket


async def judge(ticket: Ticket, job: Job, sent: Sent, reply: Reply, last: bool) -> ReplyOutcome:
    """Read a reviewer's reply. A complaint is sent back once; the last one goes to a person.

    Of reviewers who looked in one turn a good half is kept, and only the other one is asked for
    again; if that stays in vain, its reviewer is asked by itself."""
    source = source_of(ticket, job)
    text = source.fetch(reply.reply)
    known = await asyncio.to_thread(_half, source, ticket) if last else ()
    read = await asyncio.to_thread(judgements, source, text, known)
    given, failed = (*known, *read.verdicts), JobResult()
    if read.complaint and not last:
        if given:
            await asyncio.to_thread(_keep, source, ticket, given)
        return ReplyOutcome(read.complaint, wanted=job.asked[len(given) :] if job.panel else ())
    if not given:
        failed = no_verdict(job.who, read.complaint, text)
        given = (Verdict(job.role, approved=False, summary=f"{NO_VERDICT}: {read.complaint}"),)
    elif read.complaint:
        with source.around.database.write() as tx:
            words = f"its verdict could not be read ({read.complaint}); it is asked by itself"
            tell(tx, ticket, alone(source, job.asked[1]).job, "warning", text=words)
    await asyncio.to_thread(_keep, source, ticket, given, sent, reply)
    result = replace(
        failed, dispatch=ticket.id, second=verdicts.second_of(ticket.id) if given[1:] else "",
        passed=passes(given[0]), reply=reply.reply, role=job.role,
    )  # fmt: skip
    return ReplyOutcome(result=result)


def _half(source: Source, ticket: Ticket) -> tuple[Verdict, ...]:
    """Of a panel: the verdict that could be read before the other one was asked for again."""
    if len(source.job.asked) < 2:
        return ()
    with source.around.database.read() as connection:
        row = verdicts.get(connection, ticket.id)
    return () if row is None else (row.verdict,)


def _keep(
    source: Source,
    ticket: Ticket,
    given: tuple[Verdict, ...],
    sent: Sent | None = None,
    reply: Reply | None = None,
) -> None:
    """The verdicts, each as its reviewer's own; with the session, if the reply is the last."""
    rows = [_verdict_row(source, ticket, number, one) for number, one in enumerate(given)]
    with source.around.database.write() as tx:
        for number, row in enumerate(rows):
            verdicts.put(tx, row)
            found = row.verdict
            data = {"passed": row.passed, "findings": [f.severity for f in found.findings]}
            job = alone(source, found.role).job
            name = "verdict.second" if number else ""
            tell(tx, ticket, job, "verdict", text=found.summary, data=data, name=name)
        if sent is not None and reply is not None:
            remember(tx, source, ticket, sent, reply)


def _verdict_row(
    source: Source, ticket: Ticket, number: int, found: Verdict
) -> verdicts.VerdictRow:
    """Whoever looks behind another one in the same turn looks for the first time."""
    job = source.job
    return verdicts.VerdictRow(
        verdicts.second_of(ticket.id) if number else ticket.id, ticket.feature, job.stage,
        1 if number else job.iteration, job.head, passes(found), found, ticket.at,
        checked_quotes(alone(source, found.role), found),
    )  # fmt: skip
