"""One look of a reviewer on trial, as a purchase: a row in the ledger of the trial's own folder."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum
from typing import NamedTuple

from sparing.agents.backend import Access, AgentCall, AgentReply
from sparing.briefing.trunk_group import form_of, neutral_system
from sparing.connection import Connection
from sparing.context.prompt.brief import Brief
from sparing.money import to_usd
from sparing.payment.paid_call import Permit, Purchase, bill_of
from sparing.records.folder import keep_prompt
from sparing.records.ledger import Attempt, AttemptResult
from sparing.review.exam import Case
from sparing.runtime.sandbox import launch_in
from sparing.runtime.source import Source
from sparing.runtime.turn_model import model_of
from sparing.segment import Segment
from sparing.way import Order, Way
from sparing.workspace.git.worktree import Worktree


class Arm(StrEnum):
    """How the prompt is sent to a reviewer."""

    SEED = "seed"
    NESTED = "nested"
    RESUME = "resume"


class Ask(NamedTuple):
    arm: Arm
    case: Case


class Told(NamedTuple):
    source: Source
    brief: Brief
    prompt: tuple[Segment, ...]


class PaidReply(NamedTuple):
    reply: AgentReply
    nano_usd: int | None


def way_of(arm: Arm) -> tuple[Way, Order]:
    """How the prompt of a first review is sent."""
    return (Way.REFERENCE, Order.SEED) if arm is Arm.SEED else (Way.COMPOSE, Order.NESTED)


@dataclass(frozen=True, slots=True)
class Look(Purchase[AgentReply, PaidReply]):
    """One turn of a reviewer, as a purchase: a row in the ledger of the trial's own folder."""

    ask: Ask
    told: Told
    at: float
    resume: str = ""

    @property
    def id(self) -> str:
        return f"{self.source.row.feature.key}.{self.source.job.iteration}"

    @property
    def attempt(self) -> Attempt:
        source, job = self.source, self.source.job
        return Attempt(
            dispatch=self.id,
            feature=source.row.feature.key,
            leg=source.row.leg,
            stage=job.stage,
            role=source.role.name,
            iteration=job.iteration,
            task=self.ask.case.id,
            template=job.turn.value,
            way=(Way.RESUME if self.resume else way_of(self.ask.arm)[0]).value,
            reason=f"on trial, told as {self.ask.arm}",
            backend=self.backend.name,
            model=model_of(source),
            billing=self.settings.agent.billing,
            prompt=keep_prompt(self.around.folder, self.told.prompt),
            prompt_chars=sum(len(one.text) for one in self.told.prompt),
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


def call_of(look: Look, permit: Permit, worktree: Worktree, left: float | None) -> AgentCall:
    source, around = look.source, look.around
    money = permit.limit.nano_usd
    limits = [one for one in (left, None if money is None else float(to_usd(money))) if one]
    return AgentCall(
        id=look.id,
        role=source.role.name,
        stage=source.job.stage,
        iteration=source.job.iteration,
        task=look.ask.case.id,
        system=neutral_system(source),
        prompt=look.told.prompt,
        cwd=worktree.path,
        folder=around.feature_folder(source.row),
        access=Access.READ_ONLY,
        model=model_of(source),
        at=look.at,
        limit_seconds=look.settings.agent.limit_seconds,
        limit_tokens=permit.limit.tokens,
        limit_usd=min(limits) if limits else None,
        resume=look.resume,
        schema=form_of(source.job.turn),
        launch=launch_in(around, worktree, writes=False),
    )
