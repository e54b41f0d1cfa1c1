"""Holds what belongs to the user to the byte, around every test.

A snapshot maps names to hashes. `Guard` takes one of each repository and HOME it is given, takes
it again after the test, and says what differs. A test in which the user agreed to a change says
so with `expect`, for exactly those names.
"""

from __future__ import annotations

import hashlib
import os
import stat
from collections.abc import Iterator
from dataclasses import dataclass, field
from fnmatch import fnmatch
from pathlib import Path

Snapshot = dict[str, str]

# Branches and refs that are ours to make.
OUR_REFS = ("refs/heads/feature/*", "refs/sparing/*")
# Folders of HOME that are ours to write.
OUR_FOLDERS = (".local/state/sparing", ".cache/sparing", ".config/sparing")
_GIT_FILES = ("HEAD", "config", "config.worktree", "index", "packed-refs", "shallow", "FETCH_HEAD")
_GIT_FOLDERS = ("info", "hooks", "refs", "logs/refs/stash")


def snapshot_repository(checkout: Path) -> Snapshot:
    """Checkout, index, stash, refs, HEAD, config, info and hooks, by name."""
    git_dir = checkout / ".git"
    found = {f"checkout/{name}": value for name, value in _walk(checkout, skip=(".git",))}
    for name in _GIT_FILES:
        path = git_dir / name
        if path.exists():
            found[f".git/{name}"] = _digest(path)
    for folder in _GIT_FOLDERS:
        found |= {f".git/{folder}/{n}".rstrip("/"): v for n, v in _walk(git_dir / folder)}
    return {name: value for name, value in found.items() if not _is_ours(name)}


def snapshot_home(home: Path) -> Snapshot:
    return {f"HOME/{name}": value for name, value in _walk(home, skip=OUR_FOLDERS)}


def differences(before: Snapshot, after: Snapshot) -> list[str]:
    changes: list[str] = []
    for name in sorted(before.keys() | after.keys()):
        if name not in after:
            changes.append(f"removed {name}")
        elif name not in before:
            changes.append(f"added {name}")
        elif before[name] != after[name]:
            changes.append(f"changed {name}")
    return changes


@dataclass
class Guard:
    repositories: dict[Path, Snapshot] = field(default_factory=dict[Path, Snapshot])
    homes: dict[Path, Snapshot] = field(default_factory=dict[Path, Snapshot])
    expected: list[tuple[Path, str]] = field(default_factory=list[tuple[Path, str]])

    def watch(self, checkout: Path) -> Path:
        """From now on this repository must not change."""
        self.repositories[checkout] = snapshot_repository(checkout)
        return checkout

    def watch_home(self, home: Path) -> Path:
        self.homes[home] = snapshot_home(home)
        return home

    def expect(self, checkout: Path, *names: str) -> None:
        """The user agreed to these changes; a name may be a pattern like `.git/refs/*`."""
        self.expected += [(checkout, name) for name in names]

    def changes(self) -> list[str]:
        """What differs and was not expected, and what was expected and did not happen."""
        found: list[str] = []
        for checkout, before in self.repositories.items():
            changes = differences(before, snapshot_repository(checkout))
            patterns = [name for where, name in self.expected if where == checkout]
            found += [f"{checkout}: {c}" for c in changes if not _matches(c, patterns)]
            found += [
                f"{checkout}: expected a change of {pattern}, none came"
                for pattern in patterns
                if not any(_matches(change, [pattern]) for change in changes)
            ]
        for home, before in self.homes.items():
            found += differences(before, snapshot_home(home))
        return found


def _matches(change: str, patterns: list[str]) -> bool:
    name = change.partition(" ")[2]
    return any(fnmatch(name, pattern) for pattern in patterns)


def _is_ours(name: str) -> bool:
    return any(fnmatch(name, f".git/{pattern}") for pattern in OUR_REFS)


def _walk(root: Path, skip: tuple[str, ...] = ()) -> Iterator[tuple[str, str]]:
    if root.is_symlink() or root.is_file():
        yield "", _digest(root)
        return
    for folder, folders, names in os.walk(root):
        base = Path(folder)
        relative = base.relative_to(root)
        folders[:] = sorted(n for n in folders if str(relative / n) not in skip)
        links = [name for name in folders if (base / name).is_symlink()]
        for name in (*names, *links):
            yield str(relative / name), _digest(base / name)


def _digest(path: Path) -> str:
    """Kind, permissions and content of one entry."""
    found = path.lstat()
    if stat.S_ISLNK(found.st_mode):
        content = os.fsencode(path.readlink())
    elif stat.S_ISREG(found.st_mode):
        content = path.read_bytes()
    else:
        content = b""
    return f"{found.st_mode:o} {hashlib.sha1(content, usedforsecurity=False).hexdigest()}"
