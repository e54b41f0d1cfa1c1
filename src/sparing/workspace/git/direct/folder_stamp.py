"""Whether anything in a small folder was touched since somebody looked, from what the disk notes.

Each entry's kind, size, number and times; the time of its last change is the system's, which no
program can set. Two changes in one tick of its clock would look like one: what changed in the
last moment has no stamp.
"""

from __future__ import annotations

import hashlib
import os
import time
from pathlib import Path

MOST_ENTRIES = 600
"""Of a larger folder git is the faster reader."""
MOMENT_NS = 20_000_000
"""Longer than a tick of any usual system."""
PATIENCE = 50
"""After a folder was too large it is not tried for as many times."""
_too_large: dict[Path, int] = {}


def folder_stamp(root: Path) -> bytes | None:
    """Another one when something was touched; None if that can't be told."""
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
