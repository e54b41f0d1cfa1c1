"""Whether an engine is running for this repository, without starting or disturbing one.

The lock decides. Its file keeps the process id after the process has ended, so an id alone proves
nothing; it only saves asking where no engine can be running.
"""

from __future__ import annotations

import fcntl
import os
from pathlib import Path
from typing import NamedTuple

from sparing import __version__
from sparing.desk.office import Office


def engine_runs(office: Office) -> bool:
    """Whether an engine runs for this repository, or a worker anywhere on a shared database."""
    if office.folder.server is not None:
        from sparing.records import workers

        with office.database.read() as connection:
            return bool(workers.every(connection))
    return is_held(office.folder.engine_lock)


class OtherVersion(NamedTuple):
    """An engine or worker that runs features here with a version other than this command's."""

    words: str
    repair: str


def other_versions(office: Office) -> tuple[OtherVersion, ...]:
    """Check this repository's engine, or on a shared database all workers."""
    if office.folder.server is not None:
        from sparing.records import workers

        with office.database.read() as connection:
            found = [one for one in workers.every(connection) if one.version != __version__]
        return tuple(
            OtherVersion(
                f"worker {one.id} on {one.host} is sparing {one.version}, you are {__version__}",
                f"end it with Ctrl-C or kill {one.process}, install {__version__} there, and start"
                " it again: sparing worker",
            )
            for one in found
        )
    lock = office.folder.engine_lock
    if not is_held(lock):
        return ()
    number, _, version = lock.read_text("utf-8", "replace").partition("\n")
    named = version.strip()
    if named == __version__:
        return ()
    return (
        OtherVersion(
            f"the running engine is sparing {named or 'of an older version'}, you are"
            f" {__version__}",
            f"end it with Ctrl-C or kill {number.strip()}, then: sparing run (no work is lost)",
        ),
    )


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
