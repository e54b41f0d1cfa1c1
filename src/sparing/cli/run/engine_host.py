"""Running any feature that a person starts or answers, anywhere: for the page, and as a worker.

A worker asked to stop starts nothing new, lets the current turns finish and then exits; a second
request, or Ctrl-C, ends it at once.
"""

from __future__ import annotations

import asyncio
import signal
from collections.abc import Callable, Generator
from contextlib import contextmanager
from typing import TYPE_CHECKING

from sparing.cli.clock import now
from sparing.cli.garbage import rare_collection
from sparing.cli.run.engine_ownership import EngineSeat, engine_seat
from sparing.cli.run.failed_legs import failure_words, raise_failures
from sparing.cli.run.live_status import LiveStatus
from sparing.cli.run.notify import tell_spending
from sparing.cli.run.progress import Progress
from sparing.cli.run.pull_requests import PullWatch
from sparing.cli.run.run_loop import FAILURE_LOOK_SECONDS, LookTimer, interruptible, surroundings_of
from sparing.cli.screen import echo, style
from sparing.config.settings import Sandbox
from sparing.desk.features import view
from sparing.desk.money.spend_alarm import SpendAlarm
from sparing.desk.office import Office
from sparing.desk.setup.roles import check_roles
from sparing.workspace.git.object_reader import kept_open
from sparing.workspace.sandbox.launcher import level_reached
from sparing.workspace.sandbox.policy import settle_level

if TYPE_CHECKING:  # loaded when the engine starts
    from sparing.cli.run.engine_ownership import Engine
    from sparing.records.features import FeatureRow
    from sparing.runtime.surroundings import Surroundings

GO_ON = "sparing worker"
SERVER_POLL_SECONDS, IDLE_POLL_SECONDS = 0.25, 0.5
"""Seconds between queries for news on a server: while features run, and otherwise."""


def host_engine(office: Office, lives: Callable[[], bool], go_on: str = GO_ON) -> None:
    """Run the engine as long as `lives` returns True."""
    for warning in check_roles(office):
        echo(style(f"note: {warning}", dim=True), err=True)
    reach = level_reached()
    settle_level(reach, unsandboxed=office.loaded.settings.workspace.sandbox is Sandbox.OPTIONAL)
    seated = engine_seat(office, reach, go_on, takes_any=True)
    with seated as seat, kept_open(), rare_collection():
        asyncio.run(_host(office, seat, lives))


async def _host(office: Office, seat: EngineSeat, lives: Callable[[], bool]) -> None:
    settings = office.loaded.settings
    shared = office.folder.server is not None
    around = surroundings_of(office, seat, headless=False)
    own = seat.seat()
    with office.database.watch() as changed, interruptible(), _drained() as draining:
        async with seat.engine(around, own) as engine:
            host, looks = _Host(office, around, engine, seat, own.executor), LookTimer()
            while not draining.is_set():
                if looks.due() and changed():
                    await host.changed()
                if not lives():
                    if not changed():
                        break
                    await host.changed()  # a feature that came to a gate may pass it by itself
                await host.look()
                least = SERVER_POLL_SECONDS if host.is_busy else IDLE_POLL_SECONDS
                await asyncio.sleep(max(settings.engine.poll_seconds, least if shared else 0))
            if draining.is_set():
                echo("draining: finishing the turns in progress", err=True)
                await engine.drain()


class _Host:
    """The steps of the engine's main loop."""

    def __init__(
        self, office: Office, around: Surroundings, engine: Engine, seat: EngineSeat, own: str
    ) -> None:
        self._office, self._around, self._engine, self._seat = office, around, engine, seat
        self._executor = own
        self._progress, self._status = Progress(office, [], quiet=False), LiveStatus(office)
        self._alarm, self._pulls = SpendAlarm(office), PullWatch(office)
        self._told, self._looked = set[str](), now()
        self._resets: float | None = None
        """When the next feature that waits for a quota can continue."""
        self._rows: list[FeatureRow] = []
        """Open features as of the last change; the server is queried again only after one."""

    @property
    def is_busy(self) -> bool:
        return any(row.running for row in self._rows)

    async def changed(self) -> None:
        from sparing.approval.auto_approval import pass_waiting
        from sparing.approval.quota_reset import reset_of
        from sparing.runtime.sandbox import record_sandbox

        found = view.overview(self._office, self._executor)
        self._rows = [row for row in found.rows if not row.status.is_over]
        for row in self._rows:
            if row.executor == self._executor and row.feature.key not in self._told:
                self._told.add(row.feature.key)
                record_sandbox(self._around, row, now(), self._seat.reach.words)
            pass_waiting(self._around, row, now())
        resets = (reset_of(self._around, row) for row in self._rows)
        self._resets = min((one for one in resets if one is not None), default=None)
        await self._engine.tick(found.due)
        self._progress.show(found.event)

    async def look(self) -> None:
        """Called every second."""
        self._pulls.turn(hold=False)
        if self.is_busy:
            self._status.show()
        if now() - self._looked <= FAILURE_LOOK_SECONDS:
            return
        self._looked = now()
        await asyncio.to_thread(self._seat.look)
        await self._engine.look()
        if self._resets is not None and now() >= self._resets:
            await self.changed()
        mine = [row for row in self._rows if row.executor == self._executor and row.running]
        if not mine:
            return
        tell_spending(self._office, mine, self._alarm)
        failed = await self._engine.failed()
        if self._office.folder.server is None:
            raise_failures(mine, failed)
        _tell_failures(failure_words(mine, failed), self._told)


def _tell_failures(failures: dict[str, str], told: set[str]) -> None:
    """Print each failure once; other features continue, and the next run tries it again."""
    for leg, words in failures.items():
        if leg not in told:
            told.add(leg)
            echo(words, err=True)


@contextmanager
def _drained() -> Generator[asyncio.Event]:
    """Set by the first SIGTERM; the second one ends the process as ever."""
    asked, loop = asyncio.Event(), asyncio.get_running_loop()

    def ask() -> None:
        asked.set()
        loop.remove_signal_handler(signal.SIGTERM)

    loop.add_signal_handler(signal.SIGTERM, ask)
    try:
        yield asked
    finally:
        loop.remove_signal_handler(signal.SIGTERM)
