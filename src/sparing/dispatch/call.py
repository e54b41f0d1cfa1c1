"""The one step that spends: call the agent.

The attempt is counted and its worst case reserved before, its bill recorded after. Killed in
between, the row stays and says unknown; the step is repeated as a new attempt.

A turn that was paid for and recorded is never sent again, whether this step is repeated after a
crash or another leg asks for its dispatch. The bill is in the ledger, the reply is kept, and what
the agent wrote is kept under a ref: the dispatch continues from there. A turn that was cut short is
sent again.
"""

from __future__ import annotations

import asyncio
from contextlib import suppress
from dataclasses import replace

from sparing.agents.backend import Access, AgentCall, AgentReply, Run
from sparing.agents.worktree_lock import worktree_lock
from sparing.briefing.trunk_group import access_of, form_of, system_of
from sparing.clients.client_version import note_version
from sparing.clients.outage import AT_ONCE, REPEATED
from sparing.clients.web_search import WEB
from sparing.dispatch.resume_check import trusted
from sparing.errors import ConfigError, SparingError, StateError, recordable
from sparing.failure import Failure
from sparing.fleet.arrival import send
from sparing.job import Job, Ticket
from sparing.money import to_usd
from sparing.payment.paid_call import Passing, Permit, SpendRefusal, ignored, pay
from sparing.payment.spend import SpendRequest
from sparing.provision.worktree_setup import lend_to, outfit
from sparing.records.folder import load_prompt
from sparing.redact import Redactor
from sparing.reply import Reply
from sparing.roles.load import RoleClass
from sparing.runtime import signals
from sparing.runtime.containment import guard
from sparing.runtime.events import tell
from sparing.runtime.sandbox import empty_folder, launch_in
from sparing.runtime.source import Source, source_of
from sparing.runtime.turn_history import front_of
from sparing.runtime.turn_listener import Listener
from sparing.sent import Sent
from sparing.turn import TURNS, Turn
from sparing.turn_event import FailoverEvent
from sparing.workspace.git.kept_turn import keep_turn
from sparing.workspace.git.parallel_worktrees import lane_name
from sparing.workspace.git.worktree import Worktree, put_special_aside
from sparing.workspace.project.leaks import leaks

SECRETS = "repair_secrets"
"""Template name of the turn in which an author removes secrets from what it wrote."""


async def call(
    ticket: Ticket,
    job: Job,
    sent: Sent,
    template: str = "",
    before: int = 0,
    passing: Passing = ignored,
) -> Reply:
    """`template` names the prompt if it is not the turn's own; `before` is how often this
    dispatch has sent it and got a good reply."""
    await signals.after(ticket.after)
    source = source_of(ticket, job, sent.backend)
    asking = SpendRequest(source, ticket, sent, template or job.turn.value, before)
    note_version(
        source.around.database, source.around.versions, source.backend, ticket.feature, ticket.at
    )
    if sent.resume and not template:
        with source.around.database.read() as connection:
            paid = asking.already(connection)
        if paid is None and (why := await trusted(asking)):
            return Reply(Failure.INVALID_SESSION.value, f"not resumed: {why}")
    try:
        found = await pay(asking, lambda permit, run: _run(asking, permit, run), passing)
    except SparingError as error:
        # The branch was moved, the repository is gone: a person repairs it, then this is repeated.
        failed = recordable(error)
        return Reply(failed.what, failed.repair)
    if isinstance(found, SpendRefusal):
        found = Reply(found.failure, found.detail)
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
        listener = Listener(around.database, asking.ticket, source.job, permit.number)
        agent_call = replace(asked, lock=descriptor, launch=launch)
        try:
            reply = await run(agent_call, listener)
            await asyncio.to_thread(put_special_aside, worktree, source.job.head)
            if writes:
                await asyncio.to_thread(_keep, asking, permit.number, worktree)
            listener.receipt(await asyncio.to_thread(watch.after, writes=writes))
        except BaseException:
            with suppress(StateError):
                listener.flush()
            raise
        asking.told[:] = listener.rest()
    return _cleaned(reply, around.folder.redactor)


def _keep(asking: SpendRequest, number: int, worktree: Worktree) -> None:
    """Save what the agent has written before its turn is recorded as done."""
    known, head = asking.source.around.folder.redactor.known, asking.source.job.head

    def refused(paths: tuple[str, ...]) -> bool:
        return bool(leaks(worktree, head, paths, known))

    if keep_turn(worktree, head, asking.ticket.id, number, refused):
        send(asking.source.around.travel, asking.source.row)


def _writes(source: Source) -> bool:
    """Whether the turn writes: an author's does, unless it only describes what it would write."""
    return source.role.role_class is RoleClass.AUTHOR and TURNS[source.job.turn].writes


def _shown(source: Source, session: str) -> Access:
    """Tools to list; a resumed session keeps its own, as they begin what the cache holds."""
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
    """The reply without secrets, before it is stored, shown or passed on."""
    return replace(
        reply,
        text=redactor.clean(reply.text),
        detail=redactor.clean(reply.detail),
        files_read=tuple(map(redactor.clean, reply.files_read)),
        files_written=tuple(map(redactor.clean, reply.files_written)),
    )


def _taken_over(asking: SpendRequest, reply: Reply) -> Reply:
    """The reply with the backend that takes over by the rule `agent.fallback`, which is
    recorded; unchanged if none may, and then the work waits."""
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
