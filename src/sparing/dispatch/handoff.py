"""The rich handoff: what the program knows of the stages so far, and the old session's own words.

The program's part costs nothing and is always there, so whatever the old session answers, the next
one has something to begin with. The question is asked once, and once more if the answer can't be
used.
"""

from __future__ import annotations

import asyncio
from dataclasses import dataclass

from sparing.briefing.program_handoff import pipeline_of
from sparing.briefing.trunk_group import order_of
from sparing.context.documents.rich_handoff import parse_layers, rich_handoff
from sparing.context.prompt.inclusion import defuse
from sparing.dispatch.alternatives import session_front
from sparing.dispatch_policy import Way
from sparing.job import Job, JobResult, Ticket
from sparing.prompts.render import fill, words
from sparing.records.folder import keep_prompt
from sparing.runtime.events import tell
from sparing.runtime.source import source_of
from sparing.segment import Segment, Volatility, estimate_tokens
from sparing.sent import NaivePrompt, Sent
from sparing.turn import TURNS, Turn
from sparing.turn_event import HandedOffEvent


async def prepare_handoff(ticket: Ticket, job: Job, problem: str) -> Sent:
    """The question to the session that ends; `problem` says why its answer can't be used."""
    source = source_of(ticket, job)
    text = _question(problem)
    prompt = keep_prompt(source.around.folder, (Segment("turn", text, Volatility.ITERATION),))
    session = source.session
    reason = "its answer can't be used" if problem else "the session ends with this stage"
    return Sent(
        prompt=prompt,
        chars=len(text),
        way=Way.RESUME,
        reason=reason,
        resume=session.id if session else "",
        model=session.model if session else "",
        naive=NaivePrompt(),
        order=order_of(source),
        system=session_front(source).system,
        backend=session.backend if session else "",
    )


def _question(problem: str) -> str:
    if problem:
        return fill("blocks", "rich_handoff_again", problem=defuse(problem))
    folder, _, name = TURNS[Turn.HAND_OVER].words.partition("/")
    return words(folder, name)


def question_tokens() -> int:
    return estimate_tokens(_question(""))


@dataclass(frozen=True, slots=True)
class WrittenHandoff:
    """Why an answer goes back, or the result."""

    problem: str = ""
    result: JobResult = JobResult()


async def write_handoff(ticket: Ticket, job: Job, reply: str, why: str) -> WrittenHandoff:
    """Keep the handoff. `why` is empty while the answer may still go back."""
    source = source_of(ticket, job)
    pipeline = await asyncio.to_thread(pipeline_of, source)
    found = rich_handoff(pipeline, source.fetch(reply))
    if found.problems and not why:
        return WrittenHandoff("; ".join(found.problems))
    # An answer that is too long twice leaves no room for what the program knows.
    fits = not any("more than" in one for one in found.problems)
    text = found.text if fits else rich_handoff(pipeline).text
    judged = fits and bool(parse_layers(source.fetch(reply)))
    with source.around.database.write() as tx:
        what = HandedOffEvent(estimate_tokens(text), judged, found.problems, "" if reply else why)
        tell(tx, ticket, job, what, text=f"a handoff of {what.tokens:,} tokens")
    return WrittenHandoff(result=JobResult(reply=source.around.folder.keep(text)))
