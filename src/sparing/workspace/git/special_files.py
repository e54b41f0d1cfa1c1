"""Pipes, sockets and devices under names that git opens: it would wait for them for ever.

Under any other name git leaves them alone. A walk goes by what the folder says of its entries and
opens nothing.
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path

READ_BY_GIT = frozenset({".gitignore", ".gitattributes", ".gitmodules", ".mailmap", ".lfsconfig"})


def blocking_files(root: Path) -> Iterator[Path]:
    """None in `.git` and none behind a link: an agent can't reach the one, git not the other."""
    try:
        entries = list(os.scandir(root))
    except OSError:
        return
    for entry in entries:
        if entry.is_dir(follow_symlinks=False):
            if entry.name != ".git":
                yield from blocking_files(Path(entry.path))
        elif entry.name.casefold() in READ_BY_GIT and not _is_plain(entry):
            yield Path(entry.path)


def put_pipes_aside(worktree: Path) -> tuple[str, ...]:
    """Beside the worktree, where they hold up nobody; says which files of it they were."""
    moved: list[str] = []
    for path in list(blocking_files(worktree)):
        path.rename(free_place(worktree))
        moved.append(str(path.relative_to(worktree)))
    return tuple(moved)


def free_place(worktree: Path) -> Path:
    number = 1
    while (place := worktree.with_name(f"{worktree.name}.aside-{number}")).exists():
        number += 1
    return place


def _is_plain(entry: os.DirEntry[str]) -> bool:
    return entry.is_symlink() or entry.is_file(follow_symlinks=False)
