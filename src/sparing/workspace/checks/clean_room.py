"""A folder for checks with the files of a commit and nothing that an agent left beside them.

It takes the worktree's own path while a check runs, because environments contain that path; the
worktree itself is moved aside. What a check writes is discarded with the folder.
"""

from __future__ import annotations

import os
from collections.abc import Generator
from contextlib import contextmanager
from pathlib import Path

from sparing.errors import RepositoryError
from sparing.workspace.checks import installed_packages
from sparing.workspace.checks.installed_packages import remove_tree
from sparing.workspace.checks.worktree_swap import beside, claimed, lock_of, park, unpark, used_of
from sparing.workspace.git import private_index
from sparing.workspace.git.own_git import folder_of
from sparing.workspace.git.runner import Git
from sparing.workspace.git.worktree import Worktree
from sparing.workspace.project.sparse_checkout import Cone, read_cone


@contextmanager
def clean_room(worktree: Worktree, commit: str, *, part: bool = False) -> Generator[None]:
    """Put the commit's files and the sealed environment at the worktree's path for the duration.

    With `part`, only as much of them as the worktree itself holds.
    """
    path = worktree.path
    with claimed(path) as free:
        if not free:
            raise RepositoryError(f"a check is already running in {path}", "wait until it ends")
        _leave(path)
        room = beside(path, "clean")
        remove_tree(room)
        _fill(worktree, commit, room, read_cone(worktree.git_dir) if part else ())
        try:
            park(path, room)
            yield
        finally:
            _leave(path)


def remove_traces(path: Path) -> None:
    """Remove what is left of a worktree that is gone."""
    installed_packages.unseal(path)
    for place in (beside(path, "clean"), used_of(path), lock_of(path), folder_of(path)):
        remove_tree(place)


def _leave(path: Path) -> None:
    unpark(path)
    used = used_of(path)
    if used.exists():
        installed_packages.take_back(path, used)
        remove_tree(used)


def _fill(worktree: Worktree, commit: str, room: Path, cone: Cone) -> None:
    room.mkdir(mode=0o700)
    entry = worktree.git_dir
    index = entry / "sparing.clean-index"
    index.unlink(missing_ok=True)
    git = Git(entry, room, index, worktree.repository.trusted, cone=cone)
    if cone:
        private_index.load(git, commit)
        private_index.fill(git)
    else:
        git.run("read-tree", commit)
        git.run("checkout-index", "--all", "--quiet")
        private_index.unpack(git)
    installed_packages.bring(worktree.path, room)
    (room / ".git").write_bytes(os.fsencode(f"gitdir: {entry}\n"))
