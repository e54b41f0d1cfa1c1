"""A turn of a feature as a purchase: its caps, its loop breakers, and what may follow it."""

from __future__ import annotations

from dataclasses import dataclass, field

from sparing.agents.backend import AgentReply
from sparing.clients.outage import used_up
from sparing.connection import Connection
from sparing.dispatch_policy import Way
from sparing.failure import Failure
from sparing.job import LOOP, Ticket
from sparing.money import Amount, CapLimits, CapMeasure, CapScope, Reached
from sparing.payment.paid_call import (
    TOO_EARLY,
    Permit,
    Purchase,
    SpendRefusal,
    bill_of,
)
from sparing.records import ledger, repeats
from sparing.records.caps import Caps
from sparing.records.events import Event, add
from sparing.records.repeats import SoFar
from sparing.reply import Reply
from sparing.review.stall import Patience, fruitless, overdue
from sparing.runtime.events import tell
from sparing.segment import CHARS_PER_TOKEN
from sparing.sent import REPAIR, Sent

SHARED = frozenset({CapScope.FEATURE, CapScope.STAGE, CapScope.DAY})


@dataclass(frozen=True, slots=True)
class SpendRequest(Purchase[AgentReply, Reply]):
    """One turn that is about to be sent."""

    ticket: Ticket
    sent: Sent
    template: str
    before: int = 0
    """How often this dispatch has sent it and got a good reply."""
    told: list[Event] = field(default_factory=list[Event])
    """What the agent did and was not yet recorded: it is, with the bill."""

    @property
    def patience(self) -> Patience:
        limits = self.settings.caps
        return Patience(limits.unattended_seconds, limits.reply_chars)

    @property
    def attempt(self) -> ledger.Attempt:
        job, sent = self.source.job, self.sent
        started = self.around.began(self.source.row, self.ticket.at)
        return ledger.Attempt(
            dispatch=self.ticket.id, feature=self.ticket.feature, leg=self.ticket.leg,
            stage=job.stage, role=job.who, iteration=job.iteration, task=job.task,
            template=self.template, way=sent.way.value, reason=sent.reason,
            backend=self.backend.name, model=sent.model, billing=self.settings.agent.billing,
            prompt=sent.prompt, prompt_chars=sent.chars, naive=sent.naive, started=started,
            trunk=sent.trunk, sent=sent.choice,
        )  # fmt: skip

    def already(self, tx: Connection) -> Reply | None:
        """The recorded reply, as if it had been sent now; None if the turn has to be sent."""
        rows = ledger.of_dispatch(tx, self.ticket.id)
        good = [row for row in rows if row.attempt.template == self.template and row.is_good]
        if len(good) <= self.before:
            return None
        row = good[self.before]
        assert row.result is not None
        self.around.last_tries[self.ticket.id] = rows[-1].attempt.started
        fresh = row.attempt.way != Way.RESUME and not self.source.final
        result, leg = row.result, self.ticket.leg_id
        again = fresh and repeats.answered_so(tx, row.attempt, leg, result.reply)
        size = len(self.source.fetch(result.reply))
        why = fruitless(self.source.job.who, size, self.patience, repeated=again)
        return Reply(
            failure=LOOP if why else "", detail=why, reply=result.reply, session=result.session,
            context_tokens=result.context_tokens,
            last_call_after=last_call_after(len(result.calls), result.seconds),
            answer_tokens=result.calls[-1]["output"] if result.calls else 0,
        )  # fmt: skip

    def objection(
        self, tx: Connection, held: Caps, worst: Amount, so_far: SoFar
    ) -> SpendRefusal | None:
        """A quota that is used up, a cap that it could break, or a leg that works for too long."""
        attempt, quota = self.attempt, so_far.failure == Failure.QUOTA
        out = used_up(tx, attempt.backend, attempt.feature) if quota else None
        if out is not None and self.around.now(self.source.row, 0) < out.until:
            _tell_quota(tx, self, 0, out.until, out.detail)
            return SpendRefusal(Failure.QUOTA.value, out.detail)
        reached = _reached(self, so_far.tries, held.limits) or held.reached(worst)
        if reached is not None:
            early = reached.scope in SHARED and repeats.siblings(tx, self.ticket.leg_id)
            return TOO_EARLY if early else self.refusal(tx, reached)
        late = overdue(attempt.stage, so_far.seconds, self.patience)
        return SpendRefusal(LOOP, late) if late else None

    def refusal(self, tx: Connection, reached: Reached) -> SpendRefusal:
        return _refuse(tx, self, reached)

    def begun(self, tx: Connection, number: int) -> None:
        data = {"way": self.sent.way.value, "attempt": number}
        why = self.sent.reason if self.template == REPAIR else ""
        tell(tx, self.ticket, self.source.job, "asks", text=why, data=data, name=f"asks.{number}")

    def bill(self, answer: AgentReply) -> ledger.AttemptResult:
        kept = self.around.folder.keep(answer.text)
        return bill_of(self.settings, self.sent.model, answer, kept)

    def settled(
        self, tx: Connection, permit: Permit, answer: AgentReply, bill: ledger.AttemptResult
    ) -> Reply:
        """The reply, with a failure if the work may not continue with it."""
        add(tx, *self.told)
        stop = _stop(tx, self, permit, answer, bill.reply)
        return Reply(
            failure=stop.failure, detail=stop.detail, reply=bill.reply, session=answer.session,
            context_tokens=answer.context_tokens,
            last_call_after=last_call_after(len(answer.calls), answer.seconds),
            answer_tokens=answer.calls[-1].output if answer.calls else 0,
        )  # fmt: skip


def _reached(asking: SpendRequest, tries: int, limits: CapLimits) -> Reached | None:
    """Caps of the dispatch itself: too often sent, or too large for any turn."""
    if tries >= limits.attempts:
        return Reached(CapScope.DISPATCH, "", CapMeasure.ATTEMPTS, tries, 1, limits.attempts)
    session = asking.source.session if asking.sent.way is Way.RESUME else None
    size = asking.sent.chars // CHARS_PER_TOKEN + (session.context_tokens if session else 0)
    if size > limits.turn.tokens:
        return Reached(CapScope.TURN, "", CapMeasure.TOKENS, 0, size, limits.turn.tokens)
    return None


def _refuse(tx: Connection, asking: SpendRequest, reached: Reached) -> SpendRefusal:
    """The reached cap is told with all its figures: `sparing raise` reads them."""
    name = f"budget.{reached.scope}.{reached.measure}.{reached.limit}"
    tell(
        tx, asking.ticket, asking.source.job, "budget", text=reached.words, data=reached.dump(),
        name=name,
    )  # fmt: skip
    return SpendRefusal(Failure.BUDGET.value, reached.words)


def last_call_after(calls: int, seconds: float) -> float:
    """Seconds from a turn's start to its last request, assuming that all took equally long."""
    return seconds * (calls - 1) / calls if calls else 0.0


def _stop(
    tx: Connection, asking: SpendRequest, permit: Permit, reply: AgentReply, kept: str
) -> SpendRefusal:
    if reply.failure is Failure.BUDGET:
        return _refuse(tx, asking, _overrun(permit, reply))
    if reply.failure is Failure.QUOTA and reply.resets_at is not None:
        _tell_quota(tx, asking, permit.number, reply.resets_at, reply.detail)
    if reply.failure is not None:
        return SpendRefusal(reply.failure.value, reply.detail)
    # Everybody is asked once more at the end, under `seed` also where nothing has changed.
    asked = permit.so_far.asked and asking.sent.way is not Way.RESUME and not asking.source.final
    again = asked and repeats.answered_so(tx, asking.attempt, asking.ticket.leg_id, kept)
    role, patience = asking.source.job.who, asking.patience
    why = fruitless(role, len(reply.text), patience, repeated=again)
    return SpendRefusal(LOOP, why) if why else SpendRefusal("", "")


def _tell_quota(
    tx: Connection, asking: SpendRequest, number: int, resets_at: float, words: str
) -> None:
    data, name = {"resets_at": resets_at}, f"quota.{number}"
    tell(tx, asking.ticket, asking.source.job, "quota", text=words, data=data, name=name)


def _overrun(permit: Permit, reply: AgentReply) -> Reached:
    """For a turn ended by its own limit: which one, as the backend can't tell."""
    used, limit = reply.usage.total, permit.limit
    if used > limit.tokens or limit.nano_usd is None:
        return Reached(
            CapScope.TURN, "", CapMeasure.TOKENS, 0, max(used, limit.tokens + 1), limit.tokens
        )
    return Reached(CapScope.TURN, "", CapMeasure.MONEY, 0, limit.nano_usd + 1, limit.nano_usd)
