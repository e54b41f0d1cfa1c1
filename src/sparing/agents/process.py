"""Running a client as a process that can always be ended.

Each turn is a process group of its own that inherits the worktree's lock: whoever finds the
lock held after a crash knows whom to end. A line that is too long ends the process, a line that
is no JSON object is left out, leaving without a result is an outcome: none is an exception.
"""

from __future__ import annotations

import asyncio
import json
import os
import signal
from collections.abc import AsyncIterator, Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any, cast

LINE_LIMIT = 64 * 1024 * 1024
STDERR_LIMIT = 4_000


@dataclass(frozen=True, slots=True)
class Command:
    argv: Sequence[str]
    cwd: Path
    environment: dict[str, str]
    stdin: bytes
    lock: int | None = None
    line_limit: int = LINE_LIMIT


class Client:
    """One running process; use as `async with Client(command) as client`."""

    def __init__(self, command: Command) -> None:
        self._command = command
        self._process: asyncio.subprocess.Process | None = None
        self._excess = ""

    async def __aenter__(self) -> Client:
        command = self._command
        if command.lock is not None:
            # Killed before the new id stands there, nobody must be taken for an earlier one.
            os.ftruncate(command.lock, 0)
        self._process = await asyncio.create_subprocess_exec(
            *command.argv,
            cwd=command.cwd,
            env=command.environment,
            stdin=asyncio.subprocess.PIPE,
            stdout=asyncio.subprocess.PIPE,
            stderr=asyncio.subprocess.PIPE,
            start_new_session=True,
            pass_fds=() if command.lock is None else (command.lock,),
            limit=command.line_limit,
        )
        if command.lock is not None:
            os.pwrite(command.lock, str(self._process.pid).encode(), 0)
        return self

    async def __aexit__(self, *_: object) -> None:
        """Whatever happened, nothing of the group is left."""
        self._end_group()
        await self._require().wait()

    async def messages(self) -> AsyncIterator[dict[str, Any]]:
        """What the client reports: one JSON object a line."""
        process = self._require()
        assert process.stdin is not None
        assert process.stdout is not None
        with suppress(BrokenPipeError, ConnectionResetError):
            process.stdin.write(self._command.stdin)
            await process.stdin.drain()
        process.stdin.close()
        try:
            async for line in process.stdout:
                message = _message(line)
                if message is not None:
                    yield message
        except ValueError:  # asyncio's word for a line beyond the limit
            self._excess = f"a line of more than {self._command.line_limit} bytes"
            self._end_group()

    async def ended(self) -> tuple[int, str]:
        """Exit code and the end of stderr."""
        process = self._require()
        assert process.stderr is not None
        complaint = await process.stderr.read()
        code = await process.wait()
        words = self._excess or complaint.decode("utf-8", "replace").strip()
        return code, words[-STDERR_LIMIT:]

    def _end_group(self) -> None:
        with suppress(ProcessLookupError):
            os.killpg(self._require().pid, signal.SIGKILL)

    def _require(self) -> asyncio.subprocess.Process:
        assert self._process is not None, "used outside of `async with`"
        return self._process


def _message(line: bytes) -> dict[str, Any] | None:
    """None for a stray print, or for the half line of a client that was killed."""
    try:
        found = json.loads(line)
    except (ValueError, RecursionError):
        return None
    return cast("dict[str, Any]", found) if isinstance(found, dict) else None
