"""The private index of a worktree: what is on disk, compared with a commit.

Callers hold the worktree's lock. The user's index and the one that people see in the worktree
are not touched, except by `publish`, which makes `git status` in the worktree tell the truth.
"""

from __future__ import annotations

import os
import shutil
from collections.abc import Iterable
from pathlib import Path
from stat import S_ISLNK, S_ISREG
from typing import NamedTuple

from sparing.errors import RepositoryError
from sparing.workspace.git.config import includes
from sparing.workspace.git.direct.folder_stamp import folder_stamp
from sparing.workspace.git.runner import (
    Git,
    GitFailed,
    Signature,
    Stamp,
    common_dir,
    signature,
    stamp,
)
from sparing.workspace.git.special_files import WHOLE, read_plain


class Look(NamedTuple):
    """How an index, the files beside it and the rules for them stood at a moment."""

    listing: Stamp | None
    files: bytes
    rules: Signature


class Scan(NamedTuple):
    """Paths that differ from the commit; ignored files are not among them."""

    modified: tuple[str, ...] = ()
    deleted: tuple[str, ...] = ()
    untracked: tuple[str, ...] = ()
    nested: tuple[str, ...] = ()
    """Folders that are repositories of their own."""
    special: tuple[str, ...] = ()
    """Tracked files in whose place something stands that is no file, like a pipe."""

    @property
    def paths(self) -> tuple[str, ...]:
        return tuple(sorted({path for group in self for path in group}))

    @property
    def on_disk(self) -> tuple[str, ...]:
        return (*self.modified, *self.untracked)


def is_id(name: str) -> bool:
    """Of a commit; any other name may mean another commit tomorrow."""
    return len(name) in (40, 64) and set(name) <= set("0123456789abcdef")


def index_of(git: Git) -> Path:
    assert git.index is not None, "only a private index is written"
    return git.index


_loaded: dict[Path, tuple[str, Stamp | None]] = {}
"""Of each index file the commit that it was last made equal to, and how the file stood then."""


def load(git: Git, commit: str) -> None:
    """Make the index equal to the commit; what it knows of unchanged files stays."""
    index = index_of(git)
    index.with_name(f"{index.name}.lock").unlink(missing_ok=True)
    known = commit, stamp(index)
    if known[1] is not None and is_id(commit) and _loaded.get(index) == known:
        return
    try:
        git.run("read-tree", "-m", commit)
    except GitFailed:
        index.unlink(missing_ok=True)
        git.run("read-tree", commit)
    note_equal(git, commit)


def note_equal(git: Git, commit: str) -> None:
    """The index lists what this commit holds: it was read from it, or the commit was made of it."""
    index = index_of(git)
    _loaded[index] = commit, stamp(index)


def excludes_of(git_dir: Path) -> Path:
    """Patterns that hold in one worktree alone; the file need not exist."""
    return git_dir / "sparing.exclude"


_clean: dict[Path, Look] = {}
"""Of each index file how all stood when its worktree was last known to be equal to it."""
_found: dict[Path, tuple[Scan, Look | None]] = {}
"""Of each index file what the last look found, and how all stood just before it."""


def scan(git: Git) -> Scan:
    """Compare the files on disk with the index; git looks if anything was touched since it did."""
    look = _look(git)
    if look is not None and _clean.get(index_of(git)) == look:
        return Scan()
    found = _scanned(git)
    if look is not None and not found.paths:
        _clean[index_of(git)] = look
    _found[index_of(git)] = found, look
    return found


def note_staged(git: Git, found: Scan) -> None:
    """The index lists by now all that a look found: untouched, the files are equal to it."""
    last, look = _found.pop(index_of(git), (found, None))
    if look is not None and last == found:
        _clean[index_of(git)] = look._replace(listing=stamp(index_of(git)))


def _look(git: Git) -> Look | None:
    assert git.work_tree is not None, "there must be a folder to look into"
    files, signed = folder_stamp(git.work_tree), signature(git.git_dir)
    if files is None or includes(git.settings(signed)):
        return None
    info = common_dir(git.git_dir) / "info"
    rules = (excludes_of(git.git_dir), git.ignores, info / "exclude", info / "attributes")
    stamps = tuple(stamp(file) for file in rules if file)
    return Look(stamp(index_of(git)), files, (*signed, *stamps))


def _scanned(git: Git) -> Scan:
    args = ("--porcelain", "-z", "--untracked-files=all", "--ignore-submodules=all", "--no-renames")
    modified: list[str] = []
    deleted: list[str] = []
    untracked: list[str] = []
    nested: list[str] = []
    special: list[str] = []
    ours = ("-c", f"core.excludesFile={_excludes(git)}")
    for line in os.fsdecode(git.run(*ours, "status", *args)).split("\0"):
        # Two letters: the first compares HEAD with the index and is no matter here.
        state, path = line[1:2], line[3:]
        if state == "?":
            (nested if path.endswith("/") else untracked).append(path.rstrip("/"))
        elif state == "D":
            deleted.append(path)
        elif state.strip():
            (modified if _is_file(git, path) else special).append(path)
    return Scan(*(tuple(group) for group in (modified, deleted, untracked, nested, special)))


def _excludes(git: Git) -> Path:
    """Rules beside the repository's own: the user's for all repositories, then ours.

    Ours are last, where they count: what a set-up or a copy brought is nobody's work.
    """
    ours, theirs = excludes_of(git.git_dir), _rules(git.ignores)
    if not theirs:
        return ours
    text = theirs + b"\n" + _rules(ours)
    both = git.git_dir / "sparing.excludes"
    if _rules(both) != text:
        both.write_bytes(text)
    return both


def _rules(file: Path | None) -> bytes:
    """None of what is no plain file: git would wait for a pipe for ever."""
    if file is None or not file.is_file():
        return b""
    found = read_plain(file, WHOLE, follow=True)
    if found is None:
        raise RepositoryError(
            f"{file}, git's list of ignored files, can't be read", f"ls -l {file} shows why"
        )
    return found


def _is_file(git: Git, path: str) -> bool:
    assert git.work_tree is not None, "there must be a folder to look into"
    mode = (git.work_tree / path).lstat().st_mode
    return S_ISREG(mode) or S_ISLNK(mode)


def is_plain(path: Path) -> bool:
    """A regular file, and no link."""
    try:
        return S_ISREG(path.lstat().st_mode)
    except OSError:
        return False


def add(git: Git, found: Scan, *options: str) -> None:
    """Bring what was found into the index: first what is gone, then what is there."""
    if found.deleted:
        git.run("update-index", "--force-remove", "-z", "--stdin", stdin=lines(found.deleted))
    if found.on_disk:
        args = ("--add", "--remove", *options, "-z", "--stdin")
        git.run("update-index", *args, stdin=lines(found.on_disk))


def fill(git: Git) -> None:
    """Write the files of the index that are not on disk; what is there stays."""
    git.run("checkout-index", "--all", "--index", "--quiet", ok_codes=(0, 1))
    unpack(git)


def write_over(git: Git, paths: Iterable[str]) -> None:
    """Write these files of the index over whatever is on disk."""
    if names := lines(paths):
        git.run("checkout-index", "--force", "--index", "--quiet", "-z", "--stdin", stdin=names)


def unpack(git: Git) -> None:
    """Put the content of git-lfs files in place where it is at hand; nothing is fetched."""
    # Without the program git would look for an alias of that name, which a repository can set.
    if shutil.which("git-lfs") and (common_dir(git.git_dir) / "lfs" / "objects").is_dir():
        git.ask("lfs", "checkout")


def publish(git: Git) -> None:
    """Copy the private index to the place where people and agents look."""
    place = git.git_dir / "index"
    copy_index(index_of(git), place, place.with_name("sparing.published"))


def copy_index(index: Path, place: Path, fresh: Path) -> None:
    """With its time: git believes no entry of a file that changed in the moment of an index's."""
    shutil.copyfile(index, fresh)
    shutil.copystat(index, fresh)
    fresh.replace(place)


def lines(paths: Iterable[str]) -> bytes:
    return b"".join(os.fsencode(path) + b"\0" for path in paths)
