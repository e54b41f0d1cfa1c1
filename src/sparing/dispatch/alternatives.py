"""The ways in which a dispatch could be told, each composed and ready to be priced."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import NamedTuple

from sparing.agents.backend import Access
from sparing.briefing.compared_policies import size_of
from sparing.briefing.extras import bare
from sparing.briefing.preload import files_for, seen_by, with_files
from sparing.briefing.trunk_group import access_of, order_of, referenced
from sparing.cache import CacheBlock, Life
from sparing.connection import Connection
from sparing.context.prompt.brief import Brief
from sparing.context.prompt.compose import Composed, compose, plain_system
from sparing.continuation import SessionStep
from sparing.dispatch_policy import Lever, Order, Policy, Way
from sparing.economy.cache_contents import Base, blocks_of
from sparing.economy.cache_lives import marked_blocks
from sparing.economy.cost_model import Rates, TurnWork
from sparing.economy.expected_work import Memory, TurnClass, by_reference, expected_work
from sparing.economy.ledger_notes import notes_pay
from sparing.economy.predict import Inputs, Offer, ReadAgain, Transcript, preload_pays
from sparing.flow.flows import TIERS
from sparing.records.folder import load_prompt
from sparing.runtime import turn_history
from sparing.runtime.levers import is_chained, levers_of
from sparing.runtime.source import Source
from sparing.runtime.turn_model import model_of
from sparing.segment import CHARS_PER_TOKEN, TrunkKey, estimate_tokens
from sparing.turn import TURNS, Turn
from sparing.turn_kind import Errand
from sparing.workspace.git.direct.tree import list_files

SHORT = Life.FIVE_MINUTES
NOTES = ("notes", "last-changes")
FILES_PER_CALL, BATCHED_FILES = 2, 4
"""Files a model opens at a time: as observed, and if it follows the request to batch."""


class Alternative(NamedTuple):
    """One way to send the dispatch, composed and priced."""

    composed: Composed
    offer: Offer
    brief: Brief


@dataclass(frozen=True, slots=True)
class Terms:
    """What the offers depend on beside the brief."""

    works: Mapping[TurnClass, TurnWork]
    rates: Rates
    base: Base
    life: Life = SHORT
    """Lifetime of the trunk's cache entries."""
    passing: float = 0.0
    """How likely a review in this feature ends with an approval."""
    again: ReadAgain = ReadAgain()
    """How often others read what a composed prompt writes."""
    alone: Base | None = None
    """What precedes a plain prompt; None if that way is not on offer."""


def ways_of(source: Source, brief: Brief, terms: Terms, error: str) -> dict[Way, Alternative]:
    """Ways that the backend can do and the prompt can be made for."""
    found: dict[Way, Alternative] = {}
    naive = order_of(source) is Order.NAIVE
    for way in (Way.COMPOSE,) if naive else (Way.COMPOSE, Way.REFERENCE, Way.RESUME):
        if way is Way.RESUME and (error or not _usable(source, brief)):
            continue
        told = _told(source, brief, way, terms)
        if told is not None:
            found[way] = told
    # What an agent has said to whoever follows, and a sheet that is in use, are not left out.
    needed = brief.sheet or (brief.handoff and brief.handoff_notes is None)
    if terms.alone is not None and not needed:
        found[Way.PLAIN] = _plainly(source, brief, terms)
    return found


def _plainly(source: Source, brief: Brief, terms: Terms) -> Alternative:
    """The prompt without anything meant to save; what is only measured stays."""
    brief = replace(bare(brief, source), covered=brief.covered)
    composed = compose(brief, Way.PLAIN)
    memory = turn_history.memory_of(Way.PLAIN, noted=False, handed=False)
    blocks = blocks_of(composed.segments, SHORT, 0)
    return Alternative(
        composed, Offer(blocks, _work(source, memory, terms), base=terms.alone), brief
    )


def _told(source: Source, brief: Brief, way: Way, terms: Terms) -> Alternative | None:
    composed = compose(brief, way, order_of(source), 0)
    if brief.notes and (way is Way.RESUME or not _notes_pay(source, composed, terms)):
        brief = replace(brief, notes="")
        composed = compose(brief, way, order_of(source), 0)
    reads = referenced(brief, composed)
    if way is Way.REFERENCE and not (reads and "read" in source.role.tools):
        return None
    memory = turn_history.memory_of(
        way, noted=bool(brief.notes), handed=bool(brief.handoff), chained=is_chained(source)
    )
    work = _work(source, memory, terms)
    on = transcript_of(source) if way is Way.RESUME else None
    size = (on.tokens if on else terms.base.tokens) + sum(s.tokens for s in composed.segments)
    if _preloads(source, terms, size, work):
        seen = seen_by(source) if way is Way.RESUME else frozenset[str]()
        brief = with_files(brief, files_for(source, brief, seen))
        composed = compose(brief, way, order_of(source), 0)
    if reads:
        code = code_to_open(source, brief) if way is Way.REFERENCE else ()
        work = by_reference(work, size_of(brief, reads) + sum(code), len(reads) + len(code))
    marked, blocks = _marked(source, brief, way, composed, terms)
    front = session_front(source) if way is Way.RESUME else turn_history.SessionFront()
    again = _again(marked, terms) if way is Way.COMPOSE else ReadAgain()
    return Alternative(marked, Offer(blocks, work, on, front.base, again), brief)


def _again(composed: Composed, terms: Terms) -> ReadAgain:
    """How much of the prompt others read: nothing after the last mark."""
    marks = [end for end, one in enumerate(composed.segments, 1) if one.mark]
    shared = min(composed.trunk, max(marks, default=0))
    return terms.again._replace(trunk_tokens=sum(s.tokens for s in composed.segments[:shared]))


def read_again(connection: Connection, source: Source, group: str, life: Life) -> ReadAgain:
    """Expected readers of the trunk; none in a tier, whose stages know different documents."""
    shared = TURNS[source.job.turn].trunk_is_shared and source.row.feature.flow not in TIERS
    if not shared or Lever.TRUNK not in levers_of(source):
        return ReadAgain()
    backend = source.backend.name
    return ReadAgain(turn_history.readers(connection, backend, group, life))


def plain_base(source: Source, brief: Brief, key: TrunkKey, base: int) -> Base | None:
    """What stands before the plain prompt: the tools, and the role as system prompt."""
    if source.around.settings(source.row).review.policy is not Policy.ADAPTIVE:
        return None
    system = plain_system(brief)
    tools = replace(key, system="").digest
    whole = base + estimate_tokens(system)
    return Base(replace(key, system=system).digest, whole, tools=tools, tools_tokens=base)


def session_front(source: Source) -> turn_history.SessionFront:
    session = source.session
    if session is None:
        return turn_history.SessionFront()
    with source.around.database.read() as connection:
        return turn_history.front_of(connection, source.row.feature.key, session.id)


def _work(source: Source, memory: Memory, terms: Terms) -> TurnWork:
    errand = turn_history.errand_of(source.job.turn.value, source.job.stage)
    return expected_work(TurnClass(source.job.who, errand or Errand.LONE, memory), terms.works)


def _notes_pay(source: Source, composed: Composed, terms: Terms) -> bool:
    """Whether notes save more than they cost, compared with exploring again."""
    notes = sum(one.tokens for one in composed.segments if one.name in NOTES)
    context = terms.base.tokens + sum(one.tokens for one in composed.segments) - notes
    noted, forgotten = (_work(source, one, terms) for one in (Memory.NOTES, Memory.NONE))
    return notes_pay(terms.rates, context, notes, noted, forgotten)


def _preloads(source: Source, terms: Terms, size: int, work: TurnWork) -> bool:
    levers = levers_of(source)
    if Lever.PRELOAD not in levers:
        return False
    together = BATCHED_FILES if Lever.BATCH in levers else FILES_PER_CALL
    return preload_pays(terms.rates, size, work.calls, together)


def _marked(
    source: Source, brief: Brief, way: Way, composed: Composed, terms: Terms
) -> tuple[Composed, tuple[CacheBlock, ...]]:
    """Where cache entries end and how long they live; other policies keep their own marks."""
    settings = source.around.settings(source.row)
    marks = source.backend.capabilities.marks
    if settings.review.policy is not Policy.ADAPTIVE:
        told = compose(brief, way, order_of(source), marks)
        return told, blocks_of(told.segments, SHORT, 0 if way is Way.RESUME else marks)
    ends = source.backend.capabilities.prefix_ends
    ends = ends if Lever.TRUNK in levers_of(source) and way is not Way.RESUME else 0
    blocks = marked_blocks(composed.segments, composed.trunk, ends, terms.life, terms.passing)
    segments = tuple(
        replace(segment, mark=block.mark is not None)
        for segment, block in zip(composed.segments, blocks, strict=True)
    )
    return composed._replace(segments=segments), blocks


def _usable(source: Source, brief: Brief) -> bool:
    """Whether there is a session that this backend and model can resume, and something to tell
    it."""
    return Lever.RESUME in levers_of(source) and brief.resumable and can_resume(source)


def weighed(source: Source, inputs: Inputs) -> dict[Way, str]:
    """Ways excluded because it was decided to continue the session, while that is possible."""
    # An answer goes to whoever asked: nobody else knows what was meant.
    asked = source.job.turn is Turn.ANSWER and Lever.RESUME in levers_of(source)
    goes_on = (source.job.going.go is SessionStep.CONTINUE or asked) and Way.RESUME in inputs.offers
    if not goes_on or inputs.share.misses:
        return {}
    why = "an answer goes to whoever asked" if asked else "weighed before the stage"
    return dict.fromkeys((Way.COMPOSE, Way.REFERENCE, Way.PLAIN), why)


def can_resume(source: Source) -> bool:
    return not resume_obstacle(source)


def resume_obstacle(source: Source) -> str:
    """Why this backend and model can't resume the session; empty if they can."""
    session, backend = source.session, source.backend
    if not backend.capabilities.resume:
        return f"{backend.name} can't resume sessions"
    if source.around.deferred_by(backend):
        return f"the check that {backend.name} resumes sessions failed"
    if session is None:
        return ""
    if session.backend != backend.name:
        return f"the session belongs to {session.backend}"
    if not source.inside and session.model != model_of(source):  # it keeps its model
        return f"the session uses {session.model}"
    unlike = session_front(source).access == Access.NO_SHELL != access_of(source)
    return "the session has no shell, and this stage needs one" if unlike else ""


def transcript_of(source: Source) -> Transcript:
    session = source.session
    assert session is not None
    return Transcript(
        session.context_tokens,
        session.last_call or session.last_activity,
        session.answer_tokens,
        SHORT,
        _opening(source, session.opening),
    )


def _opening(source: Source, prompt: str) -> tuple[CacheBlock, ...]:
    """The prompt that opened the session, as the ledger has it; its marks may outlive the rest."""
    if not prompt:
        return ()
    with source.around.database.read() as connection:
        known = turn_history.opening(connection, source.row.feature.key, prompt)
    if known:
        return known
    ends = source.backend.capabilities.prefix_ends
    return blocks_of(load_prompt(source.around.folder, prompt), SHORT, ends)


def code_to_open(source: Source, brief: Brief) -> tuple[int, ...]:
    """Tokens of each changed file that a reviewer has to open who is not shown the change."""
    if brief.code is None or not brief.code.diff:
        return ()
    sizes = list_files(source.around.repository, source.job.head)
    found = (sizes.get(one.path, 0) for one in brief.code.files)
    return tuple(-(-size // CHARS_PER_TOKEN) for size in found if size)
