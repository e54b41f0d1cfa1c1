"""A lock that ends with the process that holds it.

Each call opens the file anew, so threads of one process wait for each other too. Waiting is
limited: work under the lock takes seconds, so a holder that keeps it longer is hanging.
"""

from __future__ import annotations

import fcntl
import os
import time
from collections.abc import Generator
from contextlib import contextmanager
from pathlib import Path

from sparing.errors import RepositoryError
from sparing.wait import waiting

LIMIT_SECONDS = 900.0
PAUSES = (0.002, 0.005, 0.01, 0.02, 0.05, 0.1)
"""Seconds between tries; the last value repeats."""


@contextmanager
def held(path: Path, limit_seconds: float = LIMIT_SECONDS) -> Generator[None]:
    try:
        file = os.open(path, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC | os.O_NOFOLLOW, 0o600)
    except OSError as error:
        raise RepositoryError(
            f"{path.parent} can't be written: {error.strerror}", f"ls -ld {path.parent} shows why"
        ) from error
    try:
        with waiting(f"waiting for {path}", limit_seconds):
            _wait_for(file, path, limit_seconds)
        yield
    finally:
        os.close(file)


def _wait_for(file: int, path: Path, limit_seconds: float) -> None:
    waited, pauses = 0.0, [*reversed(PAUSES)]
    while True:
        try:
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            if waited >= limit_seconds:
                raise RepositoryError(
                    f"{path} has been locked by another process for {limit_seconds:g} s",
                    f"fuser -v {path} shows which one; end it, then run again",
                ) from None
        else:
            return
        pause = pauses.pop() if pauses[1:] else pauses[0]
        time.sleep(pause)
        waited += pause
