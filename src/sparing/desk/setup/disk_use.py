"""How much disk a repository's state takes, by feature and by kind."""

from __future__ import annotations

import os
from pathlib import Path
from typing import NamedTuple

from sparing.desk.office import Office, every_row

BLOCK_BYTES = 512
MOST_NAMED = 5
KINDS = {
    "environments": "environments",
    "caches": "package caches",
    "histories": "history for agents",
    "blobs": "prompts and replies",
    "copies": "backups",
}


class DiskUse(NamedTuple):
    total: int
    features: dict[str, int]
    """Bytes of each feature's worktrees and their companion files, the largest first."""
    kinds: dict[str, int]
    """Bytes of everything else, by kind."""

    @property
    def words(self) -> str:
        named = [f"{name} {size_words(size)}" for name, size in self.features.items() if size]
        more = len(named) - MOST_NAMED
        shown = named[:MOST_NAMED] + ([f"{more} more"] if more > 0 else [])
        trees = size_words(sum(self.features.values()))
        parts = [f"worktrees {trees} ({', '.join(shown)})"] if shown else []
        parts += [f"{name} {size_words(size)}" for name, size in self.kinds.items() if size]
        return f"{size_words(self.total)}: {', '.join(parts)}" if parts else "nothing yet"


def disk_use(office: Office) -> DiskUse:
    """Read only; files that vanish in the meantime don't count."""
    folder = office.folder.path
    names = {row.feature.name: row.feature.id for row in every_row(office)}
    features = dict.fromkeys(names.values(), 0)
    kinds = {words: _size(folder / name) for name, words in KINDS.items()}
    other = 0
    for entry in _entries(folder / "worktrees"):
        # Lanes and what is kept beside a worktree have its name with something after it.
        owner = max((one for one in names if entry.name.startswith(one)), key=len, default="")
        if owner:
            features[names[owner]] += _size(entry)
        else:
            other += _size(entry)
    known = {"worktrees", *KINDS}
    records = sum(_size(one) for one in _entries(folder) if one.name not in known)
    kinds |= {"worktrees without a feature": other, "records": records}
    ranked = dict(sorted(features.items(), key=lambda one: (-one[1], one[0])))
    return DiskUse(sum(features.values()) + sum(kinds.values()), ranked, kinds)


def size_words(size: int) -> str:
    for unit, bytes_ in (("GB", 1_000_000_000), ("MB", 1_000_000)):
        if size >= bytes_:
            return f"{size / bytes_:.1f} {unit}"
    return f"{size // 1_000} kB"


def _entries(folder: Path) -> list[Path]:
    return sorted(folder.iterdir()) if folder.is_dir() else []


def _size(path: Path) -> int:
    """Size on disk; links are not followed."""
    try:
        size = path.lstat().st_blocks * BLOCK_BYTES
        if path.is_symlink() or not path.is_dir():
            return size
        with os.scandir(path) as entries:
            return size + sum(_size(Path(one.path)) for one in entries)
    except OSError:
        return 0
