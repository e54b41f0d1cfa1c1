"""What a set-up has installed in a worktree, sealed before any agent works there.

Right after the set-up, everything it left beside the files of the commit is copied to a folder of
ours: copied, never linked, so that writes in the worktree can't reach it. Worktrees with the same
set-up share that folder. Checks get their own copy of it, which is reused: whatever a check changed
in it is restored from the sealed one before the next.
"""

from __future__ import annotations

import json
import os
import re
import shutil
import stat
import subprocess
from collections.abc import Collection, Iterator
from contextlib import suppress
from pathlib import Path, PurePosixPath
from typing import cast

from sparing.errors import RepositoryError
from sparing.workspace.git.snapshot import Snapshot
from sparing.workspace.git.special_files import WHOLE, read_plain
from sparing.workspace.git.worktree import Worktree
from sparing.workspace.setup.lent_files import lent_files

SEALED, READY, NOTED = "sealed", "ready", "ready.json"
VENV = ".venv"
REMOVAL_SECONDS = 30


def store_of(worktree: Path) -> Path:
    return worktree.with_name(f"{worktree.name}.environment")


def tools_of(worktree: Path, folder: str = "") -> Path:
    """Where the programs are that a set-up has installed in a folder; it need not exist."""
    return store_of(worktree) / SEALED / folder / VENV / "bin"


def installed_modules(worktree: Path) -> frozenset[str]:
    """Python packages that a set-up has installed, by their import names."""
    found = (store_of(worktree) / SEALED / VENV / "lib").glob("python*/site-packages/*")
    names = (one.name.partition(".")[0] for one in found if one.suffix in ("", ".py", ".so"))
    return frozenset(name for name in names if name.isidentifier())


def is_sealed(worktree: Path) -> bool:
    return (store_of(worktree) / SEALED).is_dir()


def seal(worktree: Path, kept: Path) -> None:
    """Give checks of this worktree the environment in `kept` from now on."""
    unseal(worktree)
    store = store_of(worktree)
    store.mkdir(mode=0o700)
    (store / "new").symlink_to(kept)
    (store / "new").rename(store / SEALED)


def kept_for(worktree: Path) -> Path | None:
    """The folder that was passed to `seal`, if any."""
    place = store_of(worktree) / SEALED
    return place.readlink() if place.is_symlink() else None


def unseal(worktree: Path) -> None:
    """Discard the sealed environment, before a set-up runs again."""
    remove_tree(store_of(worktree))


def left_beside(worktree: Worktree, commit: str) -> tuple[str, ...]:
    """Files and whole folders that are not in the commit, without lent ones."""
    files = frozenset(Snapshot(worktree.repository, commit).entries)
    return tuple(_beside(worktree.path, {*files, *lent_files(worktree), ".git"}))


def _beside(root: Path, known: Collection[str]) -> Iterator[str]:
    kept = {str(parent) for path in known for parent in PurePosixPath(path).parents}
    waiting = [""]
    while waiting:
        here = waiting.pop()
        for entry in sorted(os.scandir(root / here), key=lambda one: one.name):
            path = f"{here}/{entry.name}" if here else entry.name
            if path in kept and entry.is_dir(follow_symlinks=False):
                waiting.append(path)
            elif path not in known:
                yield path


def bring(worktree: Path, room: Path) -> None:
    """Put the environment into a folder that has a commit's files; those take precedence."""
    store = store_of(worktree)
    sealed, ready = store / SEALED, store / READY
    if not sealed.is_dir():
        return
    _make_ready(store)
    for path in tuple(lacking(sealed, room)):
        if _is_folder(ready / path):
            (ready / path).rename(room / path)
        else:
            copy(sealed / path, room / path)


def _make_ready(store: Path) -> None:
    """Make the checks' copy equal to the sealed environment; only what differs is copied again."""
    sealed, ready = (store / SEALED).resolve(), store / READY
    noted = _noted(store) if ready.is_dir() else {}
    found = stamps(ready) if noted else {}
    if noted and noted == found:
        return
    (store / NOTED).unlink(missing_ok=True)
    if not (noted and _is_restored(sealed, ready, noted, found)):
        remove_tree(ready)
        copy(sealed, ready)
    (store / NOTED).write_text(json.dumps(stamps(ready)), "utf-8")


def _is_restored(
    sealed: Path, ready: Path, noted: dict[str, list[int]], found: dict[str, list[int]]
) -> bool:
    """Undo every change, a folder's before those in it, so that no link is ever followed; False if
    that fails half-way."""
    changed = [path for path in {*noted, *found} if noted.get(path) != found.get(path)]
    done: set[str] = set()
    try:
        for path in sorted(changed, key=lambda one: one.split("/")):
            if any(str(parent) in done for parent in PurePosixPath(path).parents):
                continue
            if len(noted.get(path, ())) == len(found.get(path, ())) == 1:  # a folder's mode alone
                (ready / path).chmod(stat.S_IMODE((sealed / path).lstat().st_mode))
                continue
            done.add(path)
            remove_tree(ready / path)
            if path in noted:
                copy(sealed / path, ready / path)
    except OSError:
        return False
    return True


def take_back(worktree: Path, room: Path) -> None:
    """After a check, keep the folders that it was given for the next one."""
    sealed, ready = store_of(worktree) / SEALED, store_of(worktree) / READY
    if not ready.is_dir():
        return
    for path in tuple(lacking(sealed, ready)):
        if _is_folder(room / path):
            (room / path).rename(ready / path)


def lacking(source: Path, target: Path, folder: str = "") -> Iterator[str]:
    """Paths that `source` has and `target` lacks: whole folders where possible."""
    for entry in sorted(os.scandir(source / folder), key=lambda one: one.name):
        path = f"{folder}/{entry.name}" if folder else entry.name
        if not os.path.lexists(target / path):
            yield path
        elif entry.is_dir(follow_symlinks=False) and _is_folder(target / path):
            yield from lacking(source, target, path)


def _noted(store: Path) -> dict[str, list[int]]:
    """What was noted of the checks' copy; empty if nothing was, or nothing that can be read."""
    try:
        found: object = json.loads(read_plain(store / NOTED, WHOLE) or b"")
    except ValueError:
        return {}
    return cast("dict[str, list[int]]", found) if isinstance(found, dict) else {}


def stamps(root: Path) -> dict[str, list[int]]:
    """Stat values of every file; no program can set back its change time. Of a folder only the
    mode: its contents are listed, and we move it ourselves. One that can't be read has none."""
    found: dict[str, list[int]] = {}
    waiting = [""]
    while waiting:
        here = waiting.pop()
        try:
            entries = list(os.scandir(f"{root}/{here}"))
        except OSError:
            found[here] = []
            continue
        for entry in entries:
            path = f"{here}/{entry.name}" if here else entry.name
            at = entry.stat(follow_symlinks=False)
            if stat.S_ISDIR(at.st_mode):
                found[path] = [at.st_mode]
                waiting.append(path)
            else:
                found[path] = [at.st_ino, at.st_size, at.st_mtime_ns, at.st_ctime_ns, at.st_mode]
    return found


def copy(source: Path, target: Path) -> None:
    try:
        target.parent.mkdir(parents=True, exist_ok=True)
        if _is_folder(source):
            shutil.copytree(source, target, symlinks=True, ignore=_special)
        elif source.is_symlink() or source.is_file():
            shutil.copy2(source, target, follow_symlinks=False)
    except OSError as error:
        raise RepositoryError(
            f"{source} can't be copied: {_reason(error)}",
            f"df -h {target.parent.parent} and ls -l {source} show why; then: sparing resume",
        ) from error


def _reason(error: OSError) -> str:
    """For a whole folder, that of the first file that failed, without its path."""
    if not isinstance(error, shutil.Error):
        return (error.strerror or "unknown reason").lower()
    told = str(next(iter(error.args[0]), ("", "", "unknown reason"))[2])
    return re.sub(r"^\[Errno \d+\] |: '.*$", "", told, flags=re.DOTALL).lower()


def _special(folder: str, names: list[str]) -> list[str]:
    """Pipes, sockets and devices: copying one would block forever or fail."""
    kinds = (stat.S_ISREG, stat.S_ISDIR, stat.S_ISLNK)
    modes = {name: (Path(folder) / name).lstat().st_mode for name in names}
    return [name for name in names if not any(is_kind(modes[name]) for is_kind in kinds)]


def remove_tree(folder: Path) -> None:
    """Remove a folder whatever is in it: a check may have left folders without access rights."""
    if not os.path.lexists(folder):
        return
    if not _is_folder(folder):
        folder.unlink()
        return
    try:
        make_writable(folder)
        for here, folders, _ in os.walk(folder):
            for name in folders:
                make_writable(Path(here) / name)
        shutil.rmtree(folder, ignore_errors=True)
    except (OSError, RecursionError):
        # Deeper than a path can be long: these two programs don't mind.
        for line in (("chmod", "-R", "u+rwX"), ("rm", "-rf")):
            with suppress(OSError, subprocess.TimeoutExpired):
                argv = (*line, "--", str(folder))
                subprocess.run(argv, capture_output=True, check=False, timeout=REMOVAL_SECONDS)
    if folder.exists():
        raise RepositoryError(f"{folder} can't be removed", f"rm -rf {folder}")


def make_writable(place: Path) -> None:
    if _is_folder(place):
        place.chmod(0o700)


def _is_folder(place: Path) -> bool:
    return place.is_dir() and not place.is_symlink()
