"""Whether what belongs to the user stayed unchanged while an agent worked.

A snapshot takes a few milliseconds: of hooks only file stamps are compared; settings, refs and the
index are read again only if their files changed. It says what differs, never who did it: a user may
well commit meanwhile. Files are compared too only where no sandbox protects them from an agent.
"""

from __future__ import annotations

import hashlib
import os
import time
from collections.abc import Iterable, Iterator, Mapping
from functools import lru_cache
from pathlib import Path
from typing import NamedTuple

from sparing.workspace.git.direct.folder_stamp import MOMENT_NS
from sparing.workspace.git.object_reader import object_id
from sparing.workspace.git.repository import Repository
from sparing.workspace.git.runner import Git, Stamp, stamp
from sparing.workspace.git.special_files import WHOLE, read_plain

MOST_FILES = 20_000
"""Files of all other worktrees together; beyond it they are not compared."""
MOST_KNOWN, SMALL_BYTES = 10_000, 1024
_SETTINGS = ("config", "config.worktree", "info/attributes", "info/exclude", "info/grafts")
_REFS = ("refs/heads", "refs/tags", "refs/stash")
Sight = Mapping[str, str]
"""Parts of the repository by name, each with a digest of its state."""


class FileStamp(NamedTuple):
    changed: int
    size: int
    inode: int
    mode: int


def look(repo: Repository, files: Iterable[Path] = ()) -> Sight:
    """Take a snapshot; `files` are other worktrees whose files are included as well."""
    seen = {name: _digest(repo.git_dir / name) for name in _SETTINGS}
    seen |= dict(_hooks(repo.git_dir / "hooks"))
    seen |= _refs(repo.git_dir)
    seen |= dict(_checkout(repo))
    seen |= dict(_worktrees(repo.git_dir / "worktrees"))
    left = MOST_FILES
    for folder in files:
        seen[f"files of {folder.name}"], left = _files(folder, left)
    return {name: found for name, found in seen.items() if found}


def differences(before: Sight, after: Sight, own: frozenset[str]) -> tuple[str, ...]:
    """Names of what changed, appeared or vanished, except what is ours to change."""
    names = (before.keys() | after.keys()) - own
    return tuple(sorted(name for name in names if before.get(name) != after.get(name)))


def branch_place(branch: str) -> str:
    return f"refs/heads/{branch}"


def worktree_place(name: str) -> str:
    return f"worktree {name}"


def words(seen: Sight, own: frozenset[str]) -> str:
    """A short summary of what was compared."""
    names = seen.keys() - own
    kinds = {"ref": "refs/", "hook": "hooks/", "other worktree": "worktree "}
    found = {kind: sum(one.startswith(start) for one in names) for kind, start in kinds.items()}
    counts = (f"{count} {kind}{'' if count == 1 else 's'}" for kind, count in found.items())
    return f"HEAD, index, settings, {', '.join(counts)}: as before"


@lru_cache(maxsize=64)
def tree_id(repo: Repository, commit: str) -> str:
    """The id of a commit's tree; also that of the files on disk, if none of them differs."""
    return object_id(repo.git(), f"{commit}^{{tree}}")


def _checkout(repo: Repository) -> Iterator[tuple[str, str]]:
    git = repo.checkout_git()
    yield "HEAD", _digest(git.git_dir / "HEAD")
    yield "index", _index(git, _stamp(git.git_dir / "index"))


@lru_cache(maxsize=64)
def _index(git: Git, stamp: FileStamp | None) -> str:
    """A digest of its entries; git rewrites the file even when only files' times changed."""
    if stamp is None:
        return ""
    return hashlib.sha256(git.run("ls-files", "--stage", "-z")).hexdigest()


def _refs(git_dir: Path) -> dict[str, str]:
    packed = git_dir / "packed-refs"
    found = dict(_packed(packed, _stamp(packed)))
    start = len(os.fspath(git_dir)) + 1
    for kind in _REFS:
        for place in _names(os.fspath(git_dir / kind)):
            found[place[start:]] = _ref(place)
    return found


def _names(place: str) -> Iterator[str]:
    """All files below a folder, as plain strings: there may be thousands, around every turn."""
    try:
        entries = list(os.scandir(place))
    except NotADirectoryError:
        yield place
        return
    except OSError:
        return
    for entry in entries:
        if entry.is_dir(follow_symlinks=False):
            yield from _names(entry.path)
        else:
            yield entry.path


def _ref(place: str) -> str:
    return (_small(place) or b"")[:200].decode(errors="replace").strip()


@lru_cache(maxsize=16)
def _packed(path: Path, stamp: FileStamp | None) -> tuple[tuple[str, str], ...]:
    lines = (line.split(" ") for line in (_text(path) if stamp else "").splitlines())
    return tuple(
        (words[1], words[0]) for words in lines if len(words) == 2 and words[1].startswith(_REFS)
    )


def _hooks(folder: Path) -> Iterator[tuple[str, str]]:
    for path in _below(folder):
        if path.suffix != ".sample":
            yield f"hooks/{path.name}", str(_stamp(path))


def _worktrees(folder: Path) -> Iterator[tuple[str, str]]:
    """All registered worktrees, each with a digest of its HEAD and its folder."""
    for name in _entries(folder):
        place = f"{folder}/{name}"
        yield worktree_place(name), _digest(f"{place}/HEAD") + _digest(f"{place}/gitdir")


def _entries(folder: Path) -> list[str]:
    try:
        return sorted(os.listdir(folder))  # noqa: PTH208 - names, not Paths: there may be many
    except OSError:
        return []


def _files(folder: Path, most: int) -> tuple[str, int]:
    found = hashlib.sha256()
    for path in _below(folder):
        if most == 0:
            return "", 0
        most -= 1
        found.update(os.fsencode(f"{path} {_stamp(path)}\n"))
    return found.hexdigest(), most


def _below(folder: Path) -> Iterator[Path]:
    for place, folders, names in os.walk(folder):
        folders.sort()
        yield from (Path(place, name) for name in sorted(names))


def _digest(path: Path | str) -> str:
    data = _small(os.fspath(path))
    return "" if data is None else hashlib.sha256(data).hexdigest()


_contents: dict[str, tuple[Stamp, bytes]] = {}
"""Small files that were read, by place: there are some of each feature, around every turn."""


def _small(place: str) -> bytes | None:
    """A file's content; from memory if it is as it was then, and had not just changed."""
    seen, known = stamp(place), _contents.get(place)
    if seen is not None and known is not None and known[0] == seen:
        return known[1]
    data = read_plain(place, WHOLE, follow=True)
    if seen is None or data is None or len(data) > SMALL_BYTES or len(_contents) >= MOST_KNOWN:
        _contents.pop(place, None)
    elif time.time_ns() - max(seen[:2]) > MOMENT_NS:
        _contents[place] = seen, data
    return data


def _text(path: Path) -> str:
    return (read_plain(path, WHOLE, follow=True) or b"").decode(errors="replace").strip()


def _stamp(path: Path) -> FileStamp | None:
    try:
        found = path.lstat()
    except OSError:
        return None
    return FileStamp(found.st_ctime_ns, found.st_size, found.st_ino, found.st_mode)
