"""What the pages are made from: the repositories of this machine, and a clock.

An office is opened for each request, so that current settings and trust apply. Changes in a
repository are polled once for all clients watching it.
"""

from __future__ import annotations

import asyncio
import threading
from collections.abc import AsyncGenerator, Callable, Hashable
from contextlib import asynccontextmanager, suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, TypeVar

from starlette.concurrency import run_in_threadpool

from sparing.desk.features.repositories import KnownRepository, known_repositories
from sparing.desk.office import Office, open_office
from sparing.errors import NotFound
from sparing.report.figures import Report

LOOK_SECONDS = 0.2
KNOWN_SECONDS = 0.5
MOST_KEPT = 64
MOST_SHARED = 8
"""Most shared results kept: readers who keep up share the latest, slower ones the others."""
T = TypeVar("T")


@dataclass
class Site:
    start: Path
    """The folder in which the server was started."""
    now: Callable[[], float]
    engine: bool = False
    """Whether this server runs the engine of its repository."""
    charts: dict[str, str] = field(default_factory=dict[str, str])
    """Drawings by a digest of their content; the oldest is dropped."""
    reports: dict[str, Report] = field(default_factory=dict[str, Report])
    """Reports likewise: to make one takes most of a second."""
    _watchers: dict[str, Watcher] = field(default_factory=dict[str, "Watcher"])
    _known: tuple[tuple[KnownRepository, ...], float] = ((), 0.0)
    """The repositories, and when they were listed."""
    _lock: threading.RLock = field(default_factory=threading.RLock)

    def here(self) -> Office:
        return open_office(self.start, reading=True)

    def repositories(self) -> tuple[KnownRepository, ...]:
        """The server's own repository first. Cached briefly, as one page asks several times."""
        kept, since = self._known
        now = self.now()
        if not 0 <= now - since < KNOWN_SECONDS:
            kept = self._repositories()
            self._known = kept, now
        return kept

    def _repositories(self) -> tuple[KnownRepository, ...]:
        here = self.here()
        own = KnownRepository(here.repository.key, str(here.repository.checkout))
        others = known_repositories(here.loaded.state_root)
        return (own, *(one for one in others if one.key != own.key))

    def repository(self, key: str) -> KnownRepository:
        found = next((one for one in self.repositories() if one.key == key), None)
        if found is None:
            raise NotFound("there is no such repository here", "see them all: open /")
        return found

    def office(self, key: str, *, reading: bool = True) -> Office:
        """With `reading`, git is not called: enough for our own records."""
        return open_office(Path(self.repository(key).checkout), reading=reading)

    def office_of_events(self, key: str) -> Office:
        """For reading only events: the watched office, if there is one."""
        watcher = self._watchers.get(key)
        return self.office(key) if watcher is None else watcher.office

    def chart(self, name: str, draw: Callable[[], str]) -> str:
        return self._kept(self.charts, name, draw)

    def report(self, name: str, make: Callable[[], Report]) -> Report:
        return self._kept(self.reports, name, make)

    def _kept(self, kept: dict[str, T], name: str, make: Callable[[], T]) -> T:
        """The stored value, made once even if several requests need it at the same time."""
        with self._lock:
            if name not in kept:
                kept[name] = make()
                for old in list(kept)[:-MOST_KEPT]:
                    del kept[old]
            return kept[name]

    @asynccontextmanager
    async def watch(self, office: Office) -> AsyncGenerator[Watcher]:
        """Poll the database once for all clients that wait for news of a repository."""
        key = office.repository.key
        watcher = self._watchers.get(key)
        if watcher is None:
            watcher = self._watchers[key] = Watcher(office)
        watcher.clients += 1
        watcher.begin()
        try:
            yield watcher
        finally:
            watcher.clients -= 1
            if not watcher.clients:
                self._watchers.pop(key, None)
                watcher.end()


class Watcher:
    """Wakes waiting clients whenever something has been written."""

    def __init__(self, office: Office) -> None:
        self.clients = 0
        self.turn = 0
        """Number of changes so far."""
        self.office = office
        """Its connections stay open while there are clients."""
        self._shared: dict[Hashable, asyncio.Future[Any]] = {}
        self._news = asyncio.Event()
        self._task: asyncio.Task[None] | None = None

    def begin(self) -> None:
        if self._task is None:
            self._task = asyncio.create_task(self._look())

    def end(self) -> None:
        if self._task is not None:
            self._task.cancel()

    async def wait(self, seen: int, limit_seconds: float) -> int:
        """Wait until the count differs from `seen`, or until the limit; returns the count."""
        if self.turn == seen:
            news = self._news
            with suppress(TimeoutError):
                await asyncio.wait_for(news.wait(), limit_seconds)
        return self.turn

    async def share(self, name: Hashable, make: Callable[[], T]) -> T:
        """The result of `make`, made once for all who ask for it between two changes."""
        found = self._shared.get(name)
        if found is None:
            found = self._shared[name] = asyncio.ensure_future(run_in_threadpool(make))
            for old in list(self._shared)[:-MOST_SHARED]:
                del self._shared[old]
        return await asyncio.shield(found)

    async def _look(self) -> None:
        with self.office.database.watch() as changed:
            while True:
                if changed():
                    self.turn += 1
                    self._shared.clear()
                    news, self._news = self._news, asyncio.Event()
                    news.set()
                await asyncio.sleep(LOOK_SECONDS)
