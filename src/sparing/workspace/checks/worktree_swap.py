"""Moving a worktree aside while a check has its path, and back.

Two renames each way, so that a process can die at any point: a worktree left aside is put back by
the next one that needs it. A lock that ends with its process tells if a check is running.
"""

from __future__ import annotations

import fcntl
import os
from collections.abc import Generator
from contextlib import contextmanager
from pathlib import Path


def beside(path: Path, word: str) -> Path:
    return path.with_name(f"{path.name}.{word}")


def parked_of(path: Path) -> Path:
    return beside(path, "parked")


def used_of(path: Path) -> Path:
    """Where the check's folder is moved when the worktree comes back; no longer needed then."""
    return beside(path, "used")


def lock_of(path: Path) -> Path:
    return beside(path, "checking")


def park(path: Path, room: Path) -> None:
    path.rename(parked_of(path))
    room.rename(path)


def unpark(path: Path) -> None:
    """Move the worktree back; may be repeated, and does nothing if it is where it belongs."""
    if not parked_of(path).exists():
        return
    if path.exists():
        path.rename(used_of(path))
    parked_of(path).rename(path)


def put_back(path: Path) -> None:
    """Move the worktree back after a process died during a check; not while one is running."""
    if parked_of(path).exists():
        with claimed(path) as free:
            if free:
                unpark(path)


@contextmanager
def claimed(path: Path) -> Generator[bool]:
    """Lock the path for a check; yields False if another check is running there."""
    flags = os.O_RDWR | os.O_CREAT | os.O_CLOEXEC | os.O_NOFOLLOW
    file = os.open(lock_of(path), flags, 0o600)
    try:
        yield _locks(file)
    finally:
        os.close(file)


def _locks(file: int) -> bool:
    try:
        fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    return True
