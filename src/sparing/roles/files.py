"""Role files on disk: where they may lie, and how they are read.

A repository's files were written by strangers: only regular files of bounded size, no links,
nothing outside of the two folders.
"""

from __future__ import annotations

import hashlib
import os
import stat
from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path

SIZE_LIMIT = 128 * 1024
COUNT_LIMIT = 200


class RoleLayer(StrEnum):
    """Where a role file comes from; later ones win."""

    AGENTS = ".claude/agents"
    REPOSITORY = ".sparing/roles"
    USER = "user"


@dataclass(frozen=True, slots=True)
class RoleFile:
    layer: RoleLayer
    where: str
    """For people: relative to the repository, or absolute in the user's own folder."""
    data: bytes

    @property
    def stem(self) -> str:
        return Path(self.where).stem

    @property
    def digest(self) -> str:
        return hashlib.sha256(self.data).hexdigest()

    @property
    def text(self) -> str:
        return self.data.decode("utf-8", "replace")


def user_files(folder: Path | None) -> tuple[RoleFile, ...]:
    return () if folder is None else _read_all(folder, RoleLayer.USER, "")


def repository_files(checkout: Path) -> tuple[RoleFile, ...]:
    found: list[RoleFile] = []
    for layer in (RoleLayer.AGENTS, RoleLayer.REPOSITORY):
        folder = checkout / layer.value
        if folder.resolve() == checkout.resolve() / layer.value:  # no link on the way
            found += _read_all(folder, layer, f"{layer.value}/")
    return tuple(found)


def _read_all(folder: Path, layer: RoleLayer, prefix: str) -> tuple[RoleFile, ...]:
    try:
        names = sorted(os.listdir(folder))  # noqa: PTH208 - names, not paths
    except OSError:
        return ()
    wanted = [name for name in names if name.endswith(".md") and name.isprintable()]
    found = ((name, _read(folder / name)) for name in wanted[:COUNT_LIMIT])
    return tuple(
        RoleFile(layer, f"{prefix}{name}" if prefix else str(folder / name), data)
        for name, data in found
        if data is not None
    )


def _read(path: Path) -> bytes | None:
    try:
        # Without NONBLOCK a named pipe would hold us up for ever.
        handle = os.open(path, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC)
    except OSError:
        return None
    try:
        if not stat.S_ISREG(os.fstat(handle).st_mode):
            return None
        with os.fdopen(handle, "rb", closefd=False) as file:
            data = file.read(SIZE_LIMIT + 1)
    except OSError:
        return None
    finally:
        os.close(handle)
    return data if len(data) <= SIZE_LIMIT else None
