"""Files of the commit that a run of the tests has written over.

Code under test could replace the tests that run after it, or itself, and put everything back at the
end. The time of the last change to a file's entry can't be set by a program, so that remains. It is
compared with the file's own from before: the clock of this machine may be set back, and that of a
file server may be another.
"""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping
from pathlib import Path

States = Mapping[str, tuple[int, int]]
"""Inode and last change of each file; a missing one has none."""


def states(folder: Path, paths: Iterable[str]) -> States:
    return {path: found for path in paths if (found := _state(folder / path))}


def rewritten(folder: Path, before: States) -> tuple[str, ...]:
    """Which of these files were written, replaced or removed since then."""
    return tuple(sorted(path for path, known in before.items() if _state(folder / path) != known))


def _state(path: Path) -> tuple[int, int] | None:
    try:
        found = os.lstat(path)
    except OSError:
        return None
    return found.st_ino, found.st_ctime_ns
