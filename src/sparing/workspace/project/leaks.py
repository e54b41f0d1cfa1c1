"""Secrets that a change would bring into the repository: searched for before anything is staged.

Files are read from the worktree, and a line that the parent commit already has does not count. What
can't be committed must not be kept as a commit either: `set_aside` moves such files out of the
worktree, to a folder beside it that only the user can read.
"""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path

from sparing.redact import Redactor
from sparing.workspace.git.commit import read_file
from sparing.workspace.git.special_files import read_plain
from sparing.workspace.git.worktree import Worktree
from sparing.workspace.project.secrets import MOST_HITS, Hit, scan
from sparing.workspace.project.stored_form import as_stored, recoded_paths

PRIVATE_KEY, KEY_LINES = "private key", 4
READ_LIMIT = 64 * 1024 * 1024
"""Bytes of one file that are searched. A new file with more is a hit itself."""
MOST_READ = 4 * READ_LIMIT
"""Bytes of one change that are searched; a file beyond that is a hit itself."""
TOO_LARGE = "too large to be searched for secrets"


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
    worktree: Worktree,
    parent: str,
    paths: Sequence[str],
    known: Sequence[str] = (),
    most_bytes: int = MOST_READ,
) -> tuple[Hit, ...]:
    """One hit for each new line with a secret, in the order of the files."""
    found = _leaks(worktree, parent, paths, known, most_bytes)
    return tuple(hit for _, hits in found for hit in hits)


def set_aside(
    worktree: Worktree, parent: str, paths: Sequence[str], known: Sequence[str] = ()
) -> tuple[str, ...]:
    """Move files with secrets away, so that no commit ever holds them; returns where they are."""
    found = [path for path, hits in _leaks(worktree, parent, paths, known) if hits]
    return tuple(str(_move(worktree.path, path)) for path in found)


def _leaks(
    worktree: Worktree,
    parent: str,
    paths: Sequence[str],
    known: Sequence[str],
    left: int = MOST_READ,
) -> Iterator[tuple[str, tuple[Hit, ...]]]:
    recoded = recoded_paths(worktree, parent, paths)
    for path in paths:
        most = min(READ_LIMIT, left)
        data = _content(worktree.path / path, most + 1)
        if data is None:
            continue
        if len(data) > most:
            before = read_file(worktree.repository, parent, path)
            # An old file may be larger than what is read of one, but not left out for others' sake.
            if before is None or most < READ_LIMIT:
                yield path, (Hit(Redactor(known).clean(path), 0, TOO_LARGE),)
                continue
        left -= min(len(data), left)
        forms = [data[:most]]
        if path in recoded:
            forms.append(as_stored(worktree, path)[:most])
        found = (one for form in forms for one in _hits(worktree, parent, path, form, known))
        yield path, tuple(dict.fromkeys(found))


def _hits(
    worktree: Worktree, parent: str, path: str, data: bytes, known: Sequence[str]
) -> Iterator[Hit]:
    hits = scan([(path, data)], known)
    if not hits:
        return
    before = read_file(worktree.repository, parent, path)
    new = tuple(_new(hits, data, before))
    if not new and len(hits) >= MOST_HITS and before is not None:
        # So many old ones that those in new lines were not reached.
        new = tuple(_new(scan([(path, data)], known, len(data)), data, before))[:MOST_HITS]
    yield from new


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
    old = frozenset(before.split(b"\n")) if before is not None else frozenset[bytes]()
    for hit in hits:
        # A key of several lines is told by its first one, which all keys share; the first line of
        # a value that is spread over several may be an old one.
        last = hit.line + KEY_LINES if hit.rule == PRIVATE_KEY else max(hit.line, hit.last)
        passage = lines[hit.line - 1 : last]
        known = len(passage) == 1 and passage[0] in old
        known = known or (before is not None and (hit.line == 0 or b"\n".join(passage) in before))
        if not known:
            yield hit


def _content(path: Path, limit: int) -> bytes | None:
    """What git would commit: a link's target, a file's content; None for anything else."""
    try:
        if path.is_symlink():
            return os.fsencode(path.readlink())
    except OSError:
        return None
    return read_plain(path, limit)
