"""One reviewer's review of a branch, as a purchase: a row in the repository's own ledger."""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

from sparing.agents.backend import Access, AgentCall, AgentReply
from sparing.briefing.trunk_group import form_of, neutral_system
from sparing.connection import Connection
from sparing.money import to_usd
from sparing.payment.paid_call import Permit, Purchase, bill_of
from sparing.records.folder import keep_prompt
from sparing.records.ledger import Attempt, AttemptResult
from sparing.runtime.sandbox import launch_in
from sparing.runtime.turn_model import model_of
from sparing.segment import Segment
from sparing.way import Way
from sparing.workspace.git.worktree import Worktree

REASON = "a review without a feature"


class PaidReply(NamedTuple):
    reply: AgentReply
    nano_usd: int | None


@dataclass(frozen=True, slots=True)
class BranchLook(Purchase[AgentReply, PaidReply]):
    prompt: tuple[Segment, ...]
    at: float
    resume: str = ""
    """The session to resume when asking for a verdict once more."""

    @property
    def id(self) -> str:
        again = ".again" if self.resume else ""
        return f"{self.source.row.feature.key}.{self.source.job.role}{again}"

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
            task="",
            template=job.turn.value,
            way=(Way.RESUME if self.resume else Way.COMPOSE).value,
            reason=REASON,
            backend=self.backend.name,
            model=model_of(source),
            billing=self.settings.agent.billing,
            prompt=keep_prompt(self.around.folder, self.prompt),
            prompt_chars=sum(len(one.text) for one in self.prompt),
            naive={},
            started=self.at,
        )

    def bill(self, answer: AgentReply) -> AttemptResult:
        kept = self.around.folder.keep(answer.text)
        return bill_of(self.settings, model_of(self.source), answer, kept)

    def settled(
        self, tx: Connection, permit: Permit, answer: AgentReply, bill: AttemptResult
    ) -> PaidReply:
        return PaidReply(answer, bill.nano_usd)


def call_of(
    look: BranchLook, permit: Permit, worktree: Worktree, left_usd: float | None
) -> AgentCall:
    """`left_usd`: what is left of the amount the person agreed to."""
    source, money = look.source, permit.limit.nano_usd
    limits = [one for one in (left_usd, None if money is None else float(to_usd(money))) if one]
    return AgentCall(
        id=look.id,
        role=source.job.role,
        stage=source.job.stage,
        iteration=source.job.iteration,
        task="",
        system=neutral_system(source),
        prompt=look.prompt,
        cwd=worktree.path,
        folder=look.around.feature_folder(source.row),
        access=Access.READ_ONLY,
        model=model_of(source),
        at=look.at,
        limit_seconds=look.settings.agent.limit_seconds,
        limit_tokens=permit.limit.tokens,
        limit_usd=min(limits) if limits else None,
        resume=look.resume,
        schema=form_of(source.job.turn),
        launch=launch_in(look.around, worktree, writes=False),
    )
