"""Reading a reviewer's reply: its verdicts, what is sent back, what a person has to see.

Repeated after a crash it writes the same rows. It spends nothing.

Reading a reviewer's reply against what it is about.

Both what may be quoted and what must exist come from the commit under review, never from the
prompt: the same reply is the same judgement however the prompt was sent.
"""

from __future__ import annotations

import asyncio
import re
from collections.abc import Sequence
from dataclasses import replace

from sparing.connection import Connection
from sparing.dispatch.turn import began_at, remember
from sparing.finding import Finding, Verdict
from sparing.flow.stage import StageWork
from sparing.job import Job, JobResult, Ticket
from sparing.records import verdicts
from sparing.reply import Reply, ReplyOutcome
from sparing.review.panel import VERDICTS, PanelReading, Reviewer, read_panel
from sparing.review.quotes import QuoteCheck, check_quote
from sparing.review.reply import ReplyObject, find_answer
from sparing.review.verdict import KEYS, Complaint, ReviewedText, clean, passes, read_verdict
from sparing.runtime.events import tell
from sparing.runtime.source import Source, source_of
from sparing.sent import Sent
from sparing.turn import Turn


async def judge(ticket: Ticket, job: Job, sent: Sent, reply: Reply, last: bool) -> ReplyOutcome:
    """Read a reviewer's reply. A complaint is sent back once; the last one goes to a person.

    If reviewers shared a turn, a good half is kept, and only the other one is requested again; if
    that fails too, its reviewer is asked separately.
    """
    source = source_of(ticket, job, sent.backend)
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
            words = f"its verdict could not be read ({read.complaint}); it is asked on its own"
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
    with source.around.database.write() as tx:
        began = began_at(tx, ticket)
        rows = [
            replace(_verdict_row(source, ticket, number, one), at=began)
            for number, one in enumerate(given)
        ]
        if source.job.turn is Turn.JUDGE:
            rows = [replace(row, iteration=_round(tx, row)) for row in rows]
        for number, row in enumerate(rows):
            verdicts.put(tx, row)
            found = row.verdict
            data = {"passed": row.passed, "findings": [f.severity for f in found.findings]}
            job = alone(source, found.role).job
            name = "verdict.second" if number else ""
            tell(tx, ticket, job, "verdict", text=found.summary, data=data, name=name)
        if sent is not None and reply is not None:
            remember(tx, source, ticket, sent, reply)


def _round(tx: Connection, row: verdicts.VerdictRow) -> int:
    """The round of a tier's judge, which has no loop: its verdicts since it last passed."""
    number = 1
    for one in verdicts.of_feature(tx, row.feature, row.stage):
        if one.verdict.role == row.verdict.role and one.dispatch != row.dispatch:
            number = 1 if one.passed else number + 1
    return number


def _verdict_row(
    source: Source, ticket: Ticket, number: int, found: Verdict
) -> verdicts.VerdictRow:
    """A verdict's row; the second reviewer of a shared turn always reviews for the first time."""
    job = source.job
    return verdicts.VerdictRow(
        verdicts.second_of(ticket.id) if number else ticket.id, ticket.feature, job.stage,
        1 if number else job.iteration, job.head, passes(found), found, ticket.at,
        checked_quotes(alone(source, found.role), found),
    )  # fmt: skip


_PATH = re.compile(r"[\w./+-]+\.[A-Za-z]\w*")
PATH_CHARS = 1_000
NO_VERDICT = "no verdict"
"""The failure of a reviewer that twice gave none."""
SAID_CHARS = 300


def judgement(source: Source, reply: str) -> Verdict | Complaint:
    """The verdict in a reviewer's reply, independent of how the prompt was sent."""
    role = source.role
    return read_verdict(role.name, reply, role.categories, _subject(source, reply, KEYS))


def judgements(source: Source, reply: str, known: Sequence[Verdict] = ()) -> PanelReading:
    """The verdicts of all whose word is wanted; `known` of them are there already."""
    if not source.job.panel:
        found = judgement(source, reply)
        wrong = isinstance(found, Complaint)
        return PanelReading((), found.what) if wrong else PanelReading((found,))
    if known and not passes(known[-1]):
        return PanelReading(())
    wanted = [Reviewer(one.name, one.categories) for one in source.roles[len(known) :]]
    return read_panel(reply, wanted, _subject(source, reply, (VERDICTS, *KEYS)))


def _subject(source: Source, reply: str, keys: Sequence[str]) -> ReviewedText:
    """What the reply is checked against; only an object with text around it may be a quotation."""
    answer = find_answer(reply, keys)
    bare = not isinstance(answer, ReplyObject) or answer.alone
    return ReviewedText(source.job.head, () if bare else _known_texts(source))


def alone(source: Source, role: str) -> Source:
    """The source as if this reviewer had been asked alone."""
    return replace(source, job=replace(source.job, role=role, panel=()))


def no_verdict(role: str, complaint: str, reply: str) -> JobResult:
    """For a person: what is wrong, and what was said. The whole reply stays in the ledger."""
    said = " ".join(clean(reply).split())
    short = said if len(said) <= SAID_CHARS else f"{said[:SAID_CHARS]}…"
    detail = f"{role} was asked twice; {complaint}. It said: {short or 'nothing'}"
    return JobResult(failure=NO_VERDICT, detail=detail)


def _known_texts(source: Source) -> tuple[str, ...]:
    """The documents that a reply may repeat, and the rules of the repository."""
    rules = source.rules
    return (*_texts(source), *([rules.text] if rules else []))


def checked_quotes(source: Source, verdict: Verdict) -> tuple[QuoteCheck, ...]:
    """For each finding, whether its quote occurs in the text it refers to, at the reviewed
    commit."""
    return tuple(_checked(source, finding) for finding in verdict.findings)


def _checked(source: Source, finding: Finding) -> QuoteCheck:
    if not finding.quote.strip():
        return QuoteCheck.NONE
    for text in (*_named(source, finding), *_texts(source)):
        if check_quote(finding, text) is QuoteCheck.FOUND:
            return QuoteCheck.FOUND
    return QuoteCheck.ABSENT


def _named(source: Source, finding: Finding) -> list[str]:
    """Files that a finding names."""
    paths = _PATH.findall(finding.location[:PATH_CHARS])
    return [text for path in paths if (text := source.text(path))]


def _texts(source: Source) -> list[str]:
    """The document under review and the role's other documents, or the code. A tier's judge, whose
    own document is its report, reviews what its stage reads, and the code."""
    judges, writes = source.stage.work is StageWork.JUDGE, source.stage.writes
    names = source.stage.reads if judges else source.role.artifacts
    own = [source.text(source.path(name)) for name in names]
    at_hand = _code(source) if judges or writes is None else [source.text(source.path(writes))]
    return [text for text in (*at_hand, *own) if text]


def _code(source: Source) -> list[str | None]:
    """Changed files, and the change itself for lines that are gone."""
    base = source.row.feature.base_commit
    paths = tuple(change.path for change in source.changed(base))
    return [*(source.text(path) for path in paths), source.diff(base, paths)]
