"""All files of a commit at once: their paths and their contents."""

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
"""How many files are asked for one by one; for more, starting git is faster."""


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
    """Texts by path, in one run of git; paths that are not files of that commit are left out."""
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
    """The source files among them, as many as can be searched at once."""
    wanted, room = list[str](), MOST_CHARS
    for path, size in sorted(sizes.items()):
        if PurePosixPath(path).suffix in CODE and 0 < size <= min(largest, room):
            wanted.append(path)
            room -= size
    return wanted[:MOST_FILES]
