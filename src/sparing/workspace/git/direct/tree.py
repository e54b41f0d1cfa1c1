"""All files of a commit at once: which there are, and what stands in them."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from contextlib import suppress
from pathlib import PurePosixPath

from sparing.workspace.git.object_reader import NoAnswer, contents
from sparing.workspace.git.repository import Repository

REGULAR = ("100644", "100755")
CODE = frozenset(
    (".py", ".pyi", ".js", ".jsx", ".ts", ".tsx", ".go", ".rs", ".java", ".kt", ".rb", ".php")
    + (".c", ".h", ".cc", ".cpp", ".hpp", ".cs", ".swift", ".scala", ".ex", ".lua", ".sh")
)
MOST_FILES = 1_500
MOST_CHARS = 6_000_000
MOST_ASKED = 40
"""Files that are asked for one by one; more of them are sooner had from a git of their own."""


def list_files(repo: Repository, commit: str) -> dict[str, int]:
    """Regular files by path, with their size in bytes."""
    found: dict[str, int] = {}
    for line in os.fsdecode(repo.git().run("ls-tree", "-r", "-l", "-z", commit)).split("\0"):
        head, _, path = line.partition("\t")
        fields = head.split()
        if len(fields) == 4 and fields[0] in REGULAR:
            found[path] = int(fields[3])
    return found


def read_files(repo: Repository, commit: str, paths: Sequence[str]) -> dict[str, str]:
    """Texts by path, in one run of git; what is no file of that commit is left out."""
    if not paths:
        return {}
    if len(paths) <= MOST_ASKED and all("\n" not in path and "\0" not in path for path in paths):
        with suppress(NoAnswer):
            return _asked(repo, commit, paths)
    names = b"".join(os.fsencode(f"{commit}:{path}") + b"\0" for path in paths)
    out = repo.git().run("cat-file", "--batch", "-z", stdin=names)
    found: dict[str, str] = {}
    place = 0
    for path in paths:
        end = out.index(b"\n", place)
        fields = out[place:end].split(b" ")
        place = end + 1
        if fields[-1].isdigit():
            size = int(fields[-1])
            if fields[-2] == b"blob":
                found[path] = out[place : place + size].decode(errors="replace")
            place += size + 1
    return found


def _asked(repo: Repository, commit: str, paths: Sequence[str]) -> dict[str, str]:
    git = repo.git()
    every = ((path, contents(git, f"{commit}:{path}")) for path in paths)
    blobs = ((path, one.data) for path, one in every if one is not None and one.kind == "blob")
    return {path: data.decode(errors="replace") for path, data in blobs}


def code_files(sizes: Mapping[str, int], largest: int) -> list[str]:
    """Source files among them, as many as one can look through at once."""
    wanted, room = list[str](), MOST_CHARS
    for path, size in sorted(sizes.items()):
        if PurePosixPath(path).suffix in CODE and 0 < size <= min(largest, room):
            wanted.append(path)
            room -= size
    return wanted[:MOST_FILES]
