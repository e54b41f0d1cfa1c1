"""Sending ahead what others will read: a turn that holds only the trunk, kept for an hour.

It is tried once. Whatever becomes of it, the dispatch that follows is sent as usual: a primer that
fails, does not fit under a cap or was sent before a crash is not sent again.
"""

from __future__ import annotations

import asyncio
from dataclasses import dataclass, replace

from sparing.agents.backend import Access, AgentCall, AgentReply, Run
from sparing.agents.worktree_lock import worktree_lock
from sparing.briefing.trunk_group import access_of, form_of, shows_writing, system_of
from sparing.cache import Life
from sparing.clients.web_search import WEB
from sparing.connection import Connection
from sparing.dispatch_policy import Way
from sparing.errors import SparingError
from sparing.job import Job, Ticket
from sparing.money import Amount, CapLimits
from sparing.payment.paid_call import Passing, Permit, Purchase, SpendRefusal, bill_of, pay
from sparing.prompts.render import words
from sparing.records import ledger
from sparing.records.folder import keep_prompt, load_prompt
from sparing.records.ledger import Attempt, AttemptResult
from sparing.runtime.sandbox import launch_in
from sparing.runtime.source import source_of
from sparing.segment import Segment, Volatility
from sparing.sent import NaivePrompt, OtherPrompts, Sent, SentAhead, SentRecord, WayPrompt

ROLE = "primer"
"""Role under which these calls are recorded in the ledger."""
BEFORE_SECONDS = 2.0
"""Seconds before the dispatch, by the engine's clock: its entries must be there by then."""
MARGIN_TOKENS = 8_000
LIMIT_SECONDS = 120.0
SHORT = 16


async def prime(ticket: Ticket, job: Job, sent: Sent, passing: Passing) -> bool:
    """Send the beginning of the prompt ahead; return whether that succeeded."""
    if sent.ahead is None:
        return False
    source = source_of(ticket, job, sent.backend)
    primer = _Primer(source, ticket, sent, sent.ahead)
    with source.around.database.read() as connection:
        if ledger.of_dispatch(connection, primer.attempt.dispatch):
            return False  # sent before a crash: nobody knows how far it came, and once is enough
    try:
        found = await pay(primer, lambda _permit, run: _send(primer, run), passing)
    except (SparingError, OSError):
        return False  # a saving that can't be had must not stand in the way of the work
    return not isinstance(found, SpendRefusal) and found


async def _send(primer: _Primer, run: Run) -> AgentReply:
    source = primer.source
    around, row = source.around, source.row
    worktree = await asyncio.to_thread(around.worktree, row, source.job.head)
    lock = around.folder.locks / f"{row.feature.name}.{ROLE}.{source.job.role}.lock"
    with worktree_lock(lock) as descriptor:
        # Nothing may be changed, not even by who otherwise may.
        launch = await asyncio.to_thread(launch_in, around, worktree, writes=False)
        call = replace(primer.call, cwd=worktree.path, lock=descriptor, launch=launch)
        return await run(call, lambda _: None)


@dataclass(frozen=True, slots=True)
class _Primer(Purchase[AgentReply, bool]):
    """A trunk that is sent ahead, as a purchase."""

    ticket: Ticket
    sent: Sent
    ahead: SentAhead

    @property
    def at(self) -> float:
        return self.ticket.at - BEFORE_SECONDS

    @property
    def segments(self) -> tuple[Segment, ...]:
        """The first segments of the prompt; the last has a mark, where the one-hour entry ends."""
        known = load_prompt(self.around.folder, self.sent.prompt)[: self.ahead.segments]
        *before, last = (replace(one, mark=False) for one in known)
        turn = Segment("turn", words("blocks", "ping"), Volatility.ITERATION)
        return (*before, replace(last, mark=True), turn)

    @property
    def attempt(self) -> Attempt:
        job, sent, segments = self.source.job, self.sent, self.segments
        return Attempt(
            dispatch=f"{self.ticket.id}.{ROLE}",
            feature=self.ticket.feature,
            leg=self.ticket.leg,
            stage=job.stage,
            role=ROLE,
            iteration=job.iteration,
            task="",
            template=ROLE,
            way=Way.COMPOSE.value,
            reason=self.ahead.reason,
            backend=self.backend.name,
            model=sent.model,
            billing=self.settings.agent.billing,
            prompt=keep_prompt(self.around.folder, segments),
            prompt_chars=sum(len(one.text) for one in segments),
            naive=NaivePrompt(),
            started=self.at,
            trunk=sent.trunk,
            sent=self._sent(),
        )

    def _sent(self) -> SentRecord:
        """As a cache and a replay see it."""
        *before, last = self.ahead.blocks
        blocks = (*((*one, "") for one in before), (*last, Life.ONE_HOUR.value))
        told = tuple((digest[:SHORT], tokens, mark, "") for digest, tokens, mark in blocks)
        others = self.sent.choice.others
        return SentRecord(
            base=self.sent.choice.base,
            blocks=blocks,
            resumed=False,
            primes=self.ahead.group,
            others=OtherPrompts(
                ways={Way.COMPOSE.value: WayPrompt(told)}, base=(others and others.base) or ""
            ),
        )

    @property
    def call(self) -> AgentCall:
        source, job = self.source, self.source.job
        writes = shows_writing(source.role, job.turn)
        return AgentCall(
            id=f"{self.ticket.id}.{ROLE}",
            role=ROLE,
            stage=job.stage,
            iteration=job.iteration,
            task="",
            system=system_of(source),
            prompt=self.segments,
            cwd=self.around.folder.path,
            folder=source.folder,
            access=Access.READ_ONLY,
            shown=access_of(source) if writes else None,
            web=WEB in source.role.tools,
            model=self.sent.model,
            at=self.at,
            limit_seconds=LIMIT_SECONDS,
            schema=form_of(job.turn, panel=bool(job.panel)),
            life=Life.ONE_HOUR.value,
            ping=True,
        )

    def worst(self, limits: CapLimits) -> Amount:
        tokens = sum(tokens for _, tokens in self.ahead.blocks) + (self.sent.choice.base or 0)
        return self.priced(Amount(2 * tokens + MARGIN_TOKENS, limits.turn.nano_usd))

    def bill(self, answer: AgentReply) -> AttemptResult:
        return replace(bill_of(self.settings, self.sent.model, answer), session="", files_read=[])

    def settled(
        self, tx: Connection, permit: Permit, answer: AgentReply, bill: AttemptResult
    ) -> bool:
        return answer.failure is None
