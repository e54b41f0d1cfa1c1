"""The one step that spends: ask the agent.

The attempt is counted and its worst case reserved before, its bill recorded after. Killed in
between, the row stays and says unknown; the step is repeated as a new attempt.
"""

from __future__ import annotations

import asyncio
import time
from typing import Any

from sparing.agents.backend import ANSWERING, Access, AgentCall, AgentEvent, AgentReply
from sparing.agents.lock import worktree_lock
from sparing.context import turns
from sparing.engine import arrivals
from sparing.engine.agent_steps import source_of
from sparing.engine.crash import passing, step
from sparing.engine.jobs import Job
from sparing.engine.sent import Sent, load_prompt
from sparing.engine.spend import Asking, Permit, Stop, given_up, reserve, settle
from sparing.engine.stories import tell
from sparing.engine.tickets import Ticket
from sparing.money import to_usd
from sparing.review.verdict import SCHEMA
from sparing.roles.load import RoleClass
from sparing.workspace.worktree import restore

SIBLING_SECONDS = 0.2
BURST_SECONDS = 0.5
RESERVED = "call:reserved"
ANSWERED = "call:answered"
"""Crash points inside the step: a reservation without a turn, a turn without its bill."""


@step("call", preemptible=True)
async def call(
    ticket: dict[str, Any], job: dict[str, Any], sent: dict[str, Any], template: str = ""
) -> dict[str, Any]:
    asked, work = Ticket(**ticket), Job.load(job)
    await arrivals.after(asked.after)
    asking = Asking(source_of(asked, work), asked, Sent.load(sent), template or work.turn.value)
    while (permit := reserve(asking)) is None:
        await asyncio.sleep(SIBLING_SECONDS)
    if isinstance(permit, Stop):
        return {"failure": permit.failure, "detail": permit.detail}
    passing(RESERVED)
    with given_up(asking):
        reply = await _run(asking, permit)
    passing(ANSWERED)
    return settle(asking, permit, reply)


async def _run(asking: Asking, permit: Permit) -> AgentReply:
    source, ticket, sent, _ = asking
    around, row = source.around, source.row
    writes = source.role.role_class is RoleClass.AUTHOR
    worktree = await asyncio.to_thread(around.worktree, row, source.job.head)
    lock = around.folder.locks / f"{row.feature.name}.{source.job.role}.lock"
    with worktree_lock(lock) as descriptor:
        if writes:
            salvage = f"{ticket.id}.{permit.number}"
            await asyncio.to_thread(restore, worktree, source.job.head, salvage)
        money = permit.limit.nano_usd
        agent_call = AgentCall(
            id=f"{ticket.id}.{permit.number}.{sent.prompt[:8]}",
            role=source.job.role,
            stage=source.job.stage,
            iteration=source.job.iteration,
            task=source.job.task,
            system=turns.system(source.role.role_class.value),
            prompt=load_prompt(around.folder, sent.prompt),
            cwd=worktree.path,
            folder=around.feature_folder(row),
            access=Access.WORKTREE if writes else Access.READ_ONLY,
            model=sent.model,
            at=ticket.at,
            limit_seconds=around.settings(row).agent.limit_seconds,
            limit_tokens=permit.limit.tokens,
            limit_usd=None if money is None else float(to_usd(money)),
            resume=sent.resume,
            schema=None if writes else SCHEMA,
            lock=descriptor,
        )
        listener = Listener(asking, permit.number)
        try:
            return await around.backend(row).run(agent_call, listener)
        finally:
            listener.flush()


class Listener:
    """What the agent does, told soon after it happens: one write for what comes in a burst."""

    def __init__(self, asking: Asking, number: int) -> None:
        self._asking = asking
        self._number = number
        self._told = 0
        self._waiting: list[AgentEvent] = []
        self._written = time.monotonic()

    def __call__(self, event: AgentEvent) -> None:
        if event.kind == ANSWERING:
            arrivals.answering(self._asking.ticket.id)
            return
        self._waiting.append(event)
        if time.monotonic() - self._written > BURST_SECONDS:
            self.flush()

    def flush(self) -> None:
        source, ticket = self._asking.source, self._asking.ticket
        events, self._waiting = self._waiting, []
        self._written = time.monotonic()
        if not events:
            return
        with source.around.database.write() as tx:
            for event in events:
                self._told += 1
                name = f"{event.kind}.{self._number}.{self._told}"
                tell(tx, ticket, source.job, event.kind, text=event.text, name=name)
