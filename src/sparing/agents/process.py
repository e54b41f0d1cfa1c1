"""Running a client as a process that can always be ended.

Each turn is a process group of its own that inherits the worktree's lock: whoever finds the
lock held after a crash knows whom to end. Lines longer than the limit, silence beyond the time
limit and leaving without a result are outcomes, not exceptions.
"""

from __future__ import annotations

import asyncio
import os
import signal
from collections.abc import AsyncIterator, Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

LINE_LIMIT = 64 * 1024 * 1024
STDERR_LIMIT = 4_000


@dataclass(frozen=True, slots=True)
class Command:
    argv: Sequence[str]
    cwd: Path
    environment: dict[str, str]
    stdin: bytes
    lock: int | None = None


class Client:
    """One running process; use as `async with Client(command) as client`."""

    def __init__(self, command: Command) -> None:
        self._command = command
        self._process: asyncio.subprocess.Process | None = None

    async def __aenter__(self) -> Client:
        command = self._command
        self._process = await asyncio.create_subprocess_exec(
            *command.argv,
            cwd=command.cwd,
            env=command.environment,
            stdin=asyncio.subprocess.PIPE,
            stdout=asyncio.subprocess.PIPE,
            stderr=asyncio.subprocess.PIPE,
            start_new_session=True,
            pass_fds=() if command.lock is None else (command.lock,),
            limit=LINE_LIMIT,
        )
        if command.lock is not None:
            os.ftruncate(command.lock, 0)
            os.pwrite(command.lock, str(self._process.pid).encode(), 0)
        return self

    async def __aexit__(self, *_: object) -> None:
        """Whatever happened, nothing of the group is left."""
        process = self._require()
        with suppress(ProcessLookupError):
            os.killpg(process.pid, signal.SIGKILL)
        await process.wait()

    async def lines(self) -> AsyncIterator[bytes]:
        process = self._require()
        assert process.stdin is not None
        assert process.stdout is not None
        with suppress(BrokenPipeError, ConnectionResetError):
            process.stdin.write(self._command.stdin)
            await process.stdin.drain()
        process.stdin.close()
        async for line in process.stdout:
            yield line

    async def ended(self) -> tuple[int, str]:
        """Exit code and the end of stderr."""
        process = self._require()
        assert process.stderr is not None
        complaint = await process.stderr.read()
        code = await process.wait()
        return code, complaint.decode("utf-8", "replace").strip()[-STDERR_LIMIT:]

    def _require(self) -> asyncio.subprocess.Process:
        assert self._process is not None, "used outside of `async with`"
        return self._process
