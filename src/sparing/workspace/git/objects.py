"""Commits and refs, written so that a replay writes the same ones again.

Identity, dates and message are given, so equal input gives an equal id. A ref moves only from the
commit it is believed to point to, and is on disk when the call returns.
"""

from __future__ import annotations

import os
import re
import stat
from collections.abc import Iterable, Sequence
from dataclasses import replace
from itertools import count
from pathlib import Path, PurePosixPath
from typing import NamedTuple

from sparing.workspace.git.direct.history_reader import read_commit
from sparing.workspace.git.direct.loose_object import write_loose_commit
from sparing.workspace.git.object_reader import NoAnswer
from sparing.workspace.git.runner import Git, common_dir, failure
from sparing.workspace.git.user import SPARING, CommitSigner, GitIdentity, signed_commit

NO_COMMIT = "0" * 40


class CommitStamp(NamedTuple):
    """A commit's message and metadata; equal values make an equal commit."""

    subject: str
    run_id: str
    step_id: str
    at: float
    author: GitIdentity = SPARING
    trailer: str = ""
    """Who contributed, one line each."""
    signer: CommitSigner | None = None

    @property
    def text(self) -> str:
        return self.with_body("")

    def with_body(self, body: str) -> str:
        told = f"{body.strip()}\n\n" if body.strip() else ""
        helped = "".join(f"{_one_line(line)}\n" for line in self.trailer.splitlines())
        return f"{_one_line(self.subject)}\n\n{told}{helped}{self.trailers}"

    @property
    def trailers(self) -> str:
        return f"Run-Id: {_one_line(self.run_id)}\nStep-Id: {_one_line(self.step_id)}\n"


def has_trailers(git: Git, commit: str, stamp: CommitStamp) -> bool:
    """Whether this commit was made by that step of that run."""
    text = os.fsdecode(git.run("cat-file", "commit", commit))
    return text.endswith(f"\n{stamp.trailers}")


def make_commit(
    git: Git, tree: str, parents: Sequence[str], stamp: CommitStamp, body: str = ""
) -> str:
    env = identity(stamp.at, stamp.author)
    return write_commit(git, tree, parents, stamp.with_body(body), env, stamp.signer)


def write_commit(
    git: Git,
    tree: str,
    parents: Sequence[str],
    text: str,
    env: dict[str, str],
    signer: CommitSigner | None,
) -> str:
    flags = [flag for parent in parents for flag in ("-p", parent)]
    args, stdin = (tree, *flags, "-F", "-"), text.encode(errors="replace")
    unsigned = write_loose_commit(git, tree, parents, stdin, env) or git.text(
        "commit-tree", *args, stdin=stdin, env=env
    )
    return signed_commit(git, unsigned, args, stdin, env, signer) if signer else unsigned


def identity(at: float, author: GitIdentity = SPARING) -> dict[str, str]:
    """Environment variables that say who commits and when."""
    date = f"@{int(at)} +0000"
    return {
        f"GIT_{who}_{what}": value
        for who in ("AUTHOR", "COMMITTER")
        for what, value in (("NAME", author.name), ("EMAIL", author.email), ("DATE", date))
    }


def committed_at(git: Git, commit: str) -> float:
    """When a commit was made, in seconds since the epoch; `commit` is its id."""
    try:
        return float(read_commit(replace(git, work_tree=None, index=None), commit).seconds)
    except NoAnswer:
        return float(git.text("show", "--no-patch", "--format=%ct", commit))


def no_commit(like: str) -> str:
    """The null id, in the length that ids have in this repository."""
    return "0" * len(like)


def move_ref(git: Git, ref: str, new: str, old: str) -> str:
    """Compare and swap; returns where the ref points now, which is `new` if it worked.

    `NO_COMMIT` as old means that the ref must not exist yet.
    """
    # In a repository of SHA-256 ids nothing has more zeros.
    before = no_commit(new) if old == NO_COMMIT else old
    args = ("update-ref", "--end-of-options", ref, new, before)
    done = git.ask(*args)
    if done.returncode == 0:
        settle(git, ref, new)
        return new
    if b"cannot lock ref" not in done.stderr or b"File exists" in done.stderr:
        raise failure(args, done)
    return git.text("rev-parse", "--verify", "--quiet", ref, ok_codes=(0, 1, 128))


def salvage_ref(name: str) -> str:
    return own_ref("salvage", name)


def own_ref(folder: str, name: str) -> str:
    """The name of a ref of ours; flat, so that no name is a folder of another."""
    flat = re.sub(r"[^A-Za-z0-9_.-]+|\.{2,}", "-", name).strip(".").removesuffix(".lock")
    return f"refs/sparing/{folder}/{flat or 'work'}"


def keep(git: Git, name: str, commit: str) -> str:
    """Hold a commit that no branch holds under a new ref of ours; existing refs never move."""
    first = salvage_ref(name)
    for number in count(1):
        ref = first if number == 1 else f"{first}-{number}"
        if move_ref(git, ref, commit, NO_COMMIT) == commit:
            return ref
    raise AssertionError("numbers do not end")


def settle(git: Git, ref: str, commit: str) -> None:
    """Sync the folders of a ref and its commit to disk; git syncs only the files."""
    git_dir = common_dir(git.git_dir)
    folders = [git_dir / "objects" / commit[:2], git_dir / "objects"]
    folder = (git_dir / ref).parent
    while folder != git_dir:
        folders.append(folder)
        folder = folder.parent
    for folder in folders:
        _sync(folder)


def settle_files(root: Path, paths: Iterable[str]) -> None:
    """Sync files below a folder, and the folders that contain them; what is missing is skipped."""
    folders: set[Path] = set()
    for path in paths:
        if not (root / path).is_symlink():
            _sync(root / path)
        folders |= {root / parent for parent in PurePosixPath(path).parents}
    for folder in sorted(folders):
        _sync(folder)


def _sync(path: Path) -> None:
    try:
        file = os.open(path, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC)
    except OSError:
        return
    try:
        if stat.S_IFMT(os.fstat(file).st_mode) in (stat.S_IFREG, stat.S_IFDIR):
            os.fsync(file)
    finally:
        os.close(file)


def _one_line(text: str) -> str:
    return " ".join(text.split())
