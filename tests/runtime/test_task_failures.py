"""What a person reads of tasks that fail while the engine is being shut down. Covers: I5, I8."""

from __future__ import annotations

import asyncio

import pytest

from sparing.errors import StateError
from sparing.runtime.task_failures import leave_out_state_errors

tasks: list[asyncio.Task[None]] = []


async def _left_with(error: Exception) -> None:
    """End with a task that answers its cancellation with an error, as `asyncio.run` finds it."""
    leave_out_state_errors(asyncio.get_running_loop())

    async def failing() -> None:
        try:
            await asyncio.Event().wait()
        except asyncio.CancelledError:
            raise error from None

    tasks.append(asyncio.create_task(failing()))
    await asyncio.sleep(0)


def test_a_state_that_can_not_be_written_is_said_once(caplog: pytest.LogCaptureFixture) -> None:
    """The error that ended the engine says it; no task repeats it with a traceback."""
    asyncio.run(_left_with(StateError("the disk is full", "make room")))
    assert caplog.records == []


def test_a_bug_is_still_seen(caplog: pytest.LogCaptureFixture) -> None:
    asyncio.run(_left_with(ValueError("a bug")))
    (record,) = caplog.records
    assert "unhandled exception during asyncio.run() shutdown" in record.getMessage()
