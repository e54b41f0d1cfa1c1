"""Puts files on disk, when needed, that a worktree with part of its repository left out."""

from __future__ import annotations

import os
from collections.abc import Collection

from sparing.workspace.git import private_index
from sparing.workspace.git.repository import find_entry
from sparing.workspace.git.worktree import Worktree
from sparing.workspace.project.sparse_checkout import read_cone


def known_files(worktree: Worktree) -> list[str]:
    """Tracked and new files, without ignored ones; on disk or not."""
    git = worktree.git()
    found = git.run("ls-files", "-z", "--cached", "--others", "--exclude-standard")
    return [path for path in os.fsdecode(found).split("\0") if path]


def bring_files(
    worktree: Worktree, wanted: Collection[str], most: int, *, folders: bool = True
) -> int:
    """Put files on disk that a worktree has left out, by name or with all of a folder.

    If they are more than `most`, none is written; returns how many are still left out.
    """
    entry = find_entry(worktree.repository, worktree.path)
    if entry is None or not read_cone(entry):
        return 0
    with worktree.held() as git:
        missing = private_index.listed(git, absent=True)
        found = [one for one in missing if one in wanted or (folders and _is_below(one, wanted))]
        if len(found) > most:
            return len(found)
        if found:
            private_index.mark(git, found, on_disk=True)
            private_index.write_over(git, found)
            private_index.publish(git)
        return 0


def _is_below(path: str, wanted: Collection[str]) -> bool:
    return any(not one or path.startswith(f"{one}/") for one in wanted)
