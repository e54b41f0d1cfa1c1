"""What a set-up reads: the files that say what is loaded and run when a worktree is made usable.

A person agrees to commands, and with them to what these files say at the commit a feature
starts from. An agent may change them; what they say then was seen by nobody and is asked about.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable
from pathlib import Path

from sparing.workspace.plain_file import WHOLE, read_plain
from sparing.workspace.setup import Plan

NAMES = (
    "Makefile", "pyproject.toml", "setup.py", "setup.cfg", "uv.lock", "poetry.lock",
    "package.json", "package-lock.json", "pnpm-lock.yaml", "yarn.lock", ".npmrc",
    "Cargo.toml", "Cargo.lock", "go.mod", "go.sum",
)  # fmt: skip
OWN_TARGET = "make"
"""A command that runs the repository's own recipe; its file counts only then."""
Read = Callable[[str], bytes | None]


def ingredients(plan: Plan) -> tuple[str, ...]:
    """The files of a repository that decide what these commands do."""
    makes = any(one.argv[0] == OWN_TARGET for one in plan.commands)
    known = [name for name in NAMES if makes or name != "Makefile"]
    origins = [one.origin for one in plan.commands if one.origin != "workspace.setup"]
    return tuple(dict.fromkeys((*known, *origins))) if plan.commands else ()


def fingerprint(plan: Plan, read: Read) -> str:
    """Equal for as long as a set-up would load and run the same."""
    told = hashlib.sha256(plan.digest.encode())
    for name in ingredients(plan):
        data = read(name)
        told.update(f"\0{name}\0{'absent' if data is None else len(data)}\0".encode())
        told.update(data or b"")
    return told.hexdigest()


def changed(plan: Plan, before: Read, now: Read) -> tuple[str, ...]:
    return tuple(name for name in ingredients(plan) if before(name) != now(name))


def reader(root: Path) -> Read:
    """Files of a folder; a link is not followed, a folder is no file."""

    def read(name: str) -> bytes | None:
        return read_plain(root / name, WHOLE)

    return read
