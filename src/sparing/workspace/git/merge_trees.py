"""Two commits made one tree, by git's own merge, without a working folder and without a ref."""

from __future__ import annotations

import os
import tempfile
from pathlib import Path, PurePosixPath
from typing import NamedTuple

from sparing.workspace.git.private_index import write_over
from sparing.workspace.git.repository import Repository
from sparing.workspace.git.runner import Git


class MergedTree(NamedTuple):
    tree: str
    conflicts: tuple[str, ...]


def merge_trees(repo: Repository, base: str, tip: str) -> MergedTree:
    """In a folder that holds the attributes of the base commit, nothing else."""
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
