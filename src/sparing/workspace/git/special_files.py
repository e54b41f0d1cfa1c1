"""Pipes, sockets and devices among files: whoever opens one may wait for ever.

Found by what a folder says of its entries; none is opened, and no link is followed. In a worktree
they are moved beside it before git looks. In the user's checkout they are only named.
"""

from __future__ import annotations

import json
import os
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path
from typing import cast

from sparing.workspace.git.plain_file import read_plain

READ_BY_GIT = frozenset({".gitignore", ".gitattributes", ".gitmodules", ".mailmap", ".lfsconfig"})
OWN = ".git"
NOTE = "sparing.put-aside"


def special_files(root: Path) -> Iterator[Path]:
    """All but the folder's own `.git`. Those of a repository that lies in it count: git opens
    them to see whether it is one."""
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
    """Those that git waits for; under other names it leaves them alone."""
    for path in special_files(root):
        inner = path.relative_to(root)
        if path.name.casefold() in READ_BY_GIT or OWN in inner.parts:
            yield path


def move_beside(worktree: Path) -> tuple[str, ...]:
    """All of them, to a new folder beside the worktree; says which files of it they were."""
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
    """Until the next receipt tells it: a turn that was killed has none."""
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
