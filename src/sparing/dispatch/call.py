"""The one step that spends: ask the agent.

The attempt is counted and its worst case reserved before, its bill recorded after. Killed in
between, the row stays and says unknown; the step is repeated as a new attempt.

A turn that was paid for and recorded is never sent again, whoever asks for its dispatch: this
step, repeated after a crash, or another leg. The bill is in the ledger, the reply is kept, and
what the agent wrote is kept under a ref: the dispatch goes on from there. A turn that was cut
short is asked again.
"""

from __future__ import annotations

import asyncio
import time
from dataclasses import replace

from sparing.agents.backend import ANSWERING, Access, AgentCall, AgentEvent, AgentReply, Run
from sparing.agents.process import worktree_lock
from sparing.briefing.trunk_group import access_of, form_of, system_of
from sparing.clients.outage import AT_ONCE, REPEATED
from sparing.dispatch.paid_call import Passing, Permit, SpendRefusal, ignored, pay
from sparing.dispatch.resume_check import trusted
from sparing.dispatch.spend import SpendRequest, last_call_after
from sparing.errors import ConfigError, SparingError, StateError
from sparing.failure import Failure
from sparing.fleet.arrival import send
from sparing.job import LOOP, Job, Ticket
from sparing.money import to_usd
from sparing.provision.outfit import lend_to, outfit
from sparing.records import ledger, repeats
from sparing.records.folder import load_prompt
from sparing.redact import Redactor
from sparing.reply import Reply
from sparing.review.stall import fruitless
from sparing.roles.load import RoleClass
from sparing.runtime import signals
from sparing.runtime.containment import Receipt, guard
from sparing.runtime.events import tell
from sparing.runtime.sandbox import empty_folder, launch_in
from sparing.runtime.source import Source, source_of
from sparing.runtime.turn_history import front_of
from sparing.runtime.web_search import WEB
from sparing.sent import Sent
from sparing.turn import TURNS, Turn
from sparing.turn_event import FailoverEvent
from sparing.way import Way
from sparing.workspace.git.kept_turn import keep_turn
from sparing.workspace.git.lanes import lane_name
from sparing.workspace.git.worktree import Worktree, put_special_aside
from sparing.workspace.project.leaks import leaks

BURST_SECONDS = 0.5
SECRETS = "repair_secrets"
"""The words of the turn in which an author takes secrets out of what it wrote."""


async def call(
    ticket: Ticket,
    job: Job,
    sent: Sent,
    template: str = "",
    before: int = 0,
    passing: Passing = ignored,
) -> Reply:
    """`template` names the words that are sent, where they are not the turn's own; `before`, how
    often this dispatch has sent them and got a good reply."""
    await signals.after(ticket.after)
    asking = SpendRequest(
        source_of(ticket, job, sent.backend), ticket, sent, template or job.turn.value
    )
    if (paid := paid_before(asking, before)) is not None:
        return paid
    if sent.resume and not template and (why := await trusted(asking)):
        return Reply(Failure.INVALID_SESSION.value, f"not resumed: {why}")
    try:
        found = await pay(asking, lambda permit, run: _run(asking, permit, run), passing)
    except SparingError as error:
        # The branch was moved, the repository is gone: a person repairs it, then this is repeated.
        return Reply(error.what, error.repair)
    if isinstance(found, SpendRefusal):
        return Reply(found.failure, found.detail)
    return found if template or not found.failure else _taken_over(asking, found)


async def _run(asking: SpendRequest, permit: Permit, run: Run) -> AgentReply:
    source, around, row = asking.source, asking.source.around, asking.source.row
    writes, lane = _writes(source), source.job.lane
    worktree = await asyncio.to_thread(around.worktree, row, source.job.head, lane)
    goes_on = asking.template == SECRETS
    # A turn that was stopped may have left what git would wait for.
    await asyncio.to_thread(put_special_aside, worktree, source.job.head)
    if (lane or writes) and not goes_on:
        await asyncio.to_thread(outfit, around, row, worktree, asking.ticket, source.job)
    await asyncio.to_thread(lend_to, around, row, worktree, writes=writes)
    lock = around.folder.locks / f"{lane_name(row.feature.name, lane)}.{source.job.who}.lock"
    with worktree_lock(lock) as descriptor:
        salvage = f"{asking.ticket.id}.{permit.number}"
        watch = await asyncio.to_thread(
            guard, source, worktree, salvage, writes=writes, goes_on=goes_on
        )
        asked = _call(asking, permit, worktree)
        outside = asked.access is Access.NOTHING
        launch = await asyncio.to_thread(
            launch_in, around, worktree, writes=writes, outside=outside
        )
        listener = Listener(asking, permit.number)
        agent_call = replace(asked, lock=descriptor, launch=launch)
        try:
            reply = await run(agent_call, listener)
            await asyncio.to_thread(put_special_aside, worktree, source.job.head)
            if writes:
                await asyncio.to_thread(_keep, asking, permit.number, worktree)
            listener.receipt(await asyncio.to_thread(watch.after, writes=writes))
        finally:
            listener.flush()
    return _cleaned(reply, around.folder.redactor)


def _keep(asking: SpendRequest, number: int, worktree: Worktree) -> None:
    """What the agent has written is safe before anybody notes that its turn is done."""
    known, head = asking.source.around.folder.redactor.known, asking.source.job.head

    def refused(paths: tuple[str, ...]) -> bool:
        return bool(leaks(worktree, head, paths, known))

    if keep_turn(worktree, head, asking.ticket.id, number, refused):
        send(asking.source.around.travel, asking.source.row)


def _writes(source: Source) -> bool:
    """An author, except where it only says what it would write."""
    return source.role.role_class is RoleClass.AUTHOR and TURNS[source.job.turn].writes


def _shown(source: Source, session: str) -> Access:
    """A session that goes on keeps its tools: they are the beginning of what a cache holds."""
    with source.around.database.read() as connection:
        known = front_of(connection, source.row.feature.key, session).access if session else ""
    wanted = access_of(source)
    # A judge who was asked in the same session has left no word on what its builder may do.
    keeps = known and (Access(known).writes or not wanted.writes)
    return Access(known) if keeps else wanted


def _call(asking: SpendRequest, permit: Permit, worktree: Worktree) -> AgentCall:
    source, ticket, sent = asking.source, asking.ticket, asking.sent
    around, row, job = source.around, source.row, source.job
    shown = _shown(source, sent.resume)
    outside = shown is Access.NOTHING
    money = permit.limit.nano_usd
    return AgentCall(
        id=f"{ticket.id}.{permit.number}.{sent.prompt[:8]}",
        role=job.who,
        # Whoever hands over does no work of the stage that follows.
        stage=job.turn.value if job.turn is Turn.HAND_OVER else job.stage,
        iteration=job.iteration,
        task=job.task or job.part or source.phase,
        system=source.recall(sent.system) or system_of(source),
        prompt=load_prompt(around.folder, sent.prompt),
        cwd=empty_folder(around) if outside else worktree.path,
        folder=around.feature_folder(row),
        access=shown if outside or _writes(source) else Access.READ_ONLY,
        shown=shown,
        web=WEB in source.role.tools,
        model=sent.model,
        at=ticket.at,
        limit_seconds=around.settings(row).agent.limit_seconds,
        limit_tokens=permit.limit.tokens,
        limit_usd=None if money is None else float(to_usd(money)),
        resume=sent.resume,
        schema=form_of(job.turn, panel=bool(job.panel)),
        life=sent.life,
    )


def _cleaned(reply: AgentReply, redactor: Redactor) -> AgentReply:
    """What an agent said is kept, told and sent on; here no secret is in it any more."""
    return replace(
        reply,
        text=redactor.clean(reply.text),
        detail=redactor.clean(reply.detail),
        files_read=tuple(map(redactor.clean, reply.files_read)),
        files_written=tuple(map(redactor.clean, reply.files_written)),
    )


class Listener:
    """What the agent does, told soon after it happens: one write for what comes in a burst."""

    def __init__(self, asking: SpendRequest, number: int) -> None:
        self._asking = asking
        self._number = number
        self._told = 0
        self._waiting: list[AgentEvent] = []
        self._receipt: Receipt | None = None
        self._written = time.monotonic()
        self._later: asyncio.TimerHandle | None = None

    def __call__(self, event: AgentEvent) -> None:
        if event.kind == ANSWERING:
            signals.answering(self._asking.ticket.id)
            return
        self._waiting.append(event)
        if time.monotonic() - self._written > BURST_SECONDS:
            self.flush()
        elif self._later is None:
            # Whoever watches sees it soon, also if nothing follows for long.
            loop = asyncio.get_running_loop()
            self._later = loop.call_later(BURST_SECONDS, self._flush_in_time)

    def receipt(self, found: Receipt) -> None:
        """Told with what the agent did, in one write."""
        self._receipt = found

    def _flush_in_time(self) -> None:
        """A timer has nobody to tell of an error: the end of the turn writes what is left, or says
        why nothing can be written."""
        waiting = self._waiting
        try:
            self.flush()
        except StateError:
            self._waiting = [*waiting, *self._waiting]

    def flush(self) -> None:
        source, ticket = self._asking.source, self._asking.ticket
        if self._later is not None:
            self._later.cancel()
            self._later = None
        events, self._waiting = self._waiting, []
        self._written = time.monotonic()
        if not events and self._receipt is None:
            return
        with source.around.database.write() as tx:
            for event in events:
                self._told += 1
                name = f"{event.kind}.{self._number}.{self._told}"
                tell(tx, ticket, source.job, event.kind, text=event.text, name=name)
            if self._receipt is not None:
                kind, text, data = self._receipt
                name = f"receipt.{self._number}"
                tell(tx, ticket, source.job, kind, text=text, data=data, name=name)


def paid_before(asking: SpendRequest, before: int) -> Reply | None:
    """What the turn gave, as if it had been sent now; None if it has to be sent."""
    with asking.source.around.database.read() as connection:
        rows = ledger.of_dispatch(connection, asking.ticket.id)
        good = [row for row in rows if row.attempt.template == asking.template and row.is_good]
        if len(good) <= before:
            return None
        row = good[before]
        assert row.result is not None
        fresh = row.attempt.way != Way.RESUME and not asking.source.final
        again = fresh and repeats.answered_so(
            connection, row.attempt, asking.ticket.leg_id, row.result.reply
        )
    result, role = row.result, asking.source.job.who
    size = len(asking.source.fetch(result.reply))
    why = fruitless(role, size, asking.patience, repeated=again)
    return Reply(
        failure=LOOP if why else "",
        detail=why,
        reply=result.reply,
        session=result.session,
        context_tokens=result.context_tokens,
        last_call_after=last_call_after(len(result.calls), result.seconds),
        answer_tokens=result.calls[-1]["output"] if result.calls else 0,
    )


def _taken_over(asking: SpendRequest, reply: Reply) -> Reply:
    """With the backend that takes over by the rule `agent.fallback`, which is told; as it is where
    none may, and then the work waits."""
    # What the ledger has by now is weighed anew: it knows of this failure.
    source, left = replace(asking.source, sent_to="", _read={}), asking.backend.name
    try:
        agent = source.agent
    except ConfigError:
        return reply
    if agent.name == left or reply.failure not in AT_ONCE | REPEATED:
        return reply
    what = FailoverEvent(left=left, taken=agent.name, failure=reply.failure)
    words, name = f"moves from {left} to {agent.name}: {agent.why}", f"failover.{agent.name}"
    with asking.around.database.write() as tx:
        tell(tx, asking.ticket, source.job, what, text=words, name=name)
    return replace(reply, elsewhere=agent.name)
