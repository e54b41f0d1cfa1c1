"""Pipes, sockets and devices among files: opening one may block forever.

Found by listing folders; none is opened, and no link is followed. In a worktree they are moved
beside it before git looks. In the user's checkout they are only named.

Reads files that others wrote: a regular file, at most so many bytes, and never forever.

An agent, a check or a repository can put a pipe, a socket or a device where a file is expected. To
open one can wait for ever or do something, so it is opened without waiting and looked at first.
"""

from __future__ import annotations

import json
import os
import stat
import sys
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path
from typing import cast

READ_BY_GIT = frozenset({".gitignore", ".gitattributes", ".gitmodules", ".mailmap", ".lfsconfig"})
OWN = ".git"
NOTE = "sparing.put-aside"


def special_files(root: Path) -> Iterator[Path]:
    """All of them, except in the folder's own `.git`. Those in nested repositories count: git
    opens them to see whether it is one."""
    waiting = [os.fspath(root)]
    while waiting:
        folder = waiting.pop()
        try:
            entries = list(os.scandir(folder))
        except OSError:  # git can't look into it either
            continue
        for entry in entries:
            if entry.name == OWN and folder == os.fspath(root):
                continue
            if entry.is_dir(follow_symlinks=False):
                waiting.append(entry.path)
            elif not entry.is_symlink() and not entry.is_file(follow_symlinks=False):
                yield Path(entry.path)


def blocking_files(root: Path) -> Iterator[Path]:
    """Those that git would hang on; under other names it ignores them."""
    for path in special_files(root):
        inner = path.relative_to(root)
        if path.name.casefold() in READ_BY_GIT or OWN in inner.parts:
            yield path


def move_beside(worktree: Path) -> tuple[str, ...]:
    """Move all of them to a new folder beside the worktree; returns their paths in the worktree."""
    found = sorted(special_files(worktree))
    place = free_place(worktree)
    for path in found:
        target = place / path.relative_to(worktree)
        target.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
        with suppress(FileNotFoundError):  # another turn in the same folder has moved it
            _rename(path, target)
    return tuple(str(path.relative_to(worktree)) for path in found)


def _rename(path: Path, target: Path) -> None:
    try:
        path.rename(target)
    except PermissionError:
        path.parent.chmod(0o700)
        path.rename(target)


def free_place(worktree: Path) -> Path:
    number = 1
    while os.path.lexists(place := worktree.with_name(f"{worktree.name}.aside-{number}")):
        number += 1
    return place


def note_moved(git_dir: Path, paths: tuple[str, ...]) -> None:
    """Note the moved files until the next receipt reports them: a killed turn has no receipt."""
    (git_dir / NOTE).write_text(json.dumps([*_noted(git_dir), *paths]), "utf-8")


def take_note(git_dir: Path) -> tuple[str, ...]:
    found = tuple(dict.fromkeys(_noted(git_dir)))
    (git_dir / NOTE).unlink(missing_ok=True)
    return found


def _noted(git_dir: Path) -> list[str]:
    try:
        return cast("list[str]", json.loads(read_plain(git_dir / NOTE) or b"[]"))
    except ValueError:
        return []


LIMIT_BYTES = 16 * 1024 * 1024
WHOLE = -1
PIECE_BYTES = 1024 * 1024
_FLAGS = os.O_RDONLY | os.O_NONBLOCK | os.O_CLOEXEC | os.O_NOCTTY


def read_plain(path: Path | str, limit: int = LIMIT_BYTES, *, follow: bool = False) -> bytes | None:
    """Read up to `limit` bytes; None if it does not exist or is not a regular file.

    `follow`: links are followed.
    """
    try:
        file = os.open(path, _FLAGS if follow else _FLAGS | os.O_NOFOLLOW)
    except (OSError, ValueError):
        return None
    try:
        if not stat.S_ISREG(os.fstat(file).st_mode):
            return None
        return _read(file, limit)
    except OSError:
        return None
    finally:
        os.close(file)


def _read(file: int, limit: int) -> bytes:
    """Read up to a limit, mostly in one piece: these are many small files."""
    pieces: list[bytes] = []
    left = sys.maxsize if limit == WHOLE else limit
    while left > 0 and (piece := os.read(file, min(left, PIECE_BYTES))):
        pieces.append(piece)
        left -= len(piece)
    return b"".join(pieces)
