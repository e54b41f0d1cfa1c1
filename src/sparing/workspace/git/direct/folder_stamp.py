"""Whether anything in a small folder was touched since the last stamp, from file metadata.

Each entry's kind, size, inode number and times; the change time is set by the system, never by a
program. Two changes in one clock tick look like one: of a file that changed a moment ago the stamp
has the content too.
"""

from __future__ import annotations

import hashlib
import os
import stat
import time
from pathlib import Path
from typing import NamedTuple

from sparing.workspace.git.special_files import read_plain

MOST_ENTRIES = 600
"""In a larger folder git is faster."""
MOST_RECENT, MOST_BYTES = 16, 256 * 1024
"""Files that changed a moment ago: how many, and how large each may be."""
MOMENT_NS = 20_000_000
"""Longer than a tick of any usual system."""
PATIENCE = 50
"""How many calls are skipped after a folder was found too large."""
_too_large: dict[Path, int] = {}


class FolderStamp(NamedTuple):
    digest: bytes
    """Changes when anything is touched."""
    recent: tuple[tuple[str, bytes], ...] = ()
    """Files that changed a moment ago, each with a digest of its content."""

    def is_of(self, now: FolderStamp) -> bool:
        """Whether the folder, whose stamp is this one now, is as it was."""
        return self.digest == now.digest and all(
            _content(path) == content for path, content in self.recent
        )


def folder_stamp(root: Path) -> FolderStamp | None:
    """The folder's stamp; None if that can't be determined."""
    if (left := _too_large.get(root, 0)) > 0:
        _too_large[root] = left - 1
        return None
    newest = time.time_ns() - MOMENT_NS
    found, recent = hashlib.blake2b(digest_size=16), list[str]()
    waiting, count = [os.fspath(root)], 0
    while waiting:
        folder = waiting.pop()
        try:
            with os.scandir(folder) as listed:
                entries = sorted(listed, key=lambda one: one.name)
            for entry in entries:
                seen = entry.stat(follow_symlinks=False)
                found.update(os.fsencode(entry.path) + b"\0")
                found.update(b"%d %d %d " % (seen.st_mode, seen.st_size, seen.st_ino))
                found.update(b"%d %d\0" % (seen.st_mtime_ns, seen.st_ctime_ns))
                if stat.S_ISDIR(seen.st_mode):
                    waiting.append(entry.path)
                elif seen.st_ctime_ns >= newest:
                    recent.append(entry.path)
        except OSError:
            return None
        if (count := count + len(entries)) > MOST_ENTRIES:
            _too_large[root] = PATIENCE
            return None
    contents = tuple((path, _content(path)) for path in recent[: MOST_RECENT + 1])
    known = tuple((path, content) for path, content in contents if content is not None)
    return FolderStamp(found.digest(), known) if len(known) == len(recent) else None


def _content(path: str) -> bytes | None:
    """A digest of a file's content; None if it is large, or no regular file."""
    data = read_plain(path, MOST_BYTES + 1)
    if data is None or len(data) > MOST_BYTES:
        return None
    return hashlib.blake2b(data, digest_size=16).digest()
