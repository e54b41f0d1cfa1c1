"""Merges two commits into a tree, and rewrites a branch without merges: squashed or rebased.

By git's own merge, without a working folder; no ref moves, and equal input gives equal commits.
"""

from __future__ import annotations

import os
import re
import tempfile
from contextlib import suppress
from pathlib import Path, PurePosixPath
from typing import NamedTuple

from sparing.workspace.git.direct.history_reader import leads_to, read_commit
from sparing.workspace.git.object_reader import NoAnswer, object_id
from sparing.workspace.git.objects import CommitStamp, identity, make_commit, write_commit
from sparing.workspace.git.private_index import write_over
from sparing.workspace.git.repository import Repository
from sparing.workspace.git.runner import Git
from sparing.workspace.git.user import CommitSigner

_STEPS = ("Run-Id: ", "Step-Id: ")
_WHO = re.compile(r"^(author|committer) (.*) <(.*)> (\d+ [+-]\d{4})$", re.MULTILINE)


class MergedTree(NamedTuple):
    tree: str
    conflicts: tuple[str, ...]


def merge_trees(repo: Repository, base: str, tip: str) -> MergedTree:
    """Merge in a temporary folder that holds only the attributes of the base commit; a branch that
    has the base in it is merged already."""
    if leads_to(repo.git(), tip, base):
        with suppress(NoAnswer):
            return MergedTree(read_commit(repo.git(), tip).tree, ())
    with tempfile.TemporaryDirectory(prefix="sparing-") as folder:
        attributes = Path(folder) / "attributes"
        attributes.mkdir()
        git = Git(repo.git_dir, attributes, Path(folder) / "index", repo.trusted)
        git.run("read-tree", base)
        listed = os.fsdecode(git.run("ls-files", "-z")).split("\0")
        write_over(git, [p for p in listed if PurePosixPath(p).name == ".gitattributes"])
        args = ("--write-tree", "-z", "--name-only", "--no-messages")
        out = git.run("merge-tree", *args, base, tip, ok_codes=(0, 1))
    tree, *conflicts = os.fsdecode(out).rstrip("\0").split("\0")
    return MergedTree(tree, tuple(conflicts))


class RewrittenBranch(NamedTuple):
    commit: str
    conflicts: tuple[str, ...] = ()
    """Files that both sides changed; if there are any, there is no commit."""


def squashed(
    repo: Repository, base: str, tip: str, stamp: CommitStamp, body: str
) -> RewrittenBranch:
    """One commit on top of the base with all changes of the branch and all who contributed."""
    merged = merge_trees(repo, base, tip)
    if merged.conflicts:
        return RewrittenBranch("", merged.conflicts)
    stamp = stamp._replace(trailer="\n".join(_helpers(repo, base, tip)))
    return RewrittenBranch(make_commit(repo.git(), merged.tree, (base,), stamp, body))


def _helpers(repo: Repository, base: str, tip: str) -> list[str]:
    """Trailers of the branch's commits, without duplicates or step ids."""
    form = "--format=%(trailers:only,unfold)"
    told = repo.git().text("log", "--reverse", form, tip, f"^{base}", "--").splitlines()
    return list(dict.fromkeys(one for one in told if one and not one.startswith(_STEPS)))


def rebased(repo: Repository, base: str, tip: str, signer: CommitSigner | None) -> RewrittenBranch:
    """Rebase the branch's commits onto the base, without merges; unchanged if already there."""
    listed = repo.git().text("rev-list", "--reverse", "--topo-order", "--parents", tip, f"^{base}")
    lines = [line.split() for line in listed.splitlines()]
    onto = base
    for commit, *parents in lines:
        if parents == [onto]:
            onto = commit
        elif len(parents) == 1:
            made = _replayed(repo, onto, commit, parents[0], signer)
            if made.conflicts:
                return made
            onto = made.commit
    return RewrittenBranch(onto)


def _replayed(
    repo: Repository, onto: str, commit: str, parent: str, signer: CommitSigner | None
) -> RewrittenBranch:
    """Apply a commit's change on top of another one; a change already there adds no commit."""
    git = repo.git()
    here = object_id(git, f"{onto}^{{tree}}")
    # Beside the commit and with its parent: git merges them over exactly that one.
    beside = write_commit(git, here, (parent,), "beside\n", identity(0), None)
    merged = merge_trees(repo, beside, commit)
    if merged.conflicts:
        return RewrittenBranch("", merged.conflicts)
    if merged.tree == here:
        return RewrittenBranch(onto)
    head, _, text = os.fsdecode(git.run("cat-file", "commit", commit)).partition("\n\n")
    env = {
        f"GIT_{who.upper()}_{what}": value
        for who, name, email, date in _WHO.findall(head)
        for what, value in (("NAME", name), ("EMAIL", email), ("DATE", f"@{date}"))
    }
    return RewrittenBranch(write_commit(git, merged.tree, (onto,), text, env, signer))
