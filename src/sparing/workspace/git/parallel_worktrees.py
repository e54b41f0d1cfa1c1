"""Lanes: worktrees for tasks that are worked on side by side, and how their work is merged.

A lane has a branch of ours, which starts at the feature's head and is deleted when the wave is
over. Its commits are merged by plumbing, one after the other; the feature's branch moves once, when
all of it is known to be good. What can't be merged is kept under a ref before its lane is removed.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator, Sequence
from typing import NamedTuple

from sparing.errors import RepositoryError
from sparing.workspace.git import private_index
from sparing.workspace.git.merge_trees import merge_trees
from sparing.workspace.git.object_reader import object_id
from sparing.workspace.git.objects import CommitStamp, keep, make_commit, move_ref, no_commit
from sparing.workspace.git.remove_worktree import retire
from sparing.workspace.git.repository import Repository, branch_commit, contains, find_entry
from sparing.workspace.git.runner import Git
from sparing.workspace.git.worktree import Worktree, restore
from sparing.workspace.project.paths import Confined

PREFIX = "sparing/"
"""Prefix of the branches of lanes."""


class Joined(NamedTuple):
    commit: str
    conflicts: tuple[str, ...] = ()
    """Files that both sides changed; if there are any, the commit is the unchanged head."""


def lane_name(feature: str, lane: str) -> str:
    """The name of a lane's folder, beside that of the feature."""
    return f"{feature}+{lane}" if lane else feature


def lane_branch(feature: str, lane: str) -> str:
    return f"{PREFIX}{feature}/{lane}"


def is_lane_of(name: str, features: frozenset[str]) -> bool:
    feature, plus, _ = name.partition("+")
    return bool(plus) and feature in features


def join(repo: Repository, head: str, commit: str, stamp: CommitStamp) -> Joined:
    """Merge two commits; if one contains the other, it is taken as it is. No ref moves."""
    if contains(repo, head, commit):
        return Joined(head)
    if contains(repo, commit, head):
        return Joined(commit)
    merge = merge_trees(repo, head, commit)
    if merge.conflicts:
        return Joined(head, merge.conflicts)
    return Joined(make_commit(repo.git(), merge.tree, (head, commit), stamp))


def show(worktree: Worktree, commit: str) -> None:
    """Replace the files by those of a commit; the branch does not move."""
    with worktree.held() as git:
        _show(worktree, git, commit)


def move_on(worktree: Worktree, head: str, new: str) -> None:
    """Move the branch and its files from one commit to a later one."""
    with worktree.held() as git:
        _move(worktree, git, head, new)


def as_before(
    worktree: Worktree, head: str, good: str, paths: Sequence[str], stamp: CommitStamp
) -> str:
    """Make a commit after `head` in which these files are as they were at `good`. No ref moves."""
    with worktree.held() as git:
        private_index.load(git, head)
        known = dict(_entries(git, good, paths))
        lines = (known.get(path, f"0 {no_commit(head)}\t{path}") for path in paths)
        git.run("update-index", "-z", "--index-info", stdin=private_index.lines(lines))
        tree = git.text("write-tree")
    if tree == object_id(worktree.repository.git(), f"{head}^{{tree}}"):
        return head
    return make_commit(git, tree, (head,), stamp)


def lanes_of(repo: Repository, feature: str) -> tuple[str, ...]:
    """Lanes that exist, including those of a wave that was abandoned."""
    start = f"refs/heads/{lane_branch(feature, '')}"
    names = repo.git().text("for-each-ref", "--format=%(refname)", start).splitlines()
    return tuple(name.removeprefix(start) for name in names)


def remove_lane(
    worktree: Worktree,
    home: str,
    withhold: Callable[[tuple[str, ...]], object],
    known: Sequence[str] = (),
) -> str:
    """Remove a lane; what `home` lacks is kept under a ref. Returns the reason if it stays."""
    repo, tip = worktree.repository, branch_commit(worktree.repository, worktree.branch)
    if tip is None:
        return ""
    if find_entry(repo, worktree.path) is not None and worktree.path.is_dir():
        restore(worktree, tip, f"{worktree.branch}/left", withhold)
    if not contains(repo, home, tip):
        keep(repo.git(), worktree.branch, tip)
    if reason := retire(worktree, tip, known):
        return reason
    repo.git().run("update-ref", "-d", worktree.ref, tip)
    return ""


def _show(worktree: Worktree, git: Git, commit: str) -> None:
    private_index.load(git, commit)
    found = private_index.scan(git)
    files = Confined(worktree.path)
    for path in found.untracked:
        files.remove(path)
    private_index.write_over(git, (*found.modified, *found.deleted, *found.special))
    private_index.unpack(git)


def _move(worktree: Worktree, git: Git, head: str, new: str) -> None:
    """Move the branch; when replayed, it may have moved already, perhaps even further."""
    stands = move_ref(git, worktree.ref, new, head) if new != head else new
    if stands != new:
        if not contains(worktree.repository, stands, new):
            raise RepositoryError(
                f"{worktree.branch} should be at {head[:10]} but is at {stands[:10]}",
                f"git log {worktree.branch} shows who moved it, then: sparing resume",
            )
        new = stands
    _show(worktree, git, new)
    private_index.publish(git)


def _entries(git: Git, commit: str, paths: Sequence[str]) -> Iterator[tuple[str, str]]:
    """The index line of each path that is in the commit."""
    listed = git.run("ls-tree", "-r", "-z", "--full-tree", commit, "--", *paths) if paths else b""
    for line in os.fsdecode(listed).split("\0"):
        if line:
            fields, path = line.split("\t", 1)
            mode, _, digest = fields.split(" ")
            yield path, f"{mode} {digest}\t{path}"
