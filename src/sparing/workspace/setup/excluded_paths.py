"""Paths of one worktree that git must ignore: what a set-up made, files that are lent."""

from __future__ import annotations

from collections.abc import Iterable

from sparing.workspace.git.private_index import excludes_of
from sparing.workspace.git.special_files import read_plain
from sparing.workspace.git.worktree import Worktree


def exclude(worktree: Worktree, paths: Iterable[str]) -> None:
    """Make git ignore these paths in this worktree, unless they are tracked."""
    file = excludes_of(worktree.git_dir)
    known = (read_plain(file) or b"").decode("utf-8").splitlines()
    lines = [f"/{_escaped(path)}" for path in paths]
    file.write_text("".join(f"{one}\n" for one in dict.fromkeys((*known, *lines))), "utf-8")


def _escaped(path: str) -> str:
    return "".join(f"\\{letter}" if letter in "*?[]\\ !#" else letter for letter in path)
