"""Untracked files that the work needs, such as `.env`, lent to a worktree.

They are copies, seen by authors and checks only: removed before a reviewer starts, never committed,
and changes to them never reach the checkout. Only small regular files of the checkout are lent, and
none that is in a commit of the worktree.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator
from contextlib import suppress
from pathlib import Path, PurePosixPath
from typing import cast

from sparing.workspace.git.special_files import read_plain
from sparing.workspace.git.worktree import Worktree
from sparing.workspace.project.paths import Confined, PathRefused, check_path
from sparing.workspace.setup.excluded_paths import exclude

LIMIT_BYTES = 1_000_000
MOST = 100
LIST = "sparing.copies"


def matching(checkout: Path, patterns: Iterable[str]) -> tuple[str, ...]:
    """Files of the checkout that match a pattern, sorted."""
    found = {path for pattern in patterns for path in _matching(checkout, pattern)}
    return tuple(sorted(found)[:MOST])


def lend(checkout: Path, worktree: Worktree, patterns: Iterable[str]) -> tuple[str, ...]:
    """Make the copies; returns the files that are there now. May be repeated."""
    source, target = Confined(checkout), Confined(worktree.path)
    before, lent = lent_files(worktree), list[str]()
    for path in matching(checkout, patterns):
        if path not in before and target.exists(path):
            continue
        _note(worktree, (*before, *lent, path))
        exclude(worktree, (path,))
        target.write_bytes(path, source.read_bytes(path, LIMIT_BYTES))
        (worktree.path / path).chmod(0o600)
        lent.append(path)
    return tuple(lent)


def take_back(worktree: Worktree) -> tuple[str, ...]:
    """Remove the copies, so that the next agent never sees them. May be repeated."""
    files = Confined(worktree.path)
    lent = lent_files(worktree)
    for path in lent:
        with suppress(FileNotFoundError, NotADirectoryError, IsADirectoryError):
            files.remove(path)
    return lent


def _matching(checkout: Path, pattern: str) -> Iterator[str]:
    for place in checkout.glob(pattern):
        path = place.relative_to(checkout).as_posix()
        if place.is_symlink() or not place.is_file() or place.stat().st_size > LIMIT_BYTES:
            continue
        if ".git" not in PurePosixPath(path).parts and _is_plain(path):
            yield path


def _is_plain(path: str) -> bool:
    try:
        check_path(path)
    except PathRefused:
        return False
    return True


def lent_files(worktree: Worktree) -> tuple[str, ...]:
    """Files that were lent; noted before a copy is made, so that none is missed after a kill."""
    try:
        found: object = json.loads(read_plain(worktree.git_dir / LIST) or b"[]")
    except (OSError, ValueError):
        return ()
    listed = cast("list[object]", found) if isinstance(found, list) else []
    return tuple(path for path in listed if isinstance(path, str) and _is_plain(path))


def _note(worktree: Worktree, paths: Iterable[str]) -> None:
    file = worktree.git_dir / LIST
    fresh = file.with_name(f"{LIST}.new")
    fresh.write_text(json.dumps(sorted(set(paths))), "utf-8")
    fresh.replace(file)
