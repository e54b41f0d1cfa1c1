"""Who runs the engine of a state folder. Knows nothing of DBOS, so it answers before that loads."""

from __future__ import annotations

import fcntl
import os
from collections.abc import Generator
from contextlib import contextmanager
from pathlib import Path

from sparing import __version__
from sparing.errors import EngineBusy

ANY_FEATURE = "any feature"


@contextmanager
def engine_lock(path: Path, *, takes_any: bool = False) -> Generator[None]:
    """Held as long as the engine runs; free at once when its process dies. `takes_any`: it also
    begins features that others ask it to."""
    file = os.open(path, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
    try:
        try:
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            holder = os.pread(file, 32, 0).decode(errors="replace").strip() or "unknown"
            raise EngineBusy(
                f"features of this repository are being run by another process (id {holder})",
                "see its progress: sparing status",
            ) from None
        os.ftruncate(file, 0)
        more = f"{ANY_FEATURE}\n" if takes_any else ""
        os.pwrite(file, f"{os.getpid():<31}\n{__version__}\n{more}".encode(), 0)  # a number first
        yield
    finally:
        os.close(file)


def begins_any(path: Path) -> bool:
    """Whether the process that has the lock begins features that it is asked to begin."""
    return ANY_FEATURE in path.read_text(errors="replace").splitlines()
