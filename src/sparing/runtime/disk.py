"""Noticing a full disk by checking, before a write blocks for ever.

The engine repeats a write that failed until it succeeds, so on a full disk it would hang silently.
A run keeps some space in reserve. When nothing can be written any more, that space is given back
and the run stops with two lines; what was done is kept, and it continues after repair.
"""

from __future__ import annotations

import errno
import os
from contextlib import suppress
from pathlib import Path

from sparing.errors import StateError

RESERVE_BYTES = 1 << 20
LEAST_BYTES = 64 * 1024
"""Free space below which one write of the engine may not fit."""


class Disk:
    """The disk that holds a state folder."""

    def __init__(self, folder: Path) -> None:
        self._folder, self._reserve = folder, folder / "reserve"

    def look(self, go_on: str) -> None:
        """Raise if the disk is full; `go_on` is the command that continues after a repair."""
        why = self._trouble()
        if why:
            with suppress(OSError):
                self._reserve.unlink(missing_ok=True)
            raise self._refusal(why, go_on)

    def hold(self, go_on: str) -> None:
        """Set the reserve aside; a disk without room for it has none for a run."""
        try:
            self._reserve.write_bytes(bytes(RESERVE_BYTES))
        except OSError as error:
            with suppress(OSError):
                self._reserve.unlink(missing_ok=True)
            raise self._refusal(error.strerror or "unknown reason", go_on) from error

    def _trouble(self) -> str:
        probe = self._folder / "disk-probe"
        try:
            probe.write_bytes(bytes(4096))
            probe.unlink()
            stat = os.statvfs(self._folder)
        except OSError as error:
            return error.strerror or "unknown reason"
        few = stat.f_bavail * stat.f_frsize < LEAST_BYTES
        return os.strerror(errno.ENOSPC) if few else ""

    def _refusal(self, why: str, go_on: str) -> StateError:
        return StateError(
            f"nothing can be written in {self._folder}: {why.lower()}",
            f"what was done is kept; make room or mount it writable, then: {go_on}",
        )
