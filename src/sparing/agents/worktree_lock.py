"""The lock of a worktree, which an agent's process group inherits.

After the engine was killed, agents it had started may live on and write. They hold this lock: the
next engine finds it taken, ends that process group, and continues.
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
"""Seconds to wait for a supervisor: when asked to end, it kills its processes within two."""
PID_DIGITS = 9


@contextmanager
def worktree_lock(path: Path, patience_seconds: float = PATIENCE_SECONDS) -> Generator[int]:
    """Take the lock; yields the file's descriptor, to be passed on to the agent."""
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
    """End the lock's holder; its group is in the file and is valid, or the lock would be free.

    The agent can write to this file too, so our own group is never ended.
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
