"""One reviewer's turn that belongs to no run: paid like any other, in a sandbox that only reads.

A branch that no feature made is reviewed by such turns, and so are planted defects. Each is a row
of the ledger in the folder it is made for, under the caps of that folder.
"""

from __future__ import annotations

import asyncio
from dataclasses import dataclass
from typing import NamedTuple

from sparing.agents.backend import Access, AgentCall, AgentReply, Run
from sparing.briefing.trunk_group import form_of, neutral_system
from sparing.connection import Connection
from sparing.dispatch_policy import Way
from sparing.money import to_usd
from sparing.payment.paid_call import Permit, Purchase, SpendRefusal, bill_of, pay
from sparing.records.folder import keep_prompt
from sparing.records.ledger import Attempt, AttemptResult
from sparing.runtime.sandbox import launch_in
from sparing.runtime.turn_model import model_of
from sparing.segment import Segment
from sparing.sent import NaivePrompt
from sparing.workspace.git.worktree import Worktree


class PaidReply(NamedTuple):
    reply: AgentReply
    nano_usd: int | None


@dataclass(frozen=True, slots=True)
class LoneReview(Purchase[AgentReply, PaidReply]):
    id: str
    way: Way
    """How the prompt was composed; with a session to resume, that is the way."""
    reason: str
    prompt: tuple[Segment, ...]
    at: float
    task: str = ""
    resume: str = ""

    @property
    def attempt(self) -> Attempt:
        source, job = self.source, self.source.job
        return Attempt(
            dispatch=self.id,
            feature=source.row.feature.key,
            leg=source.row.leg,
            stage=job.stage,
            role=job.role,
            iteration=job.iteration,
            task=self.task,
            template=job.turn.value,
            way=(Way.RESUME if self.resume else self.way).value,
            reason=self.reason,
            backend=self.backend.name,
            model=model_of(source),
            billing=self.settings.agent.billing,
            prompt=keep_prompt(self.around.folder, self.prompt),
            prompt_chars=sum(len(one.text) for one in self.prompt),
            naive=NaivePrompt(),
            started=self.at,
        )

    def bill(self, answer: AgentReply) -> AttemptResult:
        kept = self.around.folder.keep(answer.text)
        return bill_of(self.settings, model_of(self.source), answer, kept)

    def settled(
        self, tx: Connection, permit: Permit, answer: AgentReply, bill: AttemptResult
    ) -> PaidReply:
        return PaidReply(answer, bill.nano_usd)


async def buy(review: LoneReview, left_usd: float | None) -> PaidReply | SpendRefusal:
    """`left_usd`: what is left of the amount the person agreed to; None without a limit."""
    source = review.source
    worktree = await asyncio.to_thread(review.around.worktree, source.row, source.job.head)

    async def send(permit: Permit, run: Run) -> AgentReply:
        return await run(_call(review, permit, worktree, left_usd), lambda _: None)

    return await pay(review, send)


def _call(
    review: LoneReview, permit: Permit, worktree: Worktree, left_usd: float | None
) -> AgentCall:
    source, money = review.source, permit.limit.nano_usd
    limits = [one for one in (left_usd, None if money is None else float(to_usd(money))) if one]
    return AgentCall(
        id=review.id,
        role=source.job.role,
        stage=source.job.stage,
        iteration=source.job.iteration,
        task=review.task,
        system=neutral_system(source),
        prompt=review.prompt,
        cwd=worktree.path,
        folder=review.around.feature_folder(source.row),
        access=Access.READ_ONLY,
        model=model_of(source),
        at=review.at,
        limit_seconds=review.settings.agent.limit_seconds,
        limit_tokens=permit.limit.tokens,
        limit_usd=min(limits) if limits else None,
        resume=review.resume,
        schema=form_of(source.job.turn),
        launch=launch_in(review.around, worktree, writes=False),
    )
