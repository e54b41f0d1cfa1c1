"""Projects as they are in a commit of the user's repository. Reads, never writes."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import NamedTuple

from sparing.workspace.git.commit import list_folder, read_file
from sparing.workspace.git.repository import Repository

_FOLDER = re.compile(r"P(?P<number>\d{1,6})(?:-.*)?", re.ASCII)
LARGEST = 400_000


class ProjectFiles(NamedTuple):
    number: int
    folder: str
    """Such as `P001-payments`."""
    prd: str
    roadmap: str

    @property
    def id(self) -> str:
        return self.folder.partition("-")[0]


def projects_at(repo: Repository, commit: str, root: str) -> Iterator[ProjectFiles]:
    """All projects of a commit, by number, including folders that have neither file."""
    for number, name in sorted(_named(list_folder(repo, commit, root))):
        yield files_of(repo, commit, f"{root}/{name}", number)


def files_of(repo: Repository, commit: str, folder: str, number: int) -> ProjectFiles:
    def text(name: str) -> str:
        data = read_file(repo, commit, f"{folder}/{name}") or b""
        return data[:LARGEST].decode("utf-8", "replace")

    return ProjectFiles(number, folder.rpartition("/")[2], text("prd.md"), text("roadmap.md"))


def _named(names: list[str] | tuple[str, ...]) -> Iterator[tuple[int, str]]:
    for name in names:
        match = _FOLDER.fullmatch(name)
        if match:
            yield int(match["number"]), name
