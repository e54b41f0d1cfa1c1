"""Money around a turn: reserved before, settled after, each in one transaction of ours.

A turn is only sent if the worst it can take fits under every cap and no loop breaker speaks
against it. What was reserved stays taken until the bill is known, whatever dies in between.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Generator
from contextlib import contextmanager
from dataclasses import asdict
from typing import NamedTuple

from sparing.agents.backend import AgentReply, ModelCall
from sparing.cap import Amount, CapLimits, CapMeasure, CapScope, Reached
from sparing.config.load import load
from sparing.config.settings import Settings
from sparing.economy.forecast import worst_case
from sparing.economy.prices import cost_nano, own_prices, price_of
from sparing.failure import Failure
from sparing.job import LOOP
from sparing.money import Billing
from sparing.records import caps, ledger, repeats
from sparing.reply import Reply
from sparing.review.stall import Patience, fruitless, overdue
from sparing.runtime.events import tell
from sparing.runtime.source import Source
from sparing.runtime.surroundings import Surroundings
from sparing.segment import CHARS_PER_TOKEN
from sparing.sent import Sent
from sparing.ticket import Ticket
from sparing.usage import Usage
from sparing.way import Way

SILENT = frozenset({Failure.CRASHED, Failure.TIMED_OUT})
"""A client that ends like this without any usage has not told it; it was not nothing."""

SHARED = frozenset({CapScope.FEATURE, CapScope.STAGE, CapScope.DAY})


class Permit(NamedTuple):
    """The turn may be sent, and may take what was reserved for it."""

    number: int
    limit: Amount


class SpendRefusal(NamedTuple):
    """It may not, or nothing may follow it."""

    failure: str
    detail: str


class SpendRequest(NamedTuple):
    """One turn that is about to be sent."""

    source: Source
    ticket: Ticket
    sent: Sent
    template: str

    @property
    def settings(self) -> Settings:
        return self.source.around.settings(self.source.row)

    @property
    def patience(self) -> Patience:
        limits = self.settings.caps
        return Patience(limits.unattended_seconds, limits.reply_chars)

    @property
    def attempt(self) -> ledger.Attempt:
        job, sent, around, row = (
            self.source.job, self.sent, self.source.around, self.source.row,
        )  # fmt: skip
        # A turn that is repeated after a crash belongs to the day on which it is repeated.
        started = max(self.ticket.at, around.now(row, 0))
        return ledger.Attempt(
            self.ticket.id, self.ticket.feature, self.ticket.leg, job.stage, job.role,
            job.iteration, job.task, self.template, sent.way.value, sent.reason,
            around.backend(row).name, sent.model, self.settings.agent.billing, sent.prompt,
            sent.chars, sent.naive, started, sent.trunk, sent.choice,
        )  # fmt: skip


def reserve(asking: SpendRequest) -> Permit | SpendRefusal | None:
    """None if it is too early to say: a sibling holds more than it may need in the end."""
    attempt = asking.attempt
    with asking.source.around.database.write() as tx:
        whose = caps.Whose(attempt.feature, attempt.stage, attempt.day)
        limits = caps.in_force(tx, asking.settings.caps.limits, whose)
        worst = _worst(asking, limits)
        reached = _reached(tx, asking, attempt, limits) or caps.reached(tx, limits, whose, worst)
        if reached is not None:
            early = reached.scope in SHARED and repeats.siblings(tx, asking.ticket.leg_id)
            return None if early else _refuse(tx, asking, reached)
        worked = repeats.seconds(tx, attempt.feature, attempt.leg, attempt.stage)
        if late := overdue(attempt.stage, worked, asking.patience):
            return SpendRefusal(LOOP, late)
        number = ledger.begin(tx, attempt, worst)
        data = {"way": attempt.way, "attempt": number}
        tell(tx, asking.ticket, asking.source.job, "asks", data=data, name=f"asks.{number}")
    return Permit(number, worst)


def _worst(asking: SpendRequest, limits: CapLimits) -> Amount:
    if asking.settings.agent.billing is Billing.SUBSCRIPTION:
        return Amount(limits.turn.tokens, None)
    own = own_prices(asking.settings.models.prices)
    return worst_case(limits.turn, price_of(asking.sent.model, own))


def _reached(
    tx: sqlite3.Connection, asking: SpendRequest, attempt: ledger.Attempt, limits: CapLimits
) -> Reached | None:
    """Caps of the dispatch itself: too often sent, or too large for any turn."""
    tries = repeats.tries(tx, attempt)
    if tries >= limits.attempts:
        return Reached(CapScope.DISPATCH, "", CapMeasure.ATTEMPTS, tries, 1, limits.attempts)
    session = asking.source.session if asking.sent.way is Way.RESUME else None
    size = asking.sent.chars // CHARS_PER_TOKEN + (session.context_tokens if session else 0)
    if size > limits.turn.tokens:
        return Reached(CapScope.TURN, "", CapMeasure.TOKENS, 0, size, limits.turn.tokens)
    return None


def _refuse(tx: sqlite3.Connection, asking: SpendRequest, reached: Reached) -> SpendRefusal:
    """The reached cap is told with all its figures: `sparing raise` reads them."""
    name = f"budget.{reached.scope}.{reached.measure}.{reached.limit}"
    tell(
        tx, asking.ticket, asking.source.job, "budget", text=reached.words, data=reached.dump(),
        name=name,
    )  # fmt: skip
    return SpendRefusal(Failure.BUDGET.value, reached.words)


def settle(asking: SpendRequest, permit: Permit, reply: AgentReply) -> Reply:
    """Record the bill; the answer says whether the work may go on with this reply."""
    around = asking.source.around
    kept = around.folder.keep(reply.text)
    with around.database.write() as tx:
        result = _result(asking, reply, kept)
        ledger.finish(tx, asking.ticket.id, permit.number, result)
        stop = _stop(tx, asking, permit, reply, kept)
    return Reply(
        failure=stop.failure,
        detail=stop.detail,
        reply=kept,
        session=reply.session,
        context_tokens=reply.context_tokens,
        last_call_after=last_call_after(len(reply.calls), reply.seconds),
        answer_tokens=reply.calls[-1].output if reply.calls else 0,
    )


def last_call_after(calls: int, seconds: float) -> float:
    """How long after its start a turn's last request started, if all of them took as long."""
    return seconds * (calls - 1) / calls if calls else 0.0


def _stop(
    tx: sqlite3.Connection, asking: SpendRequest, permit: Permit, reply: AgentReply, kept: str
) -> SpendRefusal:
    if reply.failure is Failure.BUDGET:
        return _refuse(tx, asking, _overrun(permit, reply))
    if reply.failure is Failure.QUOTA and reply.resets_at is not None:
        data, name = {"resets_at": reply.resets_at}, f"quota.{permit.number}"
        tell(tx, asking.ticket, asking.source.job, "quota", text=reply.detail, data=data, name=name)
    if reply.failure is not None:
        return SpendRefusal(reply.failure.value, reply.detail)
    fresh = asking.sent.way is not Way.RESUME
    again = fresh and repeats.answered_so(tx, asking.attempt, asking.ticket.leg_id, kept)
    role, patience = asking.source.job.role, asking.patience
    why = fruitless(role, len(reply.text), patience, repeated=again)
    return SpendRefusal(LOOP, why) if why else SpendRefusal("", "")


def _overrun(permit: Permit, reply: AgentReply) -> Reached:
    """A turn that was ended by its own limit; which of the two the backend can't tell."""
    used, limit = reply.usage.total, permit.limit
    if used > limit.tokens or limit.nano_usd is None:
        return Reached(
            CapScope.TURN, "", CapMeasure.TOKENS, 0, max(used, limit.tokens + 1), limit.tokens
        )
    return Reached(CapScope.TURN, "", CapMeasure.MONEY, 0, limit.nano_usd + 1, limit.nano_usd)


def _result(asking: SpendRequest, reply: AgentReply, kept: str) -> ledger.AttemptResult:
    own = own_prices(asking.settings.models.prices)
    silent = reply.failure in SILENT and reply.usage == Usage()
    return ledger.AttemptResult(
        reply.session, None if silent else reply.usage, reply.origin,
        cost_nano(asking.sent.model, reply.usage, own, reply.context_tokens),
        [_call(call) for call in reply.calls], reply.context_tokens, reply.seconds,
        list(reply.files_read), kept, reply.failure.value if reply.failure else "", reply.detail,
    )  # fmt: skip


def _call(call: ModelCall) -> dict[str, int]:
    buckets = asdict(call.usage) if call.usage else {}
    return {**buckets, "added": call.added, "output": call.output}


@contextmanager
def given_up(asking: SpendRequest) -> Generator[None]:
    """A turn that is cancelled or fails here is unknown at once: a sibling may wait for it."""
    try:
        yield
    except BaseException:
        with asking.source.around.database.write() as tx:
            ledger.close(tx, asking.ticket.id)
        raise


def clear(around: Surroundings) -> None:
    """At the start, when nothing runs: turns without an end stay unknown, prices are caught up."""
    own = own_prices(load(around.sources, {}).settings.models.prices)
    with around.database.write() as tx:
        ledger.close(tx)
        ledger.price(tx, lambda model, usage, size: cost_nano(model, usage, own, size))
