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


@contextmanager
def worktree_lock(path: Path) -> Generator[int]:
    """The locked file's descriptor, to be passed on to the agent."""
    descriptor = os.open(path, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC | os.O_NOFOLLOW, 0o600)
    try:
        if not _taken(descriptor):
            _end_holder(descriptor)
            _wait(descriptor, path)
        yield descriptor
    finally:
        os.close(descriptor)


def _taken(descriptor: int) -> bool:
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    return True


def _end_holder(descriptor: int) -> None:
    """The group's id stands in the file; it is right, or the lock would be free."""
    written = os.pread(descriptor, 32, 0)
    if written.isdigit():
        with suppress(ProcessLookupError):
            os.killpg(int(written), signal.SIGKILL)


def _wait(descriptor: int, path: Path) -> None:
    limit = time.monotonic() + PATIENCE_SECONDS
    while not _taken(descriptor):
        if time.monotonic() > limit:
            raise StateError(
                f"an agent of an earlier run still holds {path.name}",
                "end that process, then run the same command again",
            )
        time.sleep(0.01)
