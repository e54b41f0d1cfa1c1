"""One turn at a time in a session, and the folder in which a client keeps its sessions."""

from __future__ import annotations

import asyncio
import fcntl
import os
import time
from collections.abc import AsyncGenerator, Callable, Generator
from contextlib import asynccontextmanager, contextmanager
from pathlib import Path

from sparing.errors import StateError

START_SECONDS = 15.0
LOOK_SECONDS = 0.02


@contextmanager
def held(folder: Path, session: str) -> Generator[tuple[int, ...] | None]:
    """One turn at a time, in any process: the transcript of a session must not branch.

    None: somebody else has it. The client inherits the lock, so one that outlives us still keeps
    others away.
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
    """While a client makes its folder ready: two at once would break each other's databases.

    Whoever got in calls the function as soon as the client is up. A client that hangs keeps others
    waiting for a while, and not for ever.
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


def bare_environment(home: Path) -> dict[str, str]:
    """Where there is no sandbox: still nothing of ours."""
    return {"PATH": os.defpath, "LANG": "C.UTF-8", "HOME": str(home)}
