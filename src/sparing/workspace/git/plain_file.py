"""Reads files that others wrote: a regular file, at most so many bytes, and never for ever.

An agent, a check or a repository can put a pipe, a socket or a device where a file is expected. To
open one can wait for ever or do something, so it is opened without waiting and looked at first.
"""

from __future__ import annotations

import os
import stat
from pathlib import Path

LIMIT_BYTES = 16 * 1024 * 1024
WHOLE = -1
_FLAGS = os.O_RDONLY | os.O_NONBLOCK | os.O_CLOEXEC | os.O_NOCTTY


def read_plain(path: Path, limit: int = LIMIT_BYTES, *, follow: bool = False) -> bytes | None:
    """What is no regular file is as good as not there; more than the limit is left out.

    `follow`: a link counts for what it leads to.
    """
    try:
        file = os.open(path, _FLAGS if follow else _FLAGS | os.O_NOFOLLOW)
    except (OSError, ValueError):
        return None
    try:
        if not stat.S_ISREG(os.fstat(file).st_mode):
            return None
        with os.fdopen(file, "rb", closefd=False) as stream:
            return stream.read(limit)
    except OSError:
        return None
    finally:
        os.close(file)
