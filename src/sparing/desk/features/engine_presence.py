"""Whether an engine is running for this repository, without starting or disturbing one.

The lock says so. Its file keeps the number of a process that has ended, so a number alone proves
nothing; it only spares the question where nobody can be there.
"""

from __future__ import annotations

import fcntl
import os
from pathlib import Path

from sparing.desk.office import Office


def engine_runs(office: Office) -> bool:
    """Here, or on a shared database anywhere."""
    if office.folder.server is not None:
        from sparing.records import workers

        with office.database.read() as connection:
            return bool(workers.every(connection))
    return is_held(office.folder.engine_lock)


def is_held(lock: Path) -> bool:
    try:
        file = os.open(lock, os.O_RDONLY | os.O_CLOEXEC)
    except OSError:
        return False
    try:
        return _alive(os.pread(file, 32, 0)) and _locked(file)
    finally:
        os.close(file)


def _alive(number: bytes) -> bool:
    try:
        os.kill(int(number), 0)
    except (ValueError, OverflowError, ProcessLookupError):
        return False
    except PermissionError:
        return True
    return True


def _locked(file: int) -> bool:
    try:
        fcntl.flock(file, fcntl.LOCK_SH | fcntl.LOCK_NB)
    except BlockingIOError:
        return True
    return False
