"""The outcome of a program's step: a result, or an error with its repair."""

from __future__ import annotations

import asyncio
from collections.abc import Callable

from sparing.errors import SparingError
from sparing.job import JobResult


async def outcome(work: Callable[[], JobResult]) -> JobResult:
    """Never raises what a person can repair: the feature waits, nothing is lost."""
    try:
        return await asyncio.to_thread(work)
    except SparingError as error:
        return JobResult(failure=error.what, detail=error.repair)
