"""Keeps the work of a writer's turn as a commit before its reply is recorded.

Between the reply and the commit on the branch the work would be on one disk only. A ref of ours
holds it meanwhile, so that it can be restored if the worktree is lost, or on another machine.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from contextlib import suppress

from sparing.workspace.git import private_index
from sparing.workspace.git.direct.staged_tree import staged_tree
from sparing.workspace.git.index_entries import FilesNotStorable
from sparing.workspace.git.object_reader import NoAnswer, object_id, swap_ref
from sparing.workspace.git.objects import (
    CommitStamp,
    committed_at,
    make_commit,
    move_ref,
    no_commit,
    own_ref,
    settle,
    settle_files,
)
from sparing.workspace.git.repository import Repository
from sparing.workspace.git.worktree import Worktree, is_empty, restore

FOLDER = "turns"
Paths = tuple[str, ...]


def turn_ref(dispatch: str, attempt: int) -> str:
    return own_ref(FOLDER, f"{dispatch}.{attempt}")


def keep_turn(
    worktree: Worktree, head: str, dispatch: str, attempt: int, refused: Callable[[Paths], object]
) -> str:
    """Commit all that differs from `head`; empty if nothing does, if git can't store it, or if it
    is `refused`: what may not be committed must not be kept as a commit either."""
    if is_empty(worktree.path):
        return ""
    with worktree.held() as git:
        private_index.load(git, head)
        found = private_index.scan(git)
        settle_files(worktree.path, found.paths)
        if not found.paths or refused(found.on_disk):
            return ""
        try:
            tree = staged_tree(git, worktree.repository.git(), head, found)
        except FilesNotStorable:  # the commit that follows says so
            return ""
        date = committed_at(git, head)
        stamp = CommitStamp("Keep what a turn left", dispatch, f"turn {attempt}", date)
        commit = make_commit(git, tree, (head,), stamp)
        private_index.note_equal(git, commit)
        _hold(worktree.repository, turn_ref(dispatch, attempt), commit)
        return commit


def _hold(repo: Repository, ref: str, commit: str) -> None:
    """Point the ref to the commit, wherever it pointed before."""
    git, nothing = repo.git(), no_commit(commit)
    with suppress(NoAnswer):
        swap_ref(git, ref, commit, nothing)
        settle(git, ref, commit)
        return
    if (stands := move_ref(git, ref, commit, nothing)) != commit:
        move_ref(git, ref, commit, stands)


def as_left(worktree: Worktree, head: str, dispatch: str, attempt: int) -> str:
    """The commit with what the turn left, if the files are still the same; else empty."""
    commit = object_id(worktree.repository.git(), turn_ref(dispatch, attempt))
    kept = commit and worktree.tip() == head and _equal(worktree, commit)
    return commit if kept else ""


def lay_down(worktree: Worktree, head: str, dispatch: str, attempt: int) -> bool:
    """Restore the files that the turn left, if they differ; returns whether they did.

    What is there instead is kept, unless it equals the head.
    """
    repo = worktree.repository
    commit = object_id(repo.git(), turn_ref(dispatch, attempt))
    if not commit or worktree.tip() != head or _equal(worktree, commit):
        return False
    changed = not _equal(worktree, head)
    restore(worktree, commit, f"{dispatch}.{attempt}.found" if changed else "")
    return True


def drop_turns(repo: Repository, dispatch: str, attempts: Sequence[int]) -> None:
    """Delete the refs of turns whose work is on a branch by now."""
    for attempt in attempts:
        ref = turn_ref(dispatch, attempt)
        if commit := object_id(repo.git(), ref):
            try:
                swap_ref(repo.git(), ref, no_commit(commit), commit)
            except NoAnswer:
                repo.git().ask("update-ref", "-d", "--end-of-options", ref, commit)


def _equal(worktree: Worktree, commit: str) -> bool:
    with worktree.held() as git:
        private_index.load(git, commit)
        return not private_index.scan(git).paths
