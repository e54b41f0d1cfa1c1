"""Resume is checked once for every backend and version, before it is first relied on.

The check costs a little, so it is announced, reserved under the caps and stands in the ledger. A
client that fails it gets fresh prompts only, and the reason stays on record.
"""

from __future__ import annotations

import asyncio
import tempfile
from pathlib import Path
from typing import NamedTuple
from weakref import WeakKeyDictionary

from sparing.agents.backend import Backend
from sparing.agents.resume_check import CheckSetting, ResumeCheck, check_resume
from sparing.cap import Amount
from sparing.config.settings import Settings
from sparing.dispatch.spend import SpendRequest
from sparing.economy.forecast import worst_case
from sparing.economy.prices import cost_nano, own_prices, price_of
from sparing.records import caps, ledger, resume_checks
from sparing.records.features import FeatureRow
from sparing.records.resume_checks import CheckRow
from sparing.runtime.events import tell
from sparing.runtime.sandbox import launch_in
from sparing.runtime.surroundings import Surroundings
from sparing.way import Way
from sparing.workspace.git.worktree import Worktree

ROLE = "resume-check"
MOST_TOKENS = 150_000
"""Of a check at its worst; three turns of a few thousand tokens are usual."""
NO_ROOM = "its check does not fit under a cap"

# Siblings that want to resume at the same moment wait for one check.
_turns: WeakKeyDictionary[asyncio.AbstractEventLoop, asyncio.Lock] = WeakKeyDictionary()


class ResumeCheckRequest(NamedTuple):
    backend: Backend
    settings: Settings
    at: float

    @property
    def model(self) -> str:
        return self.settings.models.of("cheap", self.settings.agent.backend.value)

    @property
    def version(self) -> str:
        return str(getattr(self.backend, "version", ""))


def deferred(around: Surroundings, backend: Backend) -> str:
    """Why this client's sessions are not resumed; empty if they are, or if nobody knows yet."""
    if backend.capabilities.proven:
        return ""
    with around.database.read() as connection:
        version = str(getattr(backend, "version", ""))
        row = resume_checks.get(connection, backend.name, version)
    return row.reason if row else ""


def deferred_of(around: Surroundings, row: FeatureRow) -> str:
    """The same of the client that works on this feature."""
    return deferred(around, around.backend(row))


async def trusted(asking: SpendRequest) -> str:
    """Check it if nobody has; the reason not to resume, or nothing."""
    around, row = asking.source.around, asking.source.row
    wanted = ResumeCheckRequest(around.backend(row), asking.settings, asking.ticket.at)
    if wanted.backend.capabilities.proven:
        return ""
    lock = _turns.setdefault(asyncio.get_running_loop(), asyncio.Lock())
    async with lock:
        return await _trusted(asking, wanted)


async def check_now(around: Surroundings, wanted: ResumeCheckRequest) -> CheckRow:
    """Ask the client, whatever is known of it, and keep what it says."""
    parent = around.folder.scratch
    parent.mkdir(mode=0o700, parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(prefix="check-", dir=parent) as name:
        folder = Path(name).resolve()
        launch = launch_in(around, Worktree(around.repository, folder, ""), writes=False)
        place = CheckSetting(
            folder, wanted.model, wanted.at, launch,
            min(300.0, wanted.settings.agent.limit_seconds),
        )  # fmt: skip
        found = await check_resume(wanted.backend, place)
    if found.certain:
        with around.database.write() as tx:
            resume_checks.put(tx, _row(wanted, found))
    return _row(wanted, found)


async def _trusted(asking: SpendRequest, wanted: ResumeCheckRequest) -> str:
    around = asking.source.around
    with around.database.read() as connection:
        known = resume_checks.get(connection, wanted.backend.name, wanted.version)
    if known is not None and known.booked:
        return known.reason
    attempt = _attempt(asking, wanted)
    number = _begin(asking, attempt)
    if number is None:
        return NO_ROOM
    if known is None:
        known = await check_now(around, wanted)
    _finish(asking, attempt, number, known)
    return known.reason


def _attempt(asking: SpendRequest, wanted: ResumeCheckRequest) -> ledger.Attempt:
    usual = asking.attempt
    return ledger.Attempt(
        f"{asking.ticket.leg_id}{ROLE}", usual.feature, usual.leg, usual.stage, ROLE, 1, "", ROLE,
        Way.COMPOSE.value, f"before sessions of {wanted.backend.name} {wanted.version} are resumed",
        usual.backend, wanted.model, usual.billing, "", 0, {}, usual.started,
    )  # fmt: skip


def _begin(asking: SpendRequest, attempt: ledger.Attempt) -> int | None:
    """Reserve what it may take; None if a cap stands in the way."""
    with asking.source.around.database.write() as tx:
        whose = caps.Whose(attempt.feature, attempt.stage, attempt.day)
        limits = caps.in_force(tx, asking.settings.caps.limits, whose)
        price = price_of(attempt.model, own_prices(asking.settings.models.prices))
        worst = worst_case(Amount(MOST_TOKENS, limits.turn.nano_usd), price)
        if caps.reached(tx, limits, whose, worst) is not None:
            return None
        number = ledger.begin(tx, attempt, worst)
        words = f"checks once whether {attempt.backend} can resume its sessions"
        tell(tx, asking.ticket, asking.source.job, ROLE, text=words, name=f"{ROLE}.{number}")
    return number


def _finish(asking: SpendRequest, attempt: ledger.Attempt, number: int, found: CheckRow) -> None:
    own = own_prices(asking.settings.models.prices)
    result = ledger.AttemptResult(
        "", found.usage, found.origin, cost_nano(found.model, found.usage, own), [], 0,
        found.seconds, [], "", "", found.reason,
    )  # fmt: skip
    words = f"sessions are not resumed: {found.reason}" if found.reason else _good(found)
    data = {"share": found.share, "reason": found.reason}
    with asking.source.around.database.write() as tx:
        ledger.finish(tx, attempt.dispatch, number, result)
        resume_checks.book(tx, found, attempt.dispatch)
        name = f"{ROLE}.{number}.done"
        tell(tx, asking.ticket, asking.source.job, ROLE, text=words, data=data, name=name)


def _good(found: CheckRow) -> str:
    share = "" if found.share is None else f", {found.share:.0%} of it read from cache"
    return f"sessions can be resumed{share}"


def _row(wanted: ResumeCheckRequest, found: ResumeCheck) -> CheckRow:
    return CheckRow(
        wanted.backend.name, wanted.version, wanted.at, wanted.model, found.reason, found.share,
        tuple((item.name, item.good, item.words) for item in found.items), found.usage,
        found.origin, found.seconds, found.chars,
    )  # fmt: skip
