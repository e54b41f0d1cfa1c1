"""How many jobs of this process work at the same time.

Jobs are started at once and wait here for a slot. Nothing about that is recorded: after a crash the
jobs that were waiting are started again, and wait again. A process that is about to end gives out
no more slots: running jobs are finished, the rest is left to the next process. A job that waits for
its backend gives its slot to others meanwhile.
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from contextvars import ContextVar


class Slots:
    def __init__(self, number: int) -> None:
        self.at_work = 0
        self.closed = False
        self._free = asyncio.Semaphore(number)

    @asynccontextmanager
    async def taken(self) -> AsyncGenerator[Slot]:
        slot = Slot(self)
        await slot.take()
        try:
            yield slot
        finally:
            slot.give_back()

    async def acquire(self) -> None:
        await self._free.acquire()
        if self.closed:
            self._free.release()
            await asyncio.Event().wait()
        self.at_work += 1

    def release(self) -> None:
        self.at_work -= 1
        self._free.release()


class Slot:
    """One job's permission to work."""

    def __init__(self, slots: Slots) -> None:
        self._slots = slots
        self._taken = False

    async def take(self) -> None:
        await self._slots.acquire()
        self._taken = True

    def give_back(self) -> None:
        if self._taken:
            self._taken = False
            self._slots.release()


_slots: list[Slots] = []
_own: ContextVar[Slot | None] = ContextVar("own", default=None)
"""The slot of the current job."""


def open_slots(number: int) -> Slots:
    """Create the slots before the first job, in the engine's one loop, where all jobs run."""
    _slots[:] = [Slots(number)]
    return _slots[-1]


@asynccontextmanager
async def job_slot() -> AsyncGenerator[None]:
    async with _slots[-1].taken() as slot:
        before = _own.set(slot)
        try:
            yield
        finally:
            _own.reset(before)


async def sleep_aside(seconds: float) -> None:
    """Sleep; meanwhile the current job's slot, if it has one, is free for others."""
    slot = _own.get()
    if slot is not None:
        slot.give_back()
    await asyncio.sleep(seconds)
    if slot is not None:
        await slot.take()
