"""Brings files of a worktree into its private index, in the form that `.gitattributes` says.

A repository may say that a file has another encoding than it has, and an agent may change what it
says: git then refuses to store the file.
"""

from __future__ import annotations

import os
import re

from sparing.errors import RepositoryError
from sparing.workspace.git.private_index import Scan, lines
from sparing.workspace.git.runner import Git, GitFailed

_NOT_STORABLE = re.compile(
    r"BOM is |failed to encode |encoding |(?:CR)?LF would be |true/false are no valid "
)


class FilesNotStorable(RepositoryError):
    """Files that don't have the form which `.gitattributes` says they have."""


def add(git: Git, found: Scan, *options: str) -> None:
    """Bring what was found into the index: first deletions, then files on disk."""
    if found.deleted:
        git.run("update-index", "--force-remove", "-z", "--stdin", stdin=lines(found.deleted))
    if not found.on_disk:
        return
    args = ("--add", "--remove", *options, "-z", "--stdin")
    try:
        git.run("update-index", *args, stdin=lines(found.on_disk))
    except GitFailed as failed:
        printed = failed.stderr.splitlines()
        told = [one.removeprefix("fatal: ") for one in printed if one.startswith("fatal: ")]
        if not told or not _NOT_STORABLE.match(told[0]):
            raise
        raise FilesNotStorable(
            f"git can't store what was written: {told[0]}",
            "git check-attr -a FILE shows the rules for a file; they are in .gitattributes",
        ) from failed


def add_anyway(git: Git, found: Scan) -> None:
    """The same for what is only kept: byte for byte where git would refuse to convert a file."""
    try:
        add(git, found)
    except FilesNotStorable:
        rows = b"".join(_as_it_is(git, path) for path in found.on_disk)
        git.run("update-index", "-z", "--index-info", stdin=rows)


def _as_it_is(git: Git, path: str) -> bytes:
    assert git.work_tree is not None, "there must be a folder to look into"
    place = git.work_tree / path
    if place.is_symlink():
        target = os.fsencode(place.readlink())
        mode, digest = "120000", git.text("hash-object", "-w", "--stdin", stdin=target)
    else:
        mode = "100755" if place.stat().st_mode & 0o100 else "100644"
        digest = git.text("hash-object", "-w", "--no-filters", "--", path)
    return f"{mode} {digest}\t".encode() + os.fsencode(path) + b"\0"
