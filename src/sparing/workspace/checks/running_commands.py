"""Waiting for a command: to its end, to its time limit, or until the whole run ends.

Nobody who presses Ctrl-C wants to wait for the rest of a test suite. A command that is ended then
has no result: who waits for it gets `RunEnded`, as if the process had died, and records nothing.
"""

from __future__ import annotations

import contextlib
import os
import signal
import subprocess
import threading
from collections.abc import Callable, Generator
from dataclasses import dataclass

END_SECONDS = 2.0


class RunEnded(BaseException):
    """Not an `Exception`: no handler of errors may take it for a check that failed."""


@dataclass(frozen=True, slots=True)
class _Command:
    process: subprocess.Popen[bytes]
    hurry: Callable[[], None] | None
    """Asks its supervisor to end it, and what has left its group too."""

    def end(self) -> None:
        if self.hurry is not None:
            self.hurry()
            with contextlib.suppress(subprocess.TimeoutExpired):
                self.process.wait(END_SECONDS)
        with contextlib.suppress(ProcessLookupError, PermissionError):
            os.killpg(self.process.pid, signal.SIGKILL)
        self.process.wait()


_running: dict[int, _Command] = {}
_run_ended = threading.Event()


def wait_for_command(
    process: subprocess.Popen[bytes], limit_seconds: float, hurry: Callable[[], None] | None
) -> int | None:
    """Its exit code; None if it was ended at the limit. Nothing that it has started stays."""
    command = _running[process.pid] = _Command(process, hurry)
    code = None
    try:
        if not _run_ended.is_set():
            code = process.wait(limit_seconds)
    except subprocess.TimeoutExpired:
        pass
    finally:
        command.end()
        del _running[process.pid]
    if _run_ended.is_set():
        raise RunEnded
    return code


@contextlib.contextmanager
def commands_of_run() -> Generator[None]:
    """End all commands if the run that this encloses is cancelled or fails."""
    _run_ended.clear()
    try:
        yield
    except BaseException:
        _run_ended.set()
        for command in tuple(_running.values()):
            command.end()
        raise
