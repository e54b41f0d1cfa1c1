"""What git stores of files that `.gitattributes` says to be in another encoding.

git converts such a file to UTF-8 as it stores it: what is on disk may show nothing of what is
committed. Only git itself says what that is, because it knows more encodings than Python.
"""

from __future__ import annotations

import os
import tempfile
from collections.abc import Sequence
from contextlib import suppress

from sparing.workspace.git.direct.attributes_files import may_have_attributes
from sparing.workspace.git.private_index import lines
from sparing.workspace.git.runner import GitFailed
from sparing.workspace.git.worktree import Worktree

ATTRIBUTE = "working-tree-encoding"
_NONE = frozenset({"unspecified", "unset"})


def recoded_paths(worktree: Worktree, parent: str, paths: Sequence[str]) -> frozenset[str]:
    """Those of the paths that git converts."""
    git = worktree.git()
    if not may_have_attributes(git, worktree.repository.git(), parent, paths):
        return frozenset()
    told = git.run("check-attr", "-z", "--stdin", ATTRIBUTE, stdin=lines(paths))
    fields = os.fsdecode(told).split("\0")
    return frozenset(path for path, _, value in _rows(fields) if value not in _NONE)


def as_stored(worktree: Worktree, path: str) -> bytes:
    """The content that git would store; empty if it would refuse to. Nothing is stored for good."""
    if (worktree.path / path).is_symlink():
        return b""
    git = worktree.git()
    with tempfile.TemporaryDirectory(prefix="sparing-stored-") as folder, suppress(GitFailed):
        env = {"GIT_OBJECT_DIRECTORY": folder}
        digest = git.text("hash-object", "-w", "--", path, env=env)
        return git.run("cat-file", "blob", digest, env=env)
    return b""


def _rows(fields: Sequence[str]) -> zip[tuple[str, str, str]]:
    return zip(fields[0::3], fields[1::3], fields[2::3], strict=False)
