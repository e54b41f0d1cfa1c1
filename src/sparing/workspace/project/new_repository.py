"""New repositories: one with a commit, as the sample that the demo works on, and one that reads
another's objects.

In the latter, branches, worktrees and the index are its own: the user's repository is only read. It
needs no copy of the objects and is removed by deleting its folder.
"""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

from sparing.workspace.git.objects import (
    NO_COMMIT,
    identity,
    move_ref,
    settle_files,
    write_commit,
)
from sparing.workspace.git.repository import Repository, find_repository
from sparing.workspace.git.runner import Git
from sparing.workspace.git.special_files import read_plain

BRANCH = "main"
SHALLOW = "shallow"
"""The file in which a shallow clone notes where its history ends."""


def create_repository(path: Path, files: Mapping[str, str], subject: str, at: float) -> Repository:
    """Make a repository with one commit; equal arguments give an equal commit id."""
    git_dir = path / ".git"
    git_dir.mkdir(parents=True)
    git = Git(git_dir, path)
    git.run("init", "--quiet", f"--initial-branch={BRANCH}", "--template=")
    for name, text in files.items():
        file = path / name
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(text, "utf-8")
    git.run("update-index", "--add", "--stdin", stdin="\n".join(sorted(files)).encode())
    tree, who = git.text("write-tree"), identity(at)
    commit = write_commit(git, tree, (), f"{subject}\n", who, None)
    made = [str(file.relative_to(path)) for file in path.rglob("*") if file.is_file()]
    settle_files(path, made)
    move_ref(git, f"refs/heads/{BRANCH}", commit, NO_COMMIT)
    return find_repository(path)


def shadow_repository(of: Repository, path: Path, base: str) -> Repository:
    """A repository that borrows the objects of another; its only branch points to `base`."""
    git_dir = path / ".git"
    git_dir.mkdir(parents=True, mode=0o700)
    git = Git(git_dir, path)
    git.run("init", "--quiet", f"--initial-branch={BRANCH}", "--template=")
    alternates = git_dir / "objects" / "info" / "alternates"
    alternates.parent.mkdir(parents=True, exist_ok=True)
    theirs = of.git_dir / "objects"
    further = read_plain(theirs / "info" / "alternates") or b""
    alternates.write_bytes(f"{theirs}\n".encode() + further)
    if limits := read_plain(of.git_dir / SHALLOW):
        (git_dir / SHALLOW).write_bytes(limits)
    move_ref(git, f"refs/heads/{BRANCH}", base, NO_COMMIT)
    return find_repository(path)
