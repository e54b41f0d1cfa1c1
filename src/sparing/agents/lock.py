"""A lock that an agent's processes inherit.

After the engine was killed, agents it had started may live on and write. They hold this lock:
whoever comes next finds it taken, ends that process group, and goes on.
"""

from __future__ import annotations

import fcntl
import os
import signal
import time
from collections.abc import Generator
from contextlib import contextmanager, suppress
from pathlib import Path

from sparing.errors import StateError

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
            f"remove what is in its place, or make {path.parent} writable",
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
            f"an agent of an earlier run still holds {path.name}",
            "end that process, then run the same command again",
        )
