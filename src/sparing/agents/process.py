"""Running a client as a process that can always be ended.

Each turn is a process group of its own that inherits the worktree's lock: whoever finds the
lock held after a crash knows whom to end. In a sandbox the group is a supervisor that ends all
the rest when it is let go. A line that is too long ends the process, a line that is no JSON
object is left out, leaving without a result is an outcome: none is an exception.

After the engine was killed, agents it had started may live on and write. They hold that lock:
whoever comes next finds it taken, ends that process group, and goes on.
"""

from __future__ import annotations

import asyncio
import fcntl
import json
import os
import signal
import time
from asyncio.subprocess import PIPE, Process, SubprocessStreamProtocol
from collections.abc import AsyncIterator, Generator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import cast

from sparing.agents.backend import Launched
from sparing.codec import JsonObject
from sparing.errors import StateError

LINE_LIMIT = 64 * 1024 * 1024
STDERR_LIMIT = 4_000
END_SECONDS = 2.0
"""How long a supervisor may take to end everything before its group is killed."""


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
    """Its input goes on with `say` until `hush`."""
    launched: Launched | None = None
    """The sandbox it runs in; None only where a test has no workspace."""

    @classmethod
    def behind(
        cls, launched: Launched, cwd: Path, stdin: bytes, lock: int | None = None
    ) -> Command:
        return cls(launched.argv, cwd, launched.env, stdin, lock, launched=launched)

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
        """Whatever happened, nothing of the group is left."""
        running = self._require()
        await self._let_go(running.process)
        self._end_group()
        running.feeding.cancel()
        running.complaints.cancel()
        # A child that has left the group may keep the pipes open; nobody waits for it.
        for number in (0, 1, 2):
            _drop(running.transport.get_pipe_transport(number))
        await running.process.wait()
        await asyncio.to_thread(self._clean_up)

    async def _let_go(self, process: Process) -> None:
        """Only the supervisor finds what has left the group; a kill would stop it as well."""
        if self._command.launched is None:
            return
        self._command.launched.end()
        with suppress(TimeoutError):
            await asyncio.wait_for(process.wait(), END_SECONDS)

    def _clean_up(self) -> None:
        if self._command.launched is not None:
            self._command.launched.cleanup()

    def say(self, data: bytes) -> None:
        """One more message to it; nothing happens if it does not listen any more."""
        stdin = self._require().process.stdin
        assert stdin is not None
        if not stdin.is_closing():
            stdin.write(data)

    def hush(self) -> None:
        """Nothing more will be said."""
        stdin = self._require().process.stdin
        assert stdin is not None
        stdin.close()

    @property
    def excess(self) -> str:
        """What was wrong with a line that ended it; empty as long as none did."""
        return self._excess

    async def messages(self) -> AsyncIterator[JsonObject]:
        """What the client reports: one JSON object a line."""
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
    """As `create_subprocess_exec` does it, but with the pipes in our hands."""
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
    """While the client already talks, and whether it listens or not."""
    with suppress(BrokenPipeError, ConnectionResetError):
        # Drained means sent to the last byte, or closing would wait for a reader.
        stdin.transport.set_write_buffer_limits(0)
        stdin.write(command.stdin)
        await stdin.drain()
    if not command.stays_open:
        stdin.close()


async def _tail(stream: asyncio.StreamReader) -> bytes:
    """The last words; all of them are read, or the client would wait for ever."""
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
    """None for a stray print, or for the half line of a client that was killed.

    Half of a surrogate pair is text in JSON and nowhere else: it becomes a question mark.
    """
    try:
        found = json.loads(line)
        if b"\\ud" in line.lower():
            found = json.loads(json.dumps(found, ensure_ascii=False).encode("utf-8", "replace"))
    except (ValueError, RecursionError):
        return None
    return cast("JsonObject", found) if isinstance(found, dict) else None


PATIENCE_SECONDS = 5.0
POLITE_SECONDS = 3.0
"""A supervisor that is asked to end kills what it watches, in two seconds at most."""
PID_DIGITS = 9


@contextmanager
def worktree_lock(path: Path, patience_seconds: float = PATIENCE_SECONDS) -> Generator[int]:
    """The locked file's descriptor, to be passed on to the agent."""
    descriptor = _open(path)
    try:
        if not _taken(descriptor):
            _end_holder(descriptor, signal.SIGTERM)
            if not _freed(descriptor, min(POLITE_SECONDS, patience_seconds)):
                _end_holder(descriptor, signal.SIGKILL)
                _wait(descriptor, path, patience_seconds)
        yield descriptor
    finally:
        os.close(descriptor)


def _open(path: Path) -> int:
    try:
        return os.open(path, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC | os.O_NOFOLLOW, 0o600)
    except OSError as error:
        raise StateError(
            f"the lock {path} can't be used: {error.strerror}",
            f"remove what is there, or make {path.parent} writable",
        ) from error


def _taken(descriptor: int) -> bool:
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    return True


def _end_holder(descriptor: int, how: signal.Signals) -> None:
    """The holder's group stands in the file; it is right, or the lock would be free.

    The agent can write into this file too, so it is never believed about ourselves.
    """
    written = os.pread(descriptor, 32, 0)
    group = int(written) if written.isdigit() and len(written) <= PID_DIGITS else 0
    if group > 1 and group != os.getpgrp():
        with suppress(ProcessLookupError, PermissionError):
            os.killpg(group, how)


def _freed(descriptor: int, patience_seconds: float) -> bool:
    limit = time.monotonic() + patience_seconds
    while not _taken(descriptor):
        if time.monotonic() > limit:
            return False
        time.sleep(0.01)
    return True


def _wait(descriptor: int, path: Path, patience_seconds: float) -> None:
    if not _freed(descriptor, patience_seconds):
        raise StateError(
            f"an agent of an earlier run still locks {path.name}",
            "end that process, then run the same command again",
        )
