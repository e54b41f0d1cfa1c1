"""Secrets that a change would bring into the repository: searched for before anything is staged.

Files are read from the worktree, and a line that the parent commit already has does not count. What
can't be committed must not be kept as a commit either: `set_aside` moves such files out of the
worktree, to a folder beside it that only the user can read.
"""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path

from sparing.workspace.git.commit import read_file
from sparing.workspace.git.special_files import read_plain
from sparing.workspace.git.worktree import Worktree
from sparing.workspace.project.secrets import Hit, scan

PRIVATE_KEY, KEY_LINES = "private key", 4
READ_LIMIT = 16 * 1024 * 1024
"""Bytes of one file that are searched; the rest is skipped."""


class SecretsFound(Exception):
    """A change that can't be committed. Says where the secrets are, never what they are."""

    def __init__(self, hits: Iterable[Hit]) -> None:
        self.places = tuple(hit.words for hit in hits)
        super().__init__("; ".join(self.places))


def refuse_secrets(
    worktree: Worktree, parent: str, paths: Sequence[str], known: Sequence[str] = ()
) -> None:
    if hits := leaks(worktree, parent, paths, known):
        raise SecretsFound(hits)


def leaks(
    worktree: Worktree, parent: str, paths: Sequence[str], known: Sequence[str] = ()
) -> tuple[Hit, ...]:
    """One hit for each new line with a secret, in the order of the files."""
    found: list[Hit] = []
    for path in paths:
        data = _content(worktree.path / path)
        hits = scan([(path, data)], known) if data is not None else ()
        if hits and data is not None:
            found += _new(hits, data, read_file(worktree.repository, parent, path))
    return tuple(found)


def set_aside(
    worktree: Worktree, parent: str, paths: Sequence[str], known: Sequence[str] = ()
) -> tuple[str, ...]:
    """Move files with secrets away, so that no commit ever holds them; returns where they are."""
    moved: list[str] = []
    for path in paths:
        if leaks(worktree, parent, (path,), known):
            moved.append(str(_move(worktree.path, path)))
    return tuple(moved)


def _move(root: Path, path: str) -> Path:
    folder = root.with_name(f"{root.name}.secrets")
    folder.mkdir(mode=0o700, exist_ok=True)
    name = path.replace("/", "_")[-200:]
    places = (folder / f"{name}.{number}" for number in range(1, 10_000))
    place = next(place for place in places if not place.exists())
    (root / path).rename(place)
    return place


def _new(hits: Iterable[Hit], data: bytes, before: bytes | None) -> Iterator[Hit]:
    """Hits that were not in the file before this change."""
    lines = data.split(b"\n")
    for hit in hits:
        # A key of several lines is told by its first one, which all keys share.
        last = hit.line + (KEY_LINES if hit.rule == PRIVATE_KEY else 0)
        passage = b"\n".join(lines[hit.line - 1 : last])
        old = before is not None and (hit.line == 0 or passage in before)
        if not old:
            yield hit


def _content(path: Path) -> bytes | None:
    """What git would commit: a link's target, a file's content; None for anything else."""
    try:
        if path.is_symlink():
            return os.fsencode(path.readlink())
    except OSError:
        return None
    return read_plain(path, READ_LIMIT)
