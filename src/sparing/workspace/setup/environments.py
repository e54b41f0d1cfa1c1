"""What set-ups have made, stored once per set of ingredients and handed out as copies.

A set-up that would load and run the same, at the same path and with the same tools, is not run
again: another worktree, a lane or a recreated one gets a copy of what the first run left. Only we
write here, and nothing here is linked from a worktree.
"""

from __future__ import annotations

import fcntl
import hashlib
import json
import os
import shutil
import time
from collections.abc import Collection, Generator, Iterable, Mapping
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import NamedTuple

from sparing.wait import waiting
from sparing.workspace.checks.installed_packages import copy, kept_for, lacking, remove_tree
from sparing.workspace.git.special_files import read_plain
from sparing.workspace.setup.input_files import Recipe

FILES = "files"
STAMP = "used"
LOCK = "lock"
PAUSE_SECONDS = 0.2
UNUSED_SECONDS = 14 * 24 * 3600.0
"""Seconds after which an environment that no worktree uses is removed."""


class Conditions(NamedTuple):
    """What determines, besides the files of a commit, what a set-up makes."""

    place: Path
    """The worktree's path as its users see it: installed files may contain it."""
    path: str
    """The PATH in which programs are found."""
    lent: tuple[tuple[str, str], ...] = ()
    """Files that are in no commit, with their hashes."""
    network: str = ""
    """Where packages come from."""


class Environments(NamedTuple):
    """The environments of one repository."""

    folder: Path

    def find(self, name: str) -> Path | None:
        """The folder to copy from, if there is one; this counts as use."""
        kept = self.folder / name
        if not (kept / FILES).is_dir():
            return None
        with suppress(OSError):
            os.utime(kept / STAMP)
        return kept / FILES

    def keep(self, name: str, root: Path, paths: Iterable[str]) -> Path:
        """Store copies of what a set-up left in a worktree, atomically."""
        self.folder.mkdir(mode=0o700, exist_ok=True)
        kept, fresh = self.folder / name, self.folder / f"new-{os.getpid()}-{name[:16]}"
        remove_tree(fresh)
        (fresh / FILES).mkdir(parents=True, mode=0o700)
        for path in paths:
            copy(root / path, fresh / FILES / path)
        (fresh / STAMP).touch()
        remove_tree(kept)
        fresh.rename(kept)
        return kept / FILES

    def give(self, name: str, root: Path) -> bool:
        """Copy it into a worktree that holds only a commit's files; False if there is none."""
        kept = self.find(name)
        if kept is None:
            return False
        for path in tuple(lacking(kept, root)):
            copy(kept / path, root / path)
        return True

    def prune(self, worktrees: Path, now: float) -> None:
        """Remove those that no worktree has and that are long unused, and leftovers of a kill."""
        taken = {kept_for(one) for one in _worktrees(worktrees)}
        for kept in sorted(self.folder.glob("*/")):
            if kept.name.startswith("new-"):
                stale = kept.stat().st_mtime < now - UNUSED_SECONDS
            else:
                stale = _used(kept) < now - UNUSED_SECONDS
            if stale and kept / FILES not in taken:
                remove_tree(kept)

    @contextmanager
    def building(self, name: str, limit_seconds: float) -> Generator[None]:
        """Let only one process build an environment; one that has waited too long builds it too."""
        self.folder.mkdir(mode=0o700, exist_ok=True)
        flags = os.O_RDWR | os.O_CREAT | os.O_CLOEXEC | os.O_NOFOLLOW
        file = os.open(self.folder / f"{name[:16]}.{LOCK}", flags, 0o600)
        try:
            with waiting("waiting for the same environment, built elsewhere", limit_seconds):
                _wait_for(file, limit_seconds)
            yield
        finally:
            os.close(file)


def environment_name(recipe: Recipe, conditions: Conditions) -> str:
    """The environment's name; equal if a set-up would make the same."""
    told = [
        recipe.digest, str(conditions.place), _programs(recipe, conditions.path),
        conditions.lent, conditions.network,
    ]  # fmt: skip
    return hashlib.sha256(json.dumps(told).encode()).hexdigest()


def _programs(recipe: Recipe, path: str) -> list[str]:
    """Identify the programs: another Python or Node makes another environment."""
    names = sorted({*(one.argv[0] for one in recipe.plan.commands), "python3", "node"})
    found = ((name, shutil.which(name, path=path)) for name in names if "/" not in name)
    return [f"{name} {_identity(Path(place))}" for name, place in found if place]


def _identity(program: Path) -> str:
    real = program.resolve()
    known = real.stat()
    return f"{real} {known.st_size} {known.st_mtime_ns}"


def contents(root: Path, paths: Collection[str]) -> tuple[tuple[str, str], ...]:
    """Hashes of files in a worktree."""
    data = ((path, read_plain(root / path)) for path in sorted(paths))
    return tuple((path, hashlib.sha256(one or b"").hexdigest()) for path, one in data)


def network_digest(settings: Mapping[str, str]) -> str:
    return hashlib.sha256(json.dumps(sorted(settings.items())).encode()).hexdigest()


def _worktrees(folder: Path) -> list[Path]:
    """Worktrees, found by the environment folders beside them."""
    ending = ".environment"
    return [one.with_name(one.name.removesuffix(ending)) for one in folder.glob(f"*{ending}")]


def _used(kept: Path) -> float:
    try:
        return (kept / STAMP).stat().st_mtime
    except OSError:
        return 0.0


def _wait_for(file: int, limit_seconds: float) -> None:
    for _ in range(int(limit_seconds / PAUSE_SECONDS) + 1):
        try:
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            time.sleep(PAUSE_SECONDS)
        else:
            return
