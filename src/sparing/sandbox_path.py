"""One path for every worktree, as agents and checks see it if the system supports that.

It is the same in every worktree and on every machine, so prompts and sessions are too. Paths in
what they return are made relative to the worktree, as people write them.
"""

from __future__ import annotations

import re
from pathlib import Path

TOP = Path("/sparing")
WORKTREE = TOP / "work"
GIT = TOP / "git"
"""Where the git folder is."""
PRIVATE = TOP / "run"
"""A folder private to one process: HOME and the like."""

_NAMED = re.compile(rf"{WORKTREE}/+(?=[^\s/\"'`)>\]:,;])")
_ITSELF = re.compile(rf"{WORKTREE}(?![\w-])/*")


def told(text: str) -> str:
    """A text in which paths of the sandbox are replaced by paths relative to the worktree."""
    if str(WORKTREE) not in text:
        return text
    return _ITSELF.sub(".", _NAMED.sub("", text))


def inside(path: str, root: Path) -> str:
    """The host's path for a path that a sandboxed client names."""
    seen = str(WORKTREE)
    if path == seen or path.startswith(f"{seen}/"):
        return f"{root}{path[len(seen) :]}"
    return path
