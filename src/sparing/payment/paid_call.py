"""One paid call: reserved before, sent, settled after; reserving and settling are transactions.

Every call to a model comes here: turns of a feature, calls that keep a session warm, the check
whether sessions can be resumed, reviewers on trial. A call is only sent if the most it can cost
fits under every cap. The reservation stands until the bill is known; for a call whose end was not
seen, see `killed_turns`.
"""

from __future__ import annotations

import asyncio
from abc import ABC, abstractmethod
from collections.abc import Awaitable, Callable, Generator
from contextlib import contextmanager, suppress
from dataclasses import asdict, dataclass, replace
from typing import Generic, NamedTuple, TypeVar

from sparing.agents.backend import AgentCall, AgentEvent, AgentReply, Backend, ModelCall, Run
from sparing.clients.session_travel import SessionTravel
from sparing.config.load import load
from sparing.config.settings import Settings
from sparing.connection import Connection
from sparing.economy.cost_model import worst_case
from sparing.economy.prices import cost_nano, own_prices, price_of
from sparing.errors import StateError
from sparing.failure import Failure
from sparing.fleet.slots import sleep_aside
from sparing.money import Amount, Billing, CapLimits, Reached
from sparing.payment.killed_turns import settle_killed, shared_limits
from sparing.records import caps, ledger, repeats
from sparing.records.caps import Caps, Whose
from sparing.records.folder import StateFolder
from sparing.records.ledger import Attempt, AttemptResult
from sparing.records.repeats import SoFar
from sparing.records.shared_spending import Busy
from sparing.runtime.source import Source
from sparing.runtime.surroundings import Surroundings
from sparing.sandbox_path import told
from sparing.usage import Usage
from sparing.wait import waiting

SIBLING_SECONDS, BUSY_SECONDS = 0.2, 1.0
RESERVED = "call:reserved"
ANSWERED = "call:answered"
"""Crash points: a reservation without a turn, a turn without its bill."""
SILENT = frozenset({Failure.CRASHED, Failure.TIMED_OUT})
"""After these failures, a client without any usage has not reported it; it was not zero."""
Passing = Callable[[str], None]
"""Called at each crash point."""
S = TypeVar("S")
T = TypeVar("T")
Send = Callable[["Permit", Run], Awaitable[S]]
"""Sends a permitted call, using the `run` it is given."""


class Permit(NamedTuple):
    """The call may be sent, and may take what was reserved for it."""

    number: int
    limit: Amount
    so_far: SoFar


class SpendRefusal(NamedTuple):
    """The call may not be sent, or nothing may follow it."""

    failure: str
    detail: str


@dataclass(frozen=True, slots=True)
class Paid(Generic[T]):
    """It was sent and paid for before; this is what came of it."""

    result: T


TOO_EARLY = SpendRefusal("", "a sibling holds more than it may need in the end")


@dataclass(frozen=True, slots=True)
class Purchase(ABC, Generic[S, T]):
    """What differs between calls: who asks, how much it may take, and what is done with it."""

    source: Source

    @property
    @abstractmethod
    def attempt(self) -> Attempt:
        """Its row; the worst case and the bill are priced by its model."""

    @property
    def around(self) -> Surroundings:
        return self.source.around

    @property
    def backend(self) -> Backend:
        return self.source.backend

    @property
    def settings(self) -> Settings:
        return self.around.settings(self.source.row)

    def worst(self, limits: CapLimits) -> Amount:
        """All that a turn may take."""
        if self.settings.agent.billing is Billing.SUBSCRIPTION:
            return Amount(limits.turn.tokens, None)
        return self.priced(limits.turn)

    def priced(self, most: Amount) -> Amount:
        price = price_of(self.attempt.model, own_prices(self.settings.models.prices))
        return worst_case(most, price)

    def already(self, tx: Connection) -> T | None:
        """The result of a try that was paid for, if it is not to be sent again."""

    def objection(
        self, tx: Connection, held: Caps, worst: Amount, so_far: SoFar
    ) -> SpendRefusal | None:
        """Why it may not be sent; `so_far` is what the ledger says of tries before."""
        reached = held.reached(worst)
        return self.refusal(tx, reached) if reached else None

    def refusal(self, tx: Connection, reached: Reached) -> SpendRefusal:
        return SpendRefusal(Failure.BUDGET.value, reached.words)

    def begun(self, tx: Connection, number: int) -> None:
        """Record more along with the reservation; nothing by default."""

    @abstractmethod
    def bill(self, answer: S) -> AttemptResult: ...

    @abstractmethod
    def settled(self, tx: Connection, permit: Permit, answer: S, bill: AttemptResult) -> T:
        """The result for the caller; recorded with the bill."""


def ignored(_point: str) -> None:
    """Ignore crash points."""


async def pay(
    purchase: Purchase[S, T], send: Send[S], passing: Passing = ignored
) -> T | SpendRefusal:
    """Reserve, send and settle one call."""
    while not isinstance(permit := reserve(purchase), Permit | SpendRefusal | Paid):
        if permit is None:
            await asyncio.sleep(SIBLING_SECONDS)
            continue
        with waiting(f"waiting for {permit.words}", permit.seconds):
            await sleep_aside(min(permit.seconds, BUSY_SECONDS))
    if not isinstance(permit, Permit):
        return permit.result if isinstance(permit, Paid) else permit
    passing(RESERVED)
    with given_up(purchase, permit.number):
        answer = await send(permit, run_on(purchase.backend, purchase.around.folder))
    passing(ANSWERED)
    return settle(purchase, permit, answer)


def run_on(backend: Backend, folder: StateFolder | None = None) -> Run:
    """The only function that calls a backend. Without `pay`, the caller records the bill later.

    Paths that exist only in the client's sandbox are translated here. With the folder of the
    records, sessions come from there and go there.
    """
    travel = SessionTravel(folder, backend, folder.server is not None) if folder else None

    async def run(call: AgentCall, listener: Callable[[AgentEvent], None]) -> AgentReply:
        def listen(event: AgentEvent) -> None:
            listener(event._replace(text=told(event.text)))

        if travel is not None and call.resume:
            await asyncio.to_thread(travel.lay_down, call.resume)
        reply = await backend.run(call, listen)
        if travel is not None and travel.shared and not (call.ping or reply.failure):
            await asyncio.to_thread(travel.keep, reply.session, call.model, call.at)
        return _translated(reply)

    return run


def _translated(reply: AgentReply) -> AgentReply:
    return replace(
        reply,
        text=told(reply.text),
        detail=told(reply.detail),
        files_read=tuple(map(told, reply.files_read)),
        files_written=tuple(map(told, reply.files_written)),
    )


Reserved = Permit | SpendRefusal | Busy | Paid[T] | None


def reserve(purchase: Purchase[S, T]) -> Reserved[T]:
    """None if it is too early to say: a sibling holds more than it may need in the end."""
    attempt, before = purchase.attempt, list[int]()

    def reserved(tx: Connection) -> Reserved[T]:
        held = caps.current(tx, purchase.settings.caps.limits, whose(attempt))
        worst, so_far = purchase.worst(held.limits), repeats.so_far(tx, attempt)
        begun = so_far.begun
        if before and begun > before[0]:
            return Permit(begun, worst, so_far)  # its commit was made, and nobody heard of it
        before[:] = [begun]
        if begun and (paid := purchase.already(tx)) is not None:
            return Paid(paid)
        objection = purchase.objection(tx, held, worst, so_far)
        if objection is None:
            found = shared_limits(purchase.around, purchase.settings).hold(
                attempt, begun + 1, held.limits, worst
            )
            if isinstance(found, Busy):
                return found
            objection = purchase.refusal(tx, found) if found else None
        if objection is not None:
            return None if objection is TOO_EARLY else objection
        number = ledger.begin(tx, attempt, worst, begun)
        purchase.begun(tx, number)
        purchase.around.last_tries[attempt.dispatch] = attempt.started
        return Permit(number, worst, so_far)

    return purchase.around.database.transact(reserved)


def settle(purchase: Purchase[S, T], permit: Permit, answer: S) -> T:
    """Record the bill, which replaces the reservation."""
    bill, dispatch = purchase.bill(answer), purchase.attempt.dispatch

    def settled(tx: Connection) -> T:
        ledger.finish(tx, dispatch, permit.number, bill)
        return purchase.settled(tx, permit, answer, bill)

    done = purchase.around.database.transact(settled)
    shared_limits(purchase.around, purchase.settings).settle(dispatch, permit.number)
    return done


@contextmanager
def given_up(purchase: Purchase[S, T], number: int) -> Generator[None]:
    """A call that is cancelled or fails here is settled at once: a sibling may wait for it.

    Where nothing can be recorded any more, whoever continues the feature settles it; why the call
    ended stays what it was.
    """
    try:
        yield
    except BaseException:
        with suppress(StateError):
            settle_killed(purchase.around, purchase.attempt.dispatch)
            limits = shared_limits(purchase.around, purchase.settings)
            limits.settle(purchase.attempt.dispatch, number)
        raise


def whose(attempt: Attempt) -> Whose:
    return Whose(attempt.feature, attempt.stage, attempt.day)


def bill_of(settings: Settings, model: str, reply: AgentReply, kept: str = "") -> AttemptResult:
    """`kept` is the hash of the reply's text."""
    own = own_prices(settings.models.prices)
    silent = reply.failure in SILENT and reply.usage == Usage()
    return AttemptResult(
        session=reply.session,
        usage=None if silent else reply.usage,
        origin=reply.origin,
        nano_usd=cost_nano(model, reply.usage, own, reply.context_tokens, reply.searches),
        calls=[_call(call) for call in reply.calls],
        context_tokens=reply.context_tokens,
        seconds=reply.seconds,
        files_read=list(reply.files_read),
        opened=reply.opened,
        reply=kept,
        failure=reply.failure.value if reply.failure else "",
        detail=reply.detail,
    )


def _call(call: ModelCall) -> dict[str, int]:
    buckets = asdict(call.usage) if call.usage else {}
    asked = {"asked": call.asked} if call.asked else {}
    return {**buckets, "added": call.added, "output": call.output, **asked}


def clear(around: Surroundings) -> None:
    """At the start: price turns that had none, and settle turns without an end. On a server
    others may be working: the worker that takes a feature over settles its turns."""
    settings = load(around.sources, {}).settings
    own = own_prices(settings.models.prices)
    if around.folder.server is None:
        settle_killed(around)
        shared_limits(around, settings).correct()
    with around.database.write() as tx:
        ledger.price(tx, lambda model, usage, size: cost_nano(model, usage, own, size))
