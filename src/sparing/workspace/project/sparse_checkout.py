"""Worktrees that hold a part of their repository: some folders, and the files above them.

Files outside of it are marked in the index as not on disk, as `git sparse-checkout` does with its
cones. One that is written anyway counts like any other: git removes the mark as soon as the file
exists.
"""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Collection, Iterator
from functools import cache
from pathlib import Path, PurePosixPath

from sparing.workspace.git.special_files import WHOLE, read_plain

PATTERNS = Path("info") / "sparse-checkout"
"""Where git looks for the patterns."""
_FOLDERS = "sparing.cone"
_GLOB = re.compile(r"([*?\[\\])")

Cone = tuple[str, ...]
"""Folders that are present with everything in them; empty if the worktree holds everything."""


def inside(cone: Collection[str]) -> Callable[[str], bool]:
    """A test whether a path is in the cone: below one of its folders, or directly in a parent."""
    above = {"", *(folder for one in cone for folder in _parents(one))}

    @cache  # there are many files, and far fewer folders
    def holds(folder: str) -> bool:
        return folder in above or any(one in cone for one in (folder, *_parents(folder)))

    return lambda path: holds(path.rpartition("/")[0])


def write_cone(git_dir: Path, cone: Cone) -> None:
    """Set the cone of a worktree whose files are not written yet. Git's patterns come first: our
    own file is either complete or absent."""
    (git_dir / PATTERNS).parent.mkdir(exist_ok=True)
    (git_dir / PATTERNS).write_bytes(os.fsencode("".join(f"{one}\n" for one in patterns(cone))))
    fresh = git_dir / f"{_FOLDERS}.new"
    fresh.write_bytes(os.fsencode("\0".join(cone)))
    fresh.replace(git_dir / _FOLDERS)


def read_cone(git_dir: Path) -> Cone:
    """The cone of a worktree; empty if it holds everything."""
    text = os.fsdecode(read_plain(git_dir / _FOLDERS, WHOLE) or b"")
    return tuple(one for one in text.split("\0") if one)


def patterns(cone: Cone) -> Iterator[str]:
    """Git's patterns for the cone: files at the top and in parent folders, then the folders."""
    yield from ("/*", "!/*/")
    for up in sorted({folder for one in cone for folder in _parents(one)} - set(cone)):
        yield from (f"/{_plain(up)}/", f"!/{_plain(up)}/*/")
    yield from (f"/{_plain(one)}/" for one in sorted(cone))


def _plain(folder: str) -> str:
    return _GLOB.sub(r"\\\1", folder)


def _parents(path: str) -> list[str]:
    return [str(one) for one in PurePosixPath(path).parents if str(one) != "."]
