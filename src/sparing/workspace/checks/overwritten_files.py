"""Files of the commit that a run of the tests has written over.

Code under test could replace the tests that run after it, or itself, and put everything back at the
end. The time of the last change to a file's entry can't be set by a program, so that remains.
"""

from __future__ import annotations

import os
import time
from collections.abc import Iterable
from pathlib import Path


def now() -> int:
    """To compare with the changes that `rewritten` looks for."""
    return time.time_ns()


def rewritten(folder: Path, paths: Iterable[str], since: int) -> tuple[str, ...]:
    """Which of these files were written, replaced or removed since then."""
    return tuple(sorted(path for path in paths if _changed_at(folder / path) > since))


def _changed_at(path: Path) -> float:
    try:
        return os.lstat(path).st_ctime_ns
    except OSError:
        return float("inf")
