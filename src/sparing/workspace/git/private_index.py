"""The private index of a worktree: what is on disk, compared with a commit.

Callers hold the worktree's lock. The user's index and the worktree's visible one are not touched,
except by `publish`, which makes `git status` in the worktree correct.
"""

from __future__ import annotations

import os
import shutil
from collections.abc import Iterable
from functools import cache
from pathlib import Path
from stat import S_ISLNK, S_ISREG
from typing import NamedTuple

from sparing.errors import RepositoryError
from sparing.workspace.git.config import includes
from sparing.workspace.git.direct.folder_stamp import FolderStamp, folder_stamp
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
from sparing.workspace.project.sparse_checkout import inside


class Look(NamedTuple):
    """Stamps of an index, its worktree's files and the ignore rules at one moment."""

    listing: Stamp | None
    files: FolderStamp
    rules: Signature

    def is_of(self, now: Look) -> bool:
        """Whether nothing was touched between this look and the one now."""
        same = (self.listing, self.rules) == (now.listing, now.rules)
        return same and self.files.is_of(now.files)


class Scan(NamedTuple):
    """Paths that differ from the commit; ignored files are not among them."""

    modified: tuple[str, ...] = ()
    deleted: tuple[str, ...] = ()
    untracked: tuple[str, ...] = ()
    nested: tuple[str, ...] = ()
    """Folders that are themselves repositories."""
    special: tuple[str, ...] = ()
    """Tracked files that were replaced by something that is not a file, such as a pipe."""

    @property
    def paths(self) -> tuple[str, ...]:
        return tuple(sorted({path for group in self for path in group}))

    @property
    def on_disk(self) -> tuple[str, ...]:
        return (*self.modified, *self.untracked)


def is_id(name: str) -> bool:
    """Whether it is a full commit id; any other name may mean another commit later."""
    return len(name) in (40, 64) and set(name) <= set("0123456789abcdef")


def index_of(git: Git) -> Path:
    assert git.index is not None, "only a private index is written"
    return git.index


_loaded: dict[Path, tuple[str, Stamp | None]] = {}
"""For each index file, the commit it was last made equal to, and the file's stamp at that time."""


def load(git: Git, commit: str) -> None:
    """Make the index equal to the commit; stat data of unchanged files is kept."""
    index = index_of(git)
    index.with_name(f"{index.name}.lock").unlink(missing_ok=True)
    known = commit, stamp(index)
    if known[1] is not None and is_id(commit) and _loaded.get(index) == known:
        return
    there = frozenset(_outside(git)) if git.cone and known[1] is not None else frozenset[str]()
    try:
        git.run("read-tree", "-m", commit)
    except GitFailed:
        index.unlink(missing_ok=True)
        git.run("read-tree", commit)
    if git.cone:
        mark(git, [path for path in _outside(git) if path not in there], on_disk=False)
    note_equal(git, commit)


def mark(git: Git, paths: Iterable[str], *, on_disk: bool) -> None:
    """Mark files as expected on disk, or as not; a file that exists is never marked absent."""
    root = f"{git.work_tree}/"
    has_folder = cache(os.path.isdir)  # there are many files, and far fewer folders

    def is_there(path: str) -> bool:
        folder, slash, _ = path.rpartition("/")
        return has_folder(f"{root}{folder}{slash}") and os.path.lexists(f"{root}{path}")

    if names := lines(path for path in paths if on_disk or not is_there(path)):
        option = "--no-skip-worktree" if on_disk else "--skip-worktree"
        git.run("update-index", option, "-z", "--stdin", stdin=names)


def listed(git: Git, *, absent: bool = False) -> list[str]:
    """Paths that are expected on disk; with `absent`, those that are not."""
    rows = os.fsdecode(git.run("ls-files", "-t", "-z")).split("\0")
    return [row[2:] for row in rows if row and (row[0] == "S") == absent]


def _outside(git: Git) -> list[str]:
    """Files that are expected on disk although they are outside the worktree's cone."""
    is_inside = inside(git.cone)
    return [path for path in listed(git) if not is_inside(path)]


def note_equal(git: Git, commit: str) -> None:
    """Note that the index equals this commit: one of them was made from the other."""
    index = index_of(git)
    _loaded[index] = commit, stamp(index)


def excludes_of(git_dir: Path) -> Path:
    """Ignore patterns that apply to one worktree only; the file need not exist."""
    return git_dir / "sparing.exclude"


_clean: dict[Path, Look] = {}
"""For each index file, the state in which its worktree was last known to be equal to it."""
_found: dict[Path, tuple[Scan, Look | None]] = {}
"""For each index file, the result of the last scan, and the state just before it."""


def scan(git: Git) -> Scan:
    """Compare the files on disk with the index; git scans only if something was touched."""
    look, known = _look(git), _clean.get(index_of(git))
    if look is not None and known is not None and known.is_of(look):
        _clean[index_of(git)] = look
        return Scan()
    found = _scanned(git)
    if look is not None and not found.paths:
        _clean[index_of(git)] = look
    _found[index_of(git)] = found, look
    return found


def note_staged(git: Git, found: Scan) -> None:
    """Note that the index now has all that a scan found: untouched files are equal to it."""
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
    """Ignore rules beside the repository's own: the user's global ones, then ours.

    Ours come last and take precedence: what a set-up or a copy brought is not work to commit.
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
    """The rules in a file; empty if it is not a regular one: git would hang on a pipe."""
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
    """Whether it is a regular file, not a link."""
    try:
        return S_ISREG(path.lstat().st_mode)
    except OSError:
        return False


def fill(git: Git) -> None:
    """Write the files of the index that are missing on disk; existing ones stay."""
    if git.cone:
        names = lines(listed(git))
        args = ("checkout-index", "--index", "--quiet", "-z", "--stdin")
        git.run(*args, stdin=names, ok_codes=(0, 1))
    else:
        git.run("checkout-index", "--all", "--index", "--quiet", ok_codes=(0, 1))
    unpack(git)


def write_over(git: Git, paths: Iterable[str]) -> None:
    """Write these files of the index over whatever is on disk."""
    if names := lines(paths):
        git.run("checkout-index", "--force", "--index", "--quiet", "-z", "--stdin", stdin=names)


def unpack(git: Git) -> None:
    """Check out the content of git-lfs files where it is available locally; nothing is fetched."""
    # Without the program git would look for an alias of that name, which a repository can set.
    if shutil.which("git-lfs") and (common_dir(git.git_dir) / "lfs" / "objects").is_dir():
        git.ask("lfs", "checkout")


def publish(git: Git) -> None:
    """Copy the private index to where people and agents see it."""
    place = git.git_dir / "index"
    copy_index(index_of(git), place, place.with_name("sparing.published"))


def copy_index(index: Path, place: Path, fresh: Path) -> None:
    """Copy an index with its time: git distrusts entries of files as new as the index."""
    shutil.copyfile(index, fresh)
    shutil.copystat(index, fresh)
    fresh.replace(place)


def lines(paths: Iterable[str]) -> bytes:
    return b"".join(os.fsencode(path) + b"\0" for path in paths)
