"""`sparing doctor --resume`: ask the agent's client itself whether its sessions can be resumed.

Like `--tools`, it spends: a few short turns. It says so before it begins, and its results are kept
for this backend and version.
"""

from __future__ import annotations

import asyncio
from typing import NamedTuple

from sparing.cli.clock import now
from sparing.cli.run.live_status import LiveStatus, watched
from sparing.cli.screen import echo, style
from sparing.config.process_environment import inherited_environment
from sparing.config.settings import Sandbox
from sparing.config.sources import sources_here
from sparing.desk.office import Office
from sparing.economy.prices import cost_usd, own_prices
from sparing.percent import percent
from sparing.records.resume_checks import HOUR_ITEM, CheckRow
from sparing.workspace.sandbox.launcher import level_reached
from sparing.workspace.sandbox.policy import settle_level

TURNS, HOUR_TURNS = 3, 2
NO_PRIMER = "; the lever primer stays off"


class ResumeCheckLine(NamedTuple):
    name: str
    good: bool
    words: str


def resume_answers(office: Office) -> list[ResumeCheckLine]:
    """V1 to V6, as far as they were checked, and what checking has cost."""
    from sparing.dispatch.resume_check import ResumeCheckRequest, check_now
    from sparing.runtime.surroundings import Surroundings, make_backend

    settings = office.loaded.settings
    backend = make_backend(office.loaded, office.folder)
    if backend.capabilities.proven:
        return [
            ResumeCheckLine(
                "resume", True, f"{backend.name}: nothing to check, Sparing keeps its sessions"
            )
        ]
    optional = settings.workspace.sandbox is Sandbox.OPTIONAL
    around = Surroundings(
        office.folder, office.database, office.repository, sources_here(office.repository.checkout),
        headless=True, environ=inherited_environment(),
        level=settle_level(level_reached(), unsandboxed=optional),
    )  # fmt: skip
    wanted = ResumeCheckRequest(backend, settings, now())
    turns = TURNS + HOUR_TURNS * backend.capabilities.primes
    words = f"asking {backend.name} {wanted.version}: {turns} short turns with {wanted.model}"
    echo(style(words, dim=True), err=True)
    return _answers(
        asyncio.run(watched(check_now(around, wanted), LiveStatus(office))), settings.models.prices
    )


def _answers(found: CheckRow, prices: tuple[str, ...]) -> list[ResumeCheckLine]:
    share = "not known" if found.share is None else f"{percent(found.share)} of it read from cache"
    cost = cost_usd(found.model, found.usage, own_prices(prices))
    spent = "at an unknown price" if cost is None else f"${cost:.4f}"
    state = f"off, {found.reason}" if found.reason else "on"
    total = f"{found.usage.total} tokens, {spent} ({found.origin}), in {found.seconds:.1f} s"
    items = [ResumeCheckLine(*item) for item in found.items]
    return [
        *(item for item in items if item.name != HOUR_ITEM),
        ResumeCheckLine("V5", True, f"share of the transcript read from the cache: {share}"),
        *(_hour(item) for item in items if item.name == HOUR_ITEM),
        ResumeCheckLine(
            "resume", not found.reason, f"{state}, for {found.backend} {found.version}; {total}"
        ),
    ]


def _hour(item: ResumeCheckLine) -> ResumeCheckLine:
    """A provider that behaves differently is no fault: one lever is not used."""
    return item._replace(good=True, words=f"{item.words}{'' if item.good else NO_PRIMER}")
