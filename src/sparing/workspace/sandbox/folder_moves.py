"""Folders that a program moves or removes while it runs, even if it puts them back.

A folder that was moved aside and back is the same to anyone who looks afterwards, and so are the
files in it: what ran in between may have seen others in their place. The kernel tells of it
(inotify). Where it can't, on other systems or at its limits, nothing is noticed.
"""

from __future__ import annotations

import ctypes
import os
import struct
from collections.abc import Callable, Generator, Iterable
from contextlib import contextmanager
from pathlib import Path, PurePosixPath

MOVED, REMOVED, OVERFLOW, FOLDERS_ONLY = 0x800, 0x400, 0x4000, 0x01000000
HEAD, PIECE = 16, 1 << 16


@contextmanager
def folder_moves(root: Path, paths: Iterable[str]) -> Generator[Callable[[], tuple[str, ...]]]:
    """Watch the folders of these paths below `root`; what is yielded names those that moved."""
    inotify = _opened()
    if inotify < 0:
        yield tuple
        return
    try:
        watched = _watched(inotify, root, paths)
        yield lambda: tuple(sorted(f"{watched.get(one, '.')}/" for one in set(_told(inotify))))
    finally:
        os.close(inotify)


def _opened() -> int:
    try:
        return int(ctypes.CDLL(None).inotify_init1(os.O_NONBLOCK | os.O_CLOEXEC))
    except (AttributeError, OSError):
        return -1


def _watched(inotify: int, root: Path, paths: Iterable[str]) -> dict[int, str]:
    add = ctypes.CDLL(None).inotify_add_watch
    folders = {str(one) for path in paths for one in PurePosixPath(path).parents} - {"."}
    mask = ctypes.c_uint32(MOVED | REMOVED | FOLDERS_ONLY)
    found = {add(inotify, os.fsencode(root / one), mask): one for one in sorted(folders)}
    found.pop(-1, None)
    return found


def _told(inotify: int) -> Generator[int]:
    """The watches of which there is something to tell; -1 if there was more than is kept."""
    while True:
        try:
            data = os.read(inotify, PIECE)
        except BlockingIOError:
            return
        at = 0
        while at < len(data):
            watch, mask, _, size = struct.unpack_from("iIII", data, at)
            at += HEAD + size
            if mask & (MOVED | REMOVED | OVERFLOW):
                yield watch
