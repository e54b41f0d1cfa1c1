"""Research before an author begins: what was found is kept as a document for it.

Helpful, never needed: one that fails, or has no usable form, is recorded and left out.
"""

from __future__ import annotations

import asyncio

from sparing.briefing.fact_sheet import quoted_sources
from sparing.context.documents.research import KEYS, ResearchReport, read_findings
from sparing.job import Job, JobResult, Ticket
from sparing.reply import Reply
from sparing.review.reply import ReplyProblem, find_answer
from sparing.runtime.events import tell
from sparing.runtime.source import source_of
from sparing.runtime.surroundings import current


async def look_around(ticket: Ticket, job: Job, reply: Reply) -> JobResult:
    """Keep what an assistant found; `reply` may be a failure."""
    around, failed = current(), reply.failed
    text = "" if failed else await asyncio.to_thread(around.folder.fetch, reply.reply)
    found = None if failed else _read(text)
    left_out = failed or (found.what.partition(";")[0] if isinstance(found, ReplyProblem) else "")
    named = found.named if isinstance(found, ResearchReport) else ()
    keep = await asyncio.to_thread(quoted_sources, source_of(ticket, job), named, ticket)
    with around.database.write() as tx:
        keep(tx)
        if isinstance(found, ResearchReport):
            data = {"findings": found.findings}
            tell(tx, ticket, job, "research", text=found.words, data=data)
        else:
            words = f"skipped, {' '.join(left_out.split())[:300]}"
            tell(tx, ticket, job, "warning", text=words, name="warning.left-out")
    kept = found.text if isinstance(found, ResearchReport) else ""
    return JobResult(role=job.role, reply=around.folder.keep(kept) if kept else "", detail=left_out)


def _read(text: str) -> ResearchReport | ReplyProblem:
    answer = find_answer(text, KEYS)
    return answer if isinstance(answer, ReplyProblem) else read_findings(answer.value)
