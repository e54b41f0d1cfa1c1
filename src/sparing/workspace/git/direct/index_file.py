"""git's index as a file: its entries are read, changed and written without starting git.

Only the usual kind: version 2, SHA-1, no merge in progress, no entry with a flag, not large. git
recreates the extensions when it needs them.
"""

from __future__ import annotations

import hashlib
import os
import struct
from collections.abc import Mapping
from pathlib import Path

from sparing.workspace.git.special_files import read_plain

MOST_BYTES = 256 * 1024
"""Size limit: git is faster with a larger index."""
_HEAD = struct.Struct(">4sII")
_STAT = struct.Struct(">10I")
_FLAGS = struct.Struct(">H")
_FIXED, _NAME = 60, 62
_DIGEST = 20
_LONGEST = 0xFFF
_DROPPED = frozenset({b"TREE", b"EOIE", b"IEOT"})
"""Extensions that are only for speed."""
_32 = 0xFFFFFFFF

Entries = dict[bytes, bytes]
"""By path: the file's stat data, mode and id, in git's format."""


def read_index(file: Path) -> Entries | None:
    """The index's entries; None if it is not of the usual kind."""
    data = read_plain(file, MOST_BYTES + 1)
    if data is None or not _HEAD.size + _DIGEST <= len(data) <= MOST_BYTES:
        return None
    kind, version, count = _HEAD.unpack_from(data)
    end = len(data) - _DIGEST
    if (kind, version) != (b"DIRC", 2) or _digest(data[:end]) != data[end:]:
        return None
    found: Entries = {}
    place = _HEAD.size
    for _ in range(count):
        (flags,) = _FLAGS.unpack_from(data, place + _FIXED)
        if flags > _LONGEST:
            return None
        stop = data.index(b"\0", place + _NAME)
        found[data[place + _NAME : stop]] = data[place : place + _FIXED]
        place += _size(stop - place - _NAME)
    return found if _only_dropped(data[place:end]) else None


def write_index(file: Path, entries: Mapping[bytes, bytes]) -> None:
    """Replace the index atomically; not synced, as in git, since it can be recreated."""
    parts = [_HEAD.pack(b"DIRC", 2, len(entries))]
    for path in sorted(entries):
        flags = _FLAGS.pack(min(len(path), _LONGEST))
        padding = b"\0" * (_size(len(path)) - _NAME - len(path))
        parts += (entries[path], flags, path, padding)
    data = b"".join(parts)
    fresh = file.with_name(f"{file.name}.fresh")
    fresh.write_bytes(data + _digest(data))
    fresh.replace(file)


def entry_of(found: os.stat_result, mode: str, digest: str) -> bytes:
    seconds, more = divmod(found.st_ctime_ns, 1_000_000_000)
    changed, rest = divmod(found.st_mtime_ns, 1_000_000_000)
    fields = (seconds, more, changed, rest, found.st_dev, found.st_ino, int(mode, 8))
    numbers = (*fields, found.st_uid, found.st_gid, found.st_size)
    return _STAT.pack(*(number & _32 for number in numbers)) + bytes.fromhex(digest)


def _size(name: int) -> int:
    """Size of an entry: at least one zero ends the name, padded to a multiple of eight bytes."""
    return (_NAME + name + 8) & ~7


def _only_dropped(rest: bytes) -> bool:
    place = 0
    while place < len(rest):
        if rest[place : place + 4] not in _DROPPED:
            return False
        place += 8 + int.from_bytes(rest[place + 4 : place + 8], "big")
    return place == len(rest)


def _digest(data: bytes) -> bytes:
    return hashlib.sha1(data, usedforsecurity=False).digest()
