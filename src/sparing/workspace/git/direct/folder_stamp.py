"""Whether anything in a small folder was touched since the last stamp, from file metadata.

Each entry's kind, size, inode number and times; the change time is set by the system, never by a
program. Two changes in one clock tick would look like one: what changed a moment ago gets no stamp.
"""

from __future__ import annotations

import hashlib
import os
import time
from pathlib import Path

MOST_ENTRIES = 600
"""In a larger folder git is faster."""
MOMENT_NS = 20_000_000
"""Longer than a tick of any usual system."""
PATIENCE = 50
"""How many calls are skipped after a folder was found too large."""
_too_large: dict[Path, int] = {}


def folder_stamp(root: Path) -> bytes | None:
    """A digest that changes when anything is touched; None if that can't be determined."""
    if (left := _too_large.get(root, 0)) > 0:
        _too_large[root] = left - 1
        return None
    newest = time.time_ns() - MOMENT_NS
    found = hashlib.blake2b(digest_size=16)
    waiting, count = [os.fspath(root)], 0
    while waiting:
        folder = waiting.pop()
        try:
            with os.scandir(folder) as listed:
                entries = sorted(listed, key=lambda one: one.name)
            for entry in entries:
                seen = entry.stat(follow_symlinks=False)
                if seen.st_ctime_ns >= newest:
                    return None
                found.update(os.fsencode(entry.path) + b"\0")
                found.update(b"%d %d %d " % (seen.st_mode, seen.st_size, seen.st_ino))
                found.update(b"%d %d\0" % (seen.st_mtime_ns, seen.st_ctime_ns))
                if entry.is_dir(follow_symlinks=False):
                    waiting.append(entry.path)
        except OSError:
            return None
        if (count := count + len(entries)) > MOST_ENTRIES:
            _too_large[root] = PATIENCE
            return None
    return found.digest()
