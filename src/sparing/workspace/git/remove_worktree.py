"""Removes a worktree whose branch has been merged. With anything else in it, it stays.

The folder goes with the files that the repository ignores. Uncommitted work is kept under a ref,
and the folder stays too; it also stays with unmerged commits, a lock of the user's, or a repository
inside. The branch stays; one that was merged at its host may be deleted once its commits are under
a ref of ours.
"""

from __future__ import annotations

import os
import shutil
from collections.abc import Sequence
from pathlib import Path

from sparing.workspace.checks.clean_room import remove_traces
from sparing.workspace.checks.worktree_swap import put_back
from sparing.workspace.git import private_index
from sparing.workspace.git.index_entries import add_anyway
from sparing.workspace.git.lock import held
from sparing.workspace.git.objects import keep
from sparing.workspace.git.repository import Repository, branch_commit, find_entry
from sparing.workspace.git.runner import Git
from sparing.workspace.git.worktree import Worktree, forget, keep_index, mend
from sparing.workspace.project.leaks import leaks


def retire(worktree: Worktree, home: str, known: Sequence[str] = ()) -> str:
    """Remove it if all of it is in the commit `home`; returns the reason if it stays.

    `known` are secret values that no commit may hold, not even one that only we can see.
    """
    repo, gone = worktree.repository, worktree.path.with_name(f"{worktree.path.name}.removed")
    put_back(worktree.path)
    with held(repo.lock):
        shutil.rmtree(gone, ignore_errors=True)  # of a process that died right here
        entry = find_entry(repo, worktree.path)
        if entry is not None:
            with worktree.held() as git:
                if reason := _in_the_way(worktree, git, home, known):
                    return reason
                if worktree.path.exists():
                    worktree.path.rename(gone)
                forget(entry)
    shutil.rmtree(gone, ignore_errors=True)
    remove_traces(worktree.path)
    return f"{gone} can't be removed" if gone.exists() else ""


def drop_branch(repo: Repository, branch: str, commit: str) -> str:
    """Delete a branch that points to `commit`; returns the ref that keeps its commits, or
    nothing if it points elsewhere or is checked out."""
    ref = f"refs/heads/{branch}"
    with held(repo.lock):
        if branch_commit(repo, branch) != commit:
            return ""
        # Not `repo.git()`: told that there is no working folder, git leaves out the main one.
        out = os.fsdecode(repo.checkout_git().run("worktree", "list", "--porcelain", "-z"))
        if f"branch {ref}" in out.split("\0"):
            return ""
        kept = keep(repo.git(), branch, commit)
        done = repo.git().ask("update-ref", "-d", "--end-of-options", ref, commit)
        return kept if done.returncode == 0 else ""


def _in_the_way(worktree: Worktree, git: Git, home: str, known: Sequence[str]) -> str:
    path, tip = worktree.path, worktree.tip()
    if worktree.repository.git().ask("merge-base", "--is-ancestor", tip, home).returncode != 0:
        return f"{worktree.branch} has unmerged commits; its worktree is kept: {path}"
    if (git.git_dir / "locked").exists():
        return f"the worktree is locked and is kept: {path}"
    if not path.is_dir():
        return ""
    mend(worktree, git)
    private_index.load(git, tip)
    found = private_index.scan(git)
    if found.paths:
        return _keep(worktree, git, found, known)
    inner = _inner_repository(path)
    return f"{inner} is a repository itself; the worktree is kept: {path}" if inner else ""


def _keep(worktree: Worktree, git: Git, found: private_index.Scan, known: Sequence[str]) -> str:
    tip, count = worktree.tip(), len(found.paths)
    files = "1 file is" if count == 1 else f"{count} files are"
    stays = f"{files} uncommitted; the worktree is kept: {worktree.path}"
    if leaks(worktree, tip, found.on_disk, known):
        return stays
    add_anyway(git, found)
    kept = keep_index(git, tip, f"{worktree.branch}/left")
    private_index.load(git, tip)
    return f"{stays}; also saved as {kept}"


def _inner_repository(root: Path) -> Path | None:
    """A repository inside, even in an ignored folder: its commits may exist nowhere else."""
    for folder, folders, names in os.walk(root):
        if ".git" in (*folders, *names) and Path(folder) != root:
            return Path(folder)
    return None
