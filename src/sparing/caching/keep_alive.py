"""Keeping the sessions of open loops warm while others have their turn.

A provider drops a conversation five minutes after its last use. One short call reads it again;
whether that is cheaper than writing it anew is predicted each time. Only sessions that the program
expects to need are kept: of a reviewer that has rejected, of an author whose work is under review,
in a running stage. At a gate nothing is kept warm: how long a person takes is unknown. Every such
call is a row of the ledger, checked against the caps before it is sent.
"""

from __future__ import annotations

import asyncio
import sqlite3
import time
from collections.abc import Iterable
from dataclasses import dataclass, replace
from typing import NamedTuple

from sparing.agents.backend import Access, AgentCall, AgentReply, Run
from sparing.agents.worktree_lock import worktree_lock
from sparing.briefing.trunk_group import access_of, system_of
from sparing.cache import Life
from sparing.caching.next_turn import NextTurn, prospect_of
from sparing.clients.web_search import WEB
from sparing.config.settings import ClockKind
from sparing.connection import Connection
from sparing.dispatch.alternatives import session_front
from sparing.dispatch_policy import Lever, Policy, Way
from sparing.economy.keepalive import (
    KeepAlive,
    LoopEnd,
    another_ping,
    most_pings,
    next_ping_at,
    resume_probability,
)
from sparing.errors import SparingError
from sparing.flow.flows import FLOWS
from sparing.flow.state import FlowState, Position
from sparing.job import Job, JobKind
from sparing.money import Amount, CapLimits
from sparing.panel import members
from sparing.payment.paid_call import Permit, Purchase, SpendRefusal, bill_of, pay
from sparing.percent import percent
from sparing.prompts.render import words
from sparing.records import features, open_turns, sessions, verdicts
from sparing.records.features import FeatureRow
from sparing.records.folder import keep_prompt
from sparing.records.ledger import Attempt, AttemptResult
from sparing.review.panel import PANEL_SCHEMA
from sparing.review.verdict import SCHEMA
from sparing.runtime.levers import levers_of
from sparing.runtime.sandbox import launch_in
from sparing.runtime.source import Source
from sparing.runtime.surroundings import Surroundings
from sparing.segment import Segment, Volatility
from sparing.sent import NaivePrompt, SentRecord
from sparing.session import Session
from sparing.turn import Turn

ROLE = "keep-alive"
"""Role under which these calls are recorded in the ledger."""
NEEDED = frozenset({Lever.KEEP_ALIVE, Lever.RESUME})
LOOK_SECONDS = 20.0
MARGIN_TOKENS = 2_000
LIMIT_SECONDS = 120.0


class Open(NamedTuple):
    """A session that may get another turn."""

    source: Source
    session: Session
    probability: float


async def keep_warm(around: Surroundings) -> None:
    """Keep sessions warm for as long as the engine runs."""
    while True:
        await asyncio.sleep(LOOK_SECONDS)
        await warm(around, time.time())


async def warm(around: Surroundings, at: float) -> int:
    """Ping every session that is worth it; return how many were."""
    done = 0
    try:
        for one in await asyncio.to_thread(open_sessions, around, at):
            worth = await asyncio.to_thread(_worth, one, at)
            if worth is not None and worth.keep.pays:
                done += await _ping(one, worth, at)
    except (SparingError, OSError, sqlite3.Error):
        return done  # a saving that can't be had must not stand in the way of the work
    return done


def open_sessions(around: Surroundings, at: float) -> list[Open]:
    """Sessions that may be resumed and whose entry expires before the next check."""
    with around.database.read() as connection:
        mine = around.database.writer
        every = [row for row in features.list_all(connection) if row.running]
        rows = [row for row in every if not mine or row.executor in mine]
        return [one for row in rows for one in _open(connection, around, row, at)]


def _open(
    connection: Connection, around: Surroundings, row: FeatureRow, at: float
) -> Iterable[Open]:
    state, settings = FlowState.load(row.place["state"]), around.settings(row)
    adaptive = settings.review.policy is Policy.ADAPTIVE
    waits = state.position in (Position.GATE, Position.STUCK)
    if waits or not adaptive or settings.engine.clock is ClockKind.COUNTED:
        return
    stage = FLOWS[row.feature.flow].stage(state.stage)
    looks = {
        one.verdict.role: one
        for one in verdicts.of_feature(connection, row.feature.key, stage.name)
    }
    busy = open_turns.busy(connection, row.feature.key)
    for session in sessions.of_stage(connection, row.feature.key, stage.name):
        due = next_ping_at(session.last_call, Life.FIVE_MINUTES)
        dead = session.last_call + Life.FIVE_MINUTES.seconds
        if not due - LOOK_SECONDS <= at < dead or session.role in busy:
            continue
        who, end = members(session.role), LoopEnd.APPROVED
        if any(who[0] in group for group in stage.reviewers):
            refused = any(role in looks and not looks[role].passed for role in who)
            end = LoopEnd.REJECTED if refused else LoopEnd.APPROVED
        elif session.role == stage.author:
            end = LoopEnd.WAITING
        job = Job(
            kind=JobKind.DISPATCH,
            stage=stage.name,
            head=row.head,
            name=ROLE,
            role=who[0],
            turn=Turn.NONE,
            iteration=1,
            panel=who if len(who) > 1 else (),
        )
        source = Source(around, row, job, session, sent_to=session.backend)
        if resume_probability(end) and levers_of(source) >= NEEDED:
            yield Open(source, session, resume_probability(end))


class _Worth(NamedTuple):
    keep: KeepAlive
    known: NextTurn


def _worth(one: Open, at: float) -> _Worth | None:
    """None if the ledger knows too little about the session, or it was pinged often enough."""
    source, session = one.source, one.session
    with source.around.database.read() as connection:
        known = prospect_of(connection, source, session, at)
        count = open_turns.pings_since(connection, source.row.feature.key, ROLE, session.id)
    if known is None or session.backend != source.backend.name:
        return None
    if count >= most_pings(known.inputs.rates, one.probability):
        return None
    keep = another_ping(
        known.inputs, session.context_tokens, known.pauses, at - known.ended,
        probability=one.probability,
    )  # fmt: skip
    return _Worth(keep, known)


async def _ping(one: Open, worth: _Worth, at: float) -> int:
    source, session = one.source, one.session
    around, row = source.around, source.row
    ping = _Ping(source, one, worth, at)

    async def send(_permit: Permit, run: Run) -> AgentReply:
        worktree = await asyncio.to_thread(around.worktree, row, row.head)
        lock = around.folder.locks / f"{row.feature.name}.{ROLE}.{session.role}.lock"
        with worktree_lock(lock) as descriptor:
            # Nothing may be changed, not even by who otherwise may.
            launch = await asyncio.to_thread(launch_in, around, worktree, writes=False)
            call = replace(_call(one, ping.attempt, at), cwd=worktree.path, lock=descriptor)
            return await run(replace(call, launch=launch), lambda _: None)

    found = await pay(ping, send)
    return 0 if isinstance(found, SpendRefusal) else int(found)


@dataclass(frozen=True, slots=True)
class _Ping(Purchase[AgentReply, bool]):
    """A call that keeps a session warm, as a purchase."""

    one: Open
    worth: _Worth
    at: float

    @property
    def attempt(self) -> Attempt:
        return _attempt(self.one, self.worth, self.at)

    def worst(self, limits: CapLimits) -> Amount:
        tokens = self.one.session.context_tokens + MARGIN_TOKENS
        return self.priced(Amount(tokens, limits.turn.nano_usd))

    def bill(self, answer: AgentReply) -> AttemptResult:
        session = self.one.session
        found = bill_of(self.settings, session.model, answer)
        calls = [{"added": call.added, "output": call.output} for call in answer.calls]
        usage = answer.usage
        return replace(found, session=session.id, usage=usage, calls=calls, files_read=[])

    def settled(
        self, tx: Connection, permit: Permit, answer: AgentReply, bill: AttemptResult
    ) -> bool:
        """Whether the session was read."""
        source = self.one.source
        if answer.failure is None:
            key, stage = source.row.feature.key, source.job.stage
            sessions.called(tx, key, stage, self.one.session, self.at)
        return answer.failure is None


def _attempt(one: Open, worth: _Worth, at: float) -> Attempt:
    source, session, rates = one.source, one.session, worth.known.inputs.rates
    row, around = source.row, source.around
    saves = rates.equivalents(worth.keep.saves)
    reason = (
        f"{session.role} is asked again with {percent(one.probability)}: kept warm, this costs "
        f"as much as {rates.equivalents(worth.keep.cost):,.0f} input tokens and saves {saves:,.0f}"
    )
    segment = Segment("turn", words("blocks", "ping"), Volatility.ITERATION)
    opening = worth.known.row
    sent = opening.attempt.sent
    return Attempt(
        dispatch=f"{row.leg_id}.{ROLE}-{session.role}",
        feature=row.feature.key,
        leg=row.leg,
        stage=source.job.stage,
        role=ROLE,
        iteration=session.iteration,
        task="",
        template=ROLE,
        way=Way.RESUME.value,
        reason=reason,
        backend=session.backend,
        model=session.model,
        billing=around.settings(row).agent.billing,
        prompt=keep_prompt(around.folder, (segment,)),
        prompt_chars=len(segment.text),
        naive=NaivePrompt(),
        started=at,
        trunk=opening.attempt.trunk,
        sent=SentRecord(
            base=sent.base, blocks=sent.blocks, resumed=True, kept_group=sent.group or ""
        ),
    )


def _call(one: Open, attempt: Attempt, at: float) -> AgentCall:
    source, session = one.source, one.session
    writes, front = source.role.role_class.writes, session_front(source)
    return AgentCall(
        id=f"{attempt.dispatch}.{at:.0f}",
        role=session.role,
        stage=attempt.stage,
        iteration=session.iteration,
        task="",
        system=source.fetch(front.system) if front.system else system_of(source),
        prompt=(Segment("turn", words("blocks", "ping"), Volatility.ITERATION),),
        cwd=source.around.folder.path,
        folder=source.folder,
        access=Access(front.access) if front.access else access_of(source),
        web=WEB in source.role.tools,
        model=session.model,
        at=at,
        limit_seconds=LIMIT_SECONDS,
        resume=session.id,
        schema=None if writes else PANEL_SCHEMA if source.job.panel else SCHEMA,
        ping=True,
    )
