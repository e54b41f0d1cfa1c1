"""Running a client as a process that can always be ended.

Each turn is a process group of its own that inherits the worktree's lock (`worktree_lock.py`): a
process that finds it held after a crash knows which group to end. In a sandbox the group is a
supervisor that ends all the rest when its lifeline closes. A line that is too long ends the
process, a line that is not a JSON object is ignored, exiting without a result is an outcome: none
is an exception.
"""

from __future__ import annotations

import asyncio
import json
import os
import signal
from asyncio.subprocess import PIPE, Process, SubprocessStreamProtocol
from collections.abc import AsyncIterator, Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import NamedTuple, cast

from sparing.agents.backend import AgentCall, Launched, Needs
from sparing.codec import JsonObject

LINE_LIMIT = 64 * 1024 * 1024
STDERR_LIMIT = 4_000
END_SECONDS = 2.0
"""Seconds that a supervisor may take to end everything before its group is killed."""


class TurnStart(NamedTuple):
    """What a turn's client starts with besides its command line."""

    home: Path
    """Its HOME where there is no sandbox."""
    opening: bytes
    """The first message it is sent."""
    lock: tuple[int, ...]
    """The lock of its session, which it inherits."""


def bare(home: Path) -> dict[str, str]:
    """The environment where there is no sandbox: even then without our variables."""
    return {"PATH": os.defpath, "LANG": "C.UTF-8", "HOME": str(home)}


@dataclass(frozen=True, slots=True)
class Command:
    argv: Sequence[str]
    cwd: Path
    environment: dict[str, str]
    stdin: bytes
    lock: int | None = None
    line_limit: int = LINE_LIMIT
    passed: tuple[int, ...] = ()
    """More descriptors that it inherits."""
    stays_open: bool = False
    """True if its input stays open for `say` until `hush`."""
    launched: Launched | None = None
    """The sandbox it runs in; None only in tests without a workspace."""

    @classmethod
    def behind(
        cls, launched: Launched, cwd: Path, stdin: bytes, lock: int | None = None
    ) -> Command:
        return cls(launched.argv, cwd, launched.env, stdin, lock, launched=launched)

    @classmethod
    def of_turn(
        cls, call: AgentCall, line: Sequence[str], wanted: Needs, start: TurnStart
    ) -> Command:
        """The client of a turn, in its sandbox; without one it still gets none of our variables."""
        launched = call.launch(line, wanted) if call.launch else None
        return cls(
            argv=launched.argv if launched else line,
            cwd=call.cwd,
            environment=launched.env if launched else {**bare(start.home), **wanted.environment},
            stdin=start.opening,
            lock=call.lock,
            passed=start.lock,
            stays_open=True,
            launched=launched,
        )

    @property
    def pass_fds(self) -> tuple[int, ...]:
        lock = () if self.lock is None else (self.lock,)
        sandbox = self.launched.pass_fds if self.launched else ()
        return tuple(dict.fromkeys((*self.passed, *lock, *sandbox)))


class Client:
    """One running process; use as `async with Client(command) as client`."""

    def __init__(self, command: Command) -> None:
        self._command = command
        self._running: _Running | None = None
        self._excess = ""

    async def __aenter__(self) -> Client:
        command = self._command
        if command.lock is not None:
            # Killed before the new id stands there, nobody must be taken for an earlier one.
            os.ftruncate(command.lock, 0)
        try:
            self._running = await _start(command)
        except BaseException:
            self._clean_up()
            raise
        if command.lock is not None:
            os.pwrite(command.lock, str(self._running.process.pid).encode(), 0)
        return self

    async def __aexit__(self, *_: object) -> None:
        """Make sure, whatever happened, that nothing of the group is left."""
        running = self._require()
        await self._let_go(running.process)
        self._end_group()
        running.feeding.cancel()
        running.complaints.cancel()
        # A child that has left the group may keep the pipes open; nobody waits for it.
        for number in (0, 1, 2):
            _drop(running.transport.get_pipe_transport(number))
        await running.process.wait()
        try:
            await asyncio.to_thread(self._clean_up)
        except RuntimeError:  # the loop is ending and starts no thread any more
            self._clean_up()

    async def _let_go(self, process: Process) -> None:
        """Let the supervisor end first: only it finds what left the group, and a kill stops it."""
        if self._command.launched is None:
            return
        self._command.launched.end()
        with suppress(TimeoutError):
            await asyncio.wait_for(process.wait(), END_SECONDS)

    def _clean_up(self) -> None:
        if self._command.launched is not None:
            self._command.launched.cleanup()

    def say(self, data: bytes) -> None:
        """Send it one more message; does nothing if it no longer listens."""
        stdin = self._require().process.stdin
        assert stdin is not None
        if not stdin.is_closing():
            stdin.write(data)

    def hush(self) -> None:
        """Close its input: nothing more will be sent."""
        stdin = self._require().process.stdin
        assert stdin is not None
        stdin.close()

    @property
    def excess(self) -> str:
        """What was wrong with a line that ended the process; empty if none did."""
        return self._excess

    async def messages(self) -> AsyncIterator[JsonObject]:
        """What the client reports: one JSON object per line."""
        process = self._require().process
        assert process.stdout is not None
        try:
            async for line in process.stdout:
                message = read_message(line)
                if message is not None:
                    yield message
        except ValueError:  # asyncio's word for a line beyond the limit
            self._excess = f"a line of more than {self._command.line_limit} bytes"
            self._end_group()
            # Nobody reads the rest: a paused pipe never sees its end, and waiting needs that.
            _drop(self._require().transport.get_pipe_transport(1))

    async def ended(self) -> tuple[int, str]:
        """Exit code and the end of stderr."""
        running = self._require()
        complaint = await running.complaints
        code = await running.process.wait()
        words = self._excess or complaint.decode("utf-8", "replace").strip()
        return code, words[-STDERR_LIMIT:]

    def _end_group(self) -> None:
        with suppress(ProcessLookupError):
            os.killpg(self._require().process.pid, signal.SIGKILL)

    def _require(self) -> _Running:
        assert self._running is not None, "used outside of `async with`"
        return self._running


@dataclass(frozen=True, slots=True)
class _Running:
    process: Process
    transport: asyncio.SubprocessTransport
    feeding: asyncio.Task[None]
    complaints: asyncio.Task[bytes]


async def _start(command: Command) -> _Running:
    """Start a process like `create_subprocess_exec`, but keep control of the pipes."""
    loop = asyncio.get_running_loop()
    transport, protocol = await loop.subprocess_exec(
        lambda: SubprocessStreamProtocol(command.line_limit, loop),
        *command.argv,
        cwd=command.cwd,
        env=command.environment,
        stdin=PIPE,
        stdout=PIPE,
        stderr=PIPE,
        start_new_session=True,
        pass_fds=command.pass_fds,
    )
    process = Process(transport, protocol, loop)
    assert process.stdin is not None
    assert process.stderr is not None
    return _Running(
        process,
        transport,
        asyncio.create_task(_feed(process.stdin, command)),
        asyncio.create_task(_tail(process.stderr)),
    )


async def _feed(stdin: asyncio.StreamWriter, command: Command) -> None:
    """Send its input while it may already be talking, even if it does not listen."""
    with suppress(BrokenPipeError, ConnectionResetError):
        # Drained means sent to the last byte, or closing would wait for a reader.
        stdin.transport.set_write_buffer_limits(0)
        stdin.write(command.stdin)
        await stdin.drain()
    if not command.stays_open:
        stdin.close()


async def _tail(stream: asyncio.StreamReader) -> bytes:
    """The last output; everything is read, or the client would block forever."""
    kept = b""
    while chunk := await stream.read(64 * 1024):
        kept = (kept + chunk)[-4 * STDERR_LIMIT :]
    return kept


def _drop(pipe: asyncio.BaseTransport | None) -> None:
    if pipe is None or pipe.is_closing():
        return
    if isinstance(pipe, asyncio.WriteTransport):
        pipe.abort()
    else:
        pipe.close()


def read_message(line: bytes) -> JsonObject | None:
    """Parse a line; None for a stray print, or for the partial line of a killed client.

    Half a surrogate pair is valid only in JSON: it becomes a question mark.
    """
    try:
        found = json.loads(line)
        if b"\\ud" in line.lower():
            found = json.loads(json.dumps(found, ensure_ascii=False).encode("utf-8", "replace"))
    except (ValueError, RecursionError):
        return None
    return cast("JsonObject", found) if isinstance(found, dict) else None
