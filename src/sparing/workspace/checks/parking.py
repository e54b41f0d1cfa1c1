"""Moving a worktree aside while a check has its path, and back.

Two renames each way, so that a process can die anywhere: a worktree that lies aside is put back
by whoever needs it next. A lock that ends with its process says whether a check is still at it.
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
    """What had the path in between; nobody needs it any more."""
    return beside(path, "used")


def lock_of(path: Path) -> Path:
    return beside(path, "checking")


def park(path: Path, room: Path) -> None:
    path.rename(parked_of(path))
    room.rename(path)


def unpark(path: Path) -> None:
    """May be repeated; nothing to do for a worktree that is in its place."""
    if not parked_of(path).exists():
        return
    if path.exists():
        path.rename(used_of(path))
    parked_of(path).rename(path)


def put_back(path: Path) -> None:
    """After a process died during a check; not while one is at it."""
    if parked_of(path).exists():
        with claimed(path) as free:
            if free:
                unpark(path)


@contextmanager
def claimed(path: Path) -> Generator[bool]:
    """Whether nobody else runs a check there."""
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
