"""The package that a request is about, from the paths that it names; none where they disagree."""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Iterator
from posixpath import dirname, normpath
from typing import NamedTuple

_ADDRESS = re.compile(r"\w+://\S+")
_PATH = re.compile(r"(?<![\w/.])(?:\./)?[\w@+.-]+(?:/[\w@+.-]+)+")
_ENDING = re.compile(r"\.\w+$")


class NamedRoot(NamedTuple):
    root: str
    named: str
    """The first path of the request that lies in it."""


def named_root(
    request: str, files: Collection[str], is_package: Callable[[str], bool]
) -> NamedRoot | None:
    """The nearest package around all paths that a request names.

    If a path belongs to no package, or paths belong to separate ones, the request is about the
    whole repository.
    """
    folders = {folder for path in files for folder in _above(path)}
    named = [path for path in paths_of(request) if _is_meant(path, files, folders)]
    roots = [_package_of(path, folders, is_package) for path in named]
    if not roots or "" in roots:
        return None
    outer = min(roots, key=len)
    if any(one != outer and not one.startswith(f"{outer}/") for one in roots):
        return None
    return NamedRoot(outer, named[0])


def paths_of(request: str) -> list[str]:
    """Distinct strings that look like a path with a folder; web addresses don't count."""
    text = _ADDRESS.sub(" ", request)
    found = (normpath(one.group().rstrip(".")) for one in _PATH.finditer(text))
    return list(dict.fromkeys(one for one in found if not one.startswith("..")))


def _is_meant(path: str, files: Collection[str], folders: Collection[str]) -> bool:
    """Whether it is an existing file or folder, or a possible new file in an existing folder."""
    new = _ENDING.search(path) is not None and dirname(path) in folders
    return path in files or path in folders or new


def _package_of(path: str, folders: Collection[str], is_package: Callable[[str], bool]) -> str:
    own = (path,) if path in folders else ()
    return next((one for one in (*own, *_above(path)) if is_package(one)), "")


def _above(path: str) -> Iterator[str]:
    """The folders that hold it, the nearest first; not the repository itself."""
    while path := dirname(path):
        yield path
