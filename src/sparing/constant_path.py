"""One path for every worktree, as agents and checks see it where the system can do that.

What they say of it is the same in every worktree and on every machine, so prompts and sessions are
too. Whatever comes back from them is told from the worktree on, as people say it.
"""

from __future__ import annotations

import re
from pathlib import Path

TOP = Path("/sparing")
WORKTREE = TOP / "work"
GIT = TOP / "git"
"""What git knows of it."""
PRIVATE = TOP / "run"
"""A folder that one process has to itself: HOME and the like."""

_NAMED = re.compile(rf"{WORKTREE}/+(?=[^\s/\"'`)>\]:,;])")
_ITSELF = re.compile(rf"{WORKTREE}(?![\w-])/*")


def told(text: str) -> str:
    """A text with paths from the worktree on, in place of those that only the sandbox has."""
    if str(WORKTREE) not in text:
        return text
    return _ITSELF.sub(".", _NAMED.sub("", text))


def inside(path: str, root: Path) -> str:
    """Where a path that a sandboxed client names lies on the host."""
    seen = str(WORKTREE)
    if path == seen or path.startswith(f"{seen}/"):
        return f"{root}{path[len(seen) :]}"
    return path
