"""How many jobs of this process are at work at the same time.

Jobs are started at once and wait here for a seat. Nothing is recorded of it: after a crash the
jobs that were waiting are started again, and wait again. A process that is about to end gives no
seats any more: what is at work comes to its end, the rest is for whoever goes on.
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager


class Slots:
    def __init__(self, number: int) -> None:
        self.at_work = 0
        self.closed = False
        self._seats = asyncio.Semaphore(number)

    @asynccontextmanager
    async def taken(self) -> AsyncGenerator[None]:
        async with self._seats:
            if self.closed:
                await asyncio.Event().wait()
            self.at_work += 1
            try:
                yield
            finally:
                self.at_work -= 1


_slots: list[Slots] = []


def open_slots(number: int) -> Slots:
    """Before the first job; all jobs run in the engine's one loop, which the seats belong to."""
    _slots[:] = [Slots(number)]
    return _slots[-1]


@asynccontextmanager
async def job_slot() -> AsyncGenerator[None]:
    async with _slots[-1].taken():
        yield
