"""One turn at a time in a session, and the folder in which a client keeps its sessions' files."""

from __future__ import annotations

import asyncio
import fcntl
import os
import time
from collections.abc import AsyncGenerator, Callable, Generator
from contextlib import asynccontextmanager, contextmanager
from pathlib import Path
from typing import NamedTuple, Protocol, runtime_checkable

from sparing.errors import StateError

START_SECONDS = 15.0
LOOK_SECONDS = 0.02


@contextmanager
def held(folder: Path, session: str) -> Generator[tuple[int, ...] | None]:
    """One turn at a time, in any process: the transcript of a session must not branch.

    Yields None if another process has it. The client inherits the lock, so one that outlives us
    still keeps others out.
    """
    if not session:
        yield ()
        return
    locks = folder / "locks"
    private_folder(locks, "an agent")
    descriptor = os.open(locks / session, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
    try:
        yield (descriptor,) if _taken(descriptor) else None
    finally:
        os.close(descriptor)


@asynccontextmanager
async def alone(folder: Path, seconds: float = START_SECONDS) -> AsyncGenerator[Callable[[], None]]:
    """Only one client at a time may prepare its folder: two would break each other's databases.

    The caller calls the yielded function as soon as the client is up. A client that hangs keeps
    others waiting for a while, but not forever.
    """
    descriptor = os.open(folder / "starting", os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
    opened = [descriptor]

    def let_in() -> None:
        while opened:
            os.close(opened.pop())

    limit = time.monotonic() + seconds
    try:
        while not _taken(descriptor) and time.monotonic() < limit:
            await asyncio.sleep(LOOK_SECONDS)
        yield let_in
    finally:
        let_in()


def _taken(descriptor: int) -> bool:
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    return True


def private_folder(folder: Path, client: str) -> None:
    try:
        folder.mkdir(mode=0o700, parents=True, exist_ok=True)
    except OSError as error:
        raise StateError(
            f"the folder of {client}'s sessions can't be used: {folder}: {error.strerror}",
            f"make {folder.parent} writable",
        ) from error


class SessionFiles(NamedTuple):
    """Where a client stores a session, if it can resume it from these files alone."""

    folder: Path
    """The client's own folder."""
    paths: tuple[Path, ...] = ()
    """Files, relative to it; none if the session is not here."""


@runtime_checkable
class KeepsSessionFiles(Protocol):
    """A backend whose client resumes a session from these files alone, on any machine."""

    def session_files(self, session: str) -> SessionFiles: ...


def files_in(folder: Path, pattern: str) -> SessionFiles:
    return SessionFiles(folder, tuple(one.relative_to(folder) for one in folder.glob(pattern)))
