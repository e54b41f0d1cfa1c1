"""Resume is checked once for every client version and machine, before it is first relied on.

The check costs a little, so it is announced, reserved under the caps and stands in the ledger, but
in no feature's bill. A client that fails it gets fresh prompts only, and the reason is kept.
"""

from __future__ import annotations

import asyncio
import tempfile
from dataclasses import dataclass, replace
from pathlib import Path
from typing import NamedTuple
from weakref import WeakKeyDictionary

from sparing.agents.backend import Backend, Run
from sparing.agents.checks.hour_check import with_hour
from sparing.agents.checks.resume_check import CheckSetting, ResumeCheck, check_resume
from sparing.codec import JsonObject
from sparing.config.settings import Settings
from sparing.connection import Connection
from sparing.dispatch_policy import Way
from sparing.economy.prices import cost_nano, own_prices
from sparing.money import Amount, CapLimits
from sparing.payment.paid_call import Permit, Purchase, SpendRefusal, pay, run_on
from sparing.payment.spend import SpendRequest
from sparing.percent import percent
from sparing.records import resume_checks
from sparing.records.ledger import Attempt, AttemptResult
from sparing.records.resume_checks import CheckRow
from sparing.records.totals import RESUME_CHECK
from sparing.runtime.events import tell
from sparing.runtime.sandbox import launch_in
from sparing.runtime.surroundings import Surroundings
from sparing.sent import NaivePrompt, SentRecord
from sparing.workspace.git.worktree import Worktree

ROLE = RESUME_CHECK
MOST_TOKENS = 150_000
"""The most a check may use; three turns of a few thousand tokens are usual."""
NO_ROOM = "checking it would exceed a cap"

# Siblings that want to resume at the same moment wait for one check.
_turns: WeakKeyDictionary[asyncio.AbstractEventLoop, asyncio.Lock] = WeakKeyDictionary()


class ResumeCheckRequest(NamedTuple):
    backend: Backend
    settings: Settings
    at: float

    @property
    def model(self) -> str:
        return self.settings.models.of("cheap", self.backend.name)

    @property
    def version(self) -> str:
        return str(getattr(self.backend, "version", ""))


async def trusted(asking: SpendRequest) -> str:
    """Check it if that was not done yet; returns the reason not to resume, or ""."""
    wanted = ResumeCheckRequest(asking.source.backend, asking.settings, asking.ticket.at)
    if wanted.backend.capabilities.proven:
        return ""
    lock = _turns.setdefault(asyncio.get_running_loop(), asyncio.Lock())
    async with lock:
        return await _trusted(asking, wanted)


async def check_now(
    around: Surroundings, wanted: ResumeCheckRequest, run: Run | None = None
) -> CheckRow:
    """Ask the client, whatever is known of it, and keep what it says.

    Outside of any feature, without `run`: the ledger has it once a feature relies on it.
    """
    parent = around.folder.scratch
    parent.mkdir(mode=0o700, parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(prefix="check-", dir=parent) as name:
        folder = Path(name).resolve()
        launch = launch_in(around, Worktree(around.repository, folder, ""), writes=False)
        place = CheckSetting(
            folder=folder,
            model=wanted.model,
            at=wanted.at,
            launch=launch,
            limit_seconds=min(300.0, wanted.settings.agent.limit_seconds),
        )
        send = run or run_on(wanted.backend)
        found = await check_resume(wanted.backend.name, send, place)
        if found.certain and wanted.backend.capabilities.primes:
            found = await with_hour(found, send, place)
    if found.certain:
        with around.database.write() as tx:
            resume_checks.put(tx, _row(wanted, found))
        resume_checks.share(around.folder, _row(wanted, found))
    return _row(wanted, found)


async def _trusted(asking: SpendRequest, wanted: ResumeCheckRequest) -> str:
    around, name, version = asking.around, wanted.backend.name, wanted.version
    with around.database.read() as connection:
        known = resume_checks.get(connection, name, version)
    if known is None:
        with around.database.write() as tx:
            known = resume_checks.adopt(tx, around.folder, name, version)
    if known is not None and known.booked:
        return known.reason

    async def send(_permit: Permit, run: Run) -> CheckRow:
        return known or await check_now(asking.around, wanted, run)

    found = await pay(_Check(asking.source, asking, wanted), send)
    return NO_ROOM if isinstance(found, SpendRefusal) else found


@dataclass(frozen=True, slots=True)
class _Check(Purchase[CheckRow, str]):
    """The check as a purchase: one row for its three turns."""

    asking: SpendRequest
    wanted: ResumeCheckRequest

    @property
    def backend(self) -> Backend:
        return self.wanted.backend

    @property
    def attempt(self) -> Attempt:
        wanted = self.wanted
        return replace(
            self.asking.attempt,
            dispatch=f"{self.asking.ticket.leg_id}{ROLE}",
            role=ROLE,
            iteration=1,
            task="",
            template=ROLE,
            way=Way.COMPOSE.value,
            reason=f"before sessions of {wanted.backend.name} {wanted.version} are resumed",
            model=wanted.model,
            prompt="",
            prompt_chars=0,
            naive=NaivePrompt(),
            trunk="",
            sent=SentRecord(),
        )

    def worst(self, limits: CapLimits) -> Amount:
        return self.priced(Amount(MOST_TOKENS, limits.turn.nano_usd))

    def begun(self, tx: Connection, number: int) -> None:
        words = f"checks once that {self.attempt.backend} can resume its sessions"
        self._tell(tx, f"{ROLE}.{number}", words, {})

    def bill(self, answer: CheckRow) -> AttemptResult:
        own = own_prices(self.settings.models.prices)
        return AttemptResult(
            session="",
            usage=answer.usage,
            origin=answer.origin,
            nano_usd=cost_nano(answer.model, answer.usage, own),
            calls=[],
            context_tokens=0,
            seconds=answer.seconds,
            files_read=[],
            reply="",
            detail=answer.reason,
        )

    def settled(self, tx: Connection, permit: Permit, answer: CheckRow, bill: AttemptResult) -> str:
        """Record the result; returns the reason not to resume, or ""."""
        resume_checks.book(tx, answer, self.attempt.dispatch)
        words = f"sessions are not resumed: {answer.reason}" if answer.reason else _good(answer)
        data = {"share": answer.share, "reason": answer.reason}
        self._tell(tx, f"{ROLE}.{permit.number}.done", words, data)
        return bill.detail

    def _tell(self, tx: Connection, name: str, words: str, data: JsonObject) -> None:
        job = self.asking.source.job
        tell(tx, self.asking.ticket, job, ROLE, text=words, data=data, name=name)


def _good(found: CheckRow) -> str:
    share = "" if found.share is None else f", {percent(found.share)} of it read from cache"
    return f"sessions can be resumed{share}"


def _row(wanted: ResumeCheckRequest, found: ResumeCheck) -> CheckRow:
    return CheckRow(
        backend=wanted.backend.name,
        version=wanted.version,
        at=wanted.at,
        model=wanted.model,
        reason=found.reason,
        share=found.share,
        items=tuple((item.name, item.good, item.words) for item in found.items),
        usage=found.usage,
        origin=found.origin,
        seconds=found.seconds,
        chars=found.chars,
    )
