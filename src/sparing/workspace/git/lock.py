"""A lock that ends with the process that holds it.

Each call opens the file anew, so threads of one process wait for each other too.
"""

from __future__ import annotations

import fcntl
import os
from collections.abc import Generator
from contextlib import contextmanager
from pathlib import Path

from sparing.errors import RepositoryError


@contextmanager
def held(path: Path) -> Generator[None]:
    try:
        file = os.open(path, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC | os.O_NOFOLLOW, 0o600)
    except OSError as error:
        raise RepositoryError(
            f"{path.parent} can't be written: {error.strerror}", f"ls -ld {path.parent} shows why"
        ) from error
    try:
        fcntl.flock(file, fcntl.LOCK_EX)
        yield
    finally:
        os.close(file)
