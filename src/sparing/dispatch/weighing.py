"""Before every stage of a tier: does it fit into the session, and is continuing cheaper?

The figures come from the ledger and the session's row, never from memory: a restart, an approval
hours later or another process finds the same. The result is recorded as an event, with every
figure, so that a person and the report can see what it was based on.
"""

from __future__ import annotations

import asyncio
from collections.abc import Iterable, Mapping
from dataclasses import replace

from sparing.briefing.gather import gather
from sparing.briefing.program_handoff import program_handoff
from sparing.briefing.trunk_group import client_of, trunk_key
from sparing.config.flow import SessionPreference
from sparing.continuation import SessionStep, WeighResult
from sparing.dispatch.alternatives import resume_obstacle, transcript_of
from sparing.dispatch.handoff import question_tokens
from sparing.dispatch.way_choice import offers_of
from sparing.dispatch_policy import Policy, Way
from sparing.economy import resume_or_handoff
from sparing.economy.cost_model import TYPICAL, TurnWork
from sparing.economy.expected_work import Memory, TurnClass, expected_work, is_new
from sparing.economy.predict import Inputs
from sparing.economy.resume_or_handoff import Bills, Room, SessionHabit, SessionState
from sparing.job import Job, JobKind, JobResult, Ticket
from sparing.records import ledger
from sparing.records.ledger import LedgerRow
from sparing.runtime import turn_history
from sparing.runtime.events import tell
from sparing.runtime.source import Source, session_owner, source_of
from sparing.runtime.stage_budget import Budget, budget_of
from sparing.sent import IN_MONEY, IN_TOKENS
from sparing.session import Session
from sparing.turn_event import WeighedEvent
from sparing.turn_kind import Errand
from sparing.usage import Usage
from sparing.workspace.git.repository import contains

BUCKETS = ("uncached", "read", "write_5m", "write_1h", "output")


async def weigh(ticket: Ticket, job: Job) -> JobResult:
    ahead = source_of(ticket, replace(job, kind=JobKind.DISPATCH))
    return JobResult(found=await asyncio.to_thread(_found, ahead, ticket))


def _found(source: Source, asked: Ticket) -> WeighResult:
    handoff = program_handoff(source)
    if source.session is None:
        why = "a person wants the stage redone" if source.job.going.anew else "there is no session"
        found = (
            WeighResult(SessionStep.HAND_OFF, why, handoff=handoff) if handoff else WeighResult()
        )
        _tell(source, asked, WeighedEvent(_go(found)), found.reason)
        return found
    going = replace(source.job.going, handoff=handoff)
    ahead = replace(source, job=replace(source.job, going=going))
    brief = gather(ahead)
    inputs = offers_of(ahead, brief, trunk_key(ahead, brief, client_of(ahead)), asked.at)
    works = _works(source)
    bills = resume_or_handoff.bills(inputs, question_tokens(), _handing_over(source, works))
    errand = turn_history.errand_of(source.job.turn.value, source.job.stage) or Errand.LONE
    new = is_new(source.job.who, errand, works)
    budget = budget_of(source)
    room = room_of(source, source.session, budget, inputs)
    longer = resume_or_handoff.longer(inputs) if new else None
    standing = SessionState(
        _habit(source), room, _shrunk(source, source.session),
        _lost(source, source.session, inputs), source.job.stage in turn_history.CLOSING,
        resume_or_handoff.bills(longer, question_tokens()) if longer else None,
    )  # fmt: skip
    weighed = resume_or_handoff.weigh(standing, bills)
    at_all = room.at_all and not standing.lost
    found = WeighResult(
        SessionStep(weighed.go.value),
        weighed.reason,
        weighed.forced,
        weighed.judged,
        at_all,
        handoff,
    )
    warm = inputs.first_call_at < transcript_of(ahead).warm_until()
    what = replace(_figures(found, standing, bills, inputs, budget), warm=warm)
    _tell(source, asked, what, found.reason)
    return found


def _works(source: Source) -> Mapping[TurnClass, TurnWork]:
    with source.around.database.read() as connection:
        return turn_history.works(connection, source.backend.name)


def _handing_over(source: Source, works: Mapping[TurnClass, TurnWork]) -> TurnWork:
    """What it costs a session to write down what only it knows, judged by earlier ones."""
    who = TurnClass(session_owner(source.job), Errand.HAND_OVER, Memory.TRANSCRIPT)
    return expected_work(who, works)


def room_of(source: Source, session: Session, budget: Budget, inputs: Inputs) -> Room:
    around = source.around
    capabilities = source.backend.capabilities
    own = around.settings(source.row).models.windows
    window = resume_or_handoff.window_of(session.model, own, capabilities.context_tokens)
    offer = inputs.offers.get(Way.RESUME)
    least = 0.0
    if offer is not None:
        said = sum(block.tokens for block in offer.blocks)
        least = said + offer.work.growth + offer.work.output
    used = _used(source, session)
    return Room(window - capabilities.reserve_tokens, used, budget.tokens, round(least))


def _used(source: Source, session: Session) -> int:
    """Of the last call: input, cache reads, cache writes and output."""
    sizes = list(_sizes(_turns(source, session)[-1:]))
    return sizes[-1] if sizes else session.context_tokens


def _shrunk(source: Source, session: Session) -> bool:
    return resume_or_handoff.compacted(list(_sizes(_turns(source, session))))


def _turns(source: Source, session: Session) -> list[LedgerRow]:
    with source.around.database.read() as connection:
        rows = ledger.of_session(connection, source.row.feature.key, session.id)
    return [row for row in rows if row.result is not None and not row.result.failure]


def _sizes(rows: Iterable[LedgerRow]) -> Iterable[int]:
    """How large the conversation was after each call; after each turn where calls have no bill."""
    for row in rows:
        assert row.result is not None
        billed = [call for call in row.result.calls if "uncached" in call]
        for call in billed:
            yield resume_or_handoff.used_tokens(Usage(*(call[name] for name in BUCKETS)))
        if not billed and row.result.context_tokens:
            yield row.result.context_tokens


def _lost(source: Source, session: Session, inputs: Inputs) -> str:
    repository, head = source.around.repository, source.job.head
    if session.commit != head and not contains(repository, head, session.commit):
        return "the work was reset to before what the session knows"
    if Way.RESUME not in inputs.offers:
        return resume_obstacle(source) or "the session can't be resumed"
    seed = source.around.settings(source.row).review.policy is Policy.SEED
    if inputs.share.misses and not seed:
        return "this client reads too little of a resumed session from the cache"
    return ""


def _habit(source: Source) -> SessionHabit:
    settings = source.around.settings(source.row)
    wanted = settings.flow.continuity
    if settings.review.policy is Policy.SEED and wanted is SessionPreference.PRICED:
        return SessionHabit.CONTINUE
    return SessionHabit(wanted.value)


def _figures(
    found: WeighResult, standing: SessionState, bills: Bills, inputs: Inputs, budget: Budget
) -> WeighedEvent:
    room, offer = standing.room, inputs.offers.get(Way.RESUME)
    on = offer.on if offer else None
    warm, cold = resume_or_handoff.temperatures(inputs)
    return WeighedEvent(
        _go(found),
        forced=found.forced,
        at_all=found.at_all,
        judged=found.judged,
        lost=standing.lost,
        window=room.window,
        used=room.used,
        remaining=room.remaining,
        need=room.need,
        least=room.least,
        budget=budget.tokens,
        budget_origin=budget.origin,
        share=round(room.share, 4),
        shrunk=standing.shrunk,
        idle_seconds=round(inputs.at - on.last_call_at, 1) if on else None,
        unit=IN_TOKENS if inputs.rates == TYPICAL else IN_MONEY,
        continued=bills.continued.cost,
        handed_off=bills.handed.cost,
        judgement=bills.judgement.cost,
        continued_warm=warm.continued.cost,
        continued_cold=cold.continued.cost,
        handed_warm=warm.handed.cost,
        handed_cold=cold.handed.cost,
    )


def _go(found: WeighResult) -> str:
    return found.go.value or "begin"


def _tell(source: Source, asked: Ticket, what: WeighedEvent, reason: str) -> None:
    with source.around.database.write() as tx:
        tell(tx, asked, source.job, what, text=reason)
