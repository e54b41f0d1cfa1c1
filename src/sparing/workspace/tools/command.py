"""Runs one command line of an author, in the sandbox of its turn and up to a time limit.

The command gets what a client's own shell would get: write access to the worktree, no network, no
key, no session. Nothing that it started outlives it.
"""

from __future__ import annotations

import os
import shutil
import signal
import subprocess
import tempfile
import threading
from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import NamedTuple, Protocol

from sparing.workspace.checks.run import printed, trim

OUTPUT_CHARS = 24_000
END_SECONDS = 2.0


class Prepared(Protocol):
    """A sandboxed command line that was not started yet."""

    @property
    def argv(self) -> tuple[str, ...]: ...

    @property
    def env(self) -> dict[str, str]: ...

    @property
    def pass_fds(self) -> tuple[int, ...]: ...

    def end(self) -> None: ...

    def cleanup(self) -> None: ...


Prepare = Callable[[Sequence[str]], Prepared]


class CommandResult(NamedTuple):
    code: int | None
    """The exit code; None if it was stopped."""
    output: str


class Stopped(Exception):
    """The turn is over."""


@dataclass(slots=True)
class Commands:
    """The commands of one turn, so that they end with it."""

    cwd: Path
    prepare: Prepare
    _running: dict[int, Prepared] = field(default_factory=dict[int, Prepared])
    _lock: threading.Lock = field(default_factory=threading.Lock)
    _over: bool = False

    def run(self, line: str, seconds: float) -> CommandResult:
        prepared = self.prepare((shutil.which("bash") or "/bin/sh", "-c", line))
        try:
            with tempfile.TemporaryFile() as out:
                process = self._start(prepared, out.fileno())
                code = self._wait(process, prepared, seconds)
                text = printed(out)
        finally:
            prepared.cleanup()
        return CommandResult(code, trim(text, OUTPUT_CHARS))

    def end(self) -> None:
        """Stop what runs, and start nothing more."""
        with self._lock:
            self._over = True
            running = dict(self._running)
        for group, prepared in running.items():
            _stop(group, prepared)

    def _start(self, prepared: Prepared, out: int) -> subprocess.Popen[bytes]:
        with self._lock:
            if self._over:
                raise Stopped
            process = subprocess.Popen(
                prepared.argv,
                cwd=self.cwd,
                env=prepared.env,
                pass_fds=prepared.pass_fds,
                stdin=subprocess.DEVNULL,
                stdout=out,
                stderr=subprocess.STDOUT,
                start_new_session=True,
            )
            self._running[process.pid] = prepared
        return process

    def _wait(
        self, process: subprocess.Popen[bytes], prepared: Prepared, seconds: float
    ) -> int | None:
        try:
            return process.wait(seconds)
        except subprocess.TimeoutExpired:
            _stop(process.pid, prepared)
            with suppress(subprocess.TimeoutExpired):
                process.wait(END_SECONDS)
            return None
        finally:
            _kill(process.pid)
            process.wait()
            with self._lock:
                self._running.pop(process.pid, None)


def _stop(group: int, prepared: Prepared) -> None:
    """The supervisor also finds what has left the process group; without one, kill the group."""
    prepared.end()
    if not prepared.pass_fds:
        _kill(group)


def _kill(group: int) -> None:
    with suppress(ProcessLookupError, PermissionError):
        os.killpg(group, signal.SIGKILL)
