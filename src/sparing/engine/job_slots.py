"""How many jobs of this process are at work at the same time.

Jobs are started at once and wait here for a seat. Nothing is recorded of it: after a crash the
jobs that were waiting are started again, and wait again.
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager

_seats: list[asyncio.Semaphore] = []


def open_slots(number: int) -> None:
    """Before the first job; all jobs run in the engine's one loop, which the seats belong to."""
    _seats[:] = [asyncio.Semaphore(number)]


@asynccontextmanager
async def job_slot() -> AsyncGenerator[None]:
    async with _seats[-1]:
        yield
