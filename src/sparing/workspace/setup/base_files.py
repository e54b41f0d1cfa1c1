"""A worktree that temporarily holds the files of another commit and nothing else.

Everything in it is moved beside it first, including what git ignores: an agent may have put a
program of its own where a set-up looks for one. Afterwards it is moved back, including uncommitted
work. What was made meanwhile and git does not track is added to it. A note says how far this is, so
that after a kill nothing is lost and nothing incomplete stays.
"""

from __future__ import annotations

import os
import shutil
from collections.abc import Generator, Iterable, Sequence
from contextlib import contextmanager
from dataclasses import replace
from enum import StrEnum
from pathlib import Path, PurePosixPath
from typing import NamedTuple

from sparing.errors import RepositoryError
from sparing.workspace.git import private_index
from sparing.workspace.git.runner import Git
from sparing.workspace.git.snapshot import SUBMODULE
from sparing.workspace.git.special_files import read_plain
from sparing.workspace.git.worktree import Worktree, mend

NOTE = "sparing.setup-phase"
INDEX = "sparing.setup-index"


class Phase(StrEnum):
    MOVING_OUT = "moving out"
    RUNNING = "running"
    """The worktree's own files are beside it; what is in it now can be recreated."""
    MOVING_BACK = "moving back"


class TrackedFiles(NamedTuple):
    """The files of a commit, and uncommitted work beside them."""

    files: frozenset[str]
    folders: frozenset[str]
    work: tuple[str, ...] = ()


@contextmanager
def base_files(worktree: Worktree, commit: str) -> Generator[Git]:
    """Yield git with its own index of the commit; on an error everything is put back."""
    put_back(worktree)
    head = worktree.tip()
    with worktree.held() as git:
        private_index.load(git, head)
        found = private_index.scan(git)
        known = _tracked(git, (*found.on_disk, *found.nested, *found.special))
        # A set-up of one package may need the others' files.
        own = replace(git, index=git.git_dir / INDEX, cone=())
        _note(worktree, Phase.MOVING_OUT)
        _move_all(worktree.path, _place(worktree, "out"))
        _note(worktree, Phase.RUNNING)
        _fill(worktree, own, commit)
    try:
        yield own
        with worktree.held():
            products = _products(own)
            _move_all(worktree.path, _place(worktree, "made"))
            _note(worktree, Phase.MOVING_BACK)
            _move_all(_place(worktree, "out"), worktree.path)
            _bring(worktree, products, known)
    finally:
        put_back(worktree)


def put_back(worktree: Worktree) -> None:
    """Restore the worktree's own files if an earlier attempt was interrupted."""
    note = worktree.git_dir / NOTE
    if not note.is_file():
        return
    head = worktree.tip()
    with worktree.held() as git:
        if read_plain(note) == Phase.RUNNING.value.encode():
            for entry in _entries(worktree.path):
                remove(entry)
        _move_all(_place(worktree, "out"), worktree.path)
        for name in ("out", "made"):
            remove(_place(worktree, name))
        mend(worktree, git)
        private_index.load(git, head)
        private_index.publish(git)
        note.unlink()


def folders_of(paths: Iterable[str]) -> frozenset[str]:
    return frozenset(str(folder) for path in paths for folder in PurePosixPath(path).parents)


def _fill(worktree: Worktree, git: Git, commit: str) -> None:
    """Write the commit's files; HEAD and the visible index match, for a set-up that asks git."""
    mend(worktree, git)
    git.run("update-ref", "--no-deref", "HEAD", commit)
    private_index.index_of(git).unlink(missing_ok=True)
    private_index.load(git, commit)
    private_index.fill(git)
    private_index.publish(git)


def _tracked(git: Git, work: Sequence[str]) -> TrackedFiles:
    files = frozenset(path for mode, path in _listed(git) if mode != SUBMODULE)
    return TrackedFiles(files, folders_of(files), tuple(work))


def _listed(git: Git) -> list[tuple[str, str]]:
    """Mode and path of everything in the index."""
    lines = os.fsdecode(git.run("ls-files", "--stage", "-z")).split("\0")
    return [(line[:6], line.partition("\t")[2]) for line in lines if line]


def _products(git: Git) -> list[str]:
    """All that is not a file of the commit, as whole folders where possible, and submodules."""
    listed = os.fsdecode(git.run("ls-files", "--others", "--directory", "-z")).split("\0")
    modules = (path for mode, path in _listed(git) if mode == SUBMODULE)
    return [*(path.rstrip("/") for path in listed if path), *modules]


def _bring(worktree: Worktree, products: Iterable[str], known: TrackedFiles) -> None:
    made = _place(worktree, "made")
    todo = list(products)
    while todo:
        path = todo.pop()
        source, target = made / path, worktree.path / path
        if path in known.folders and source.is_dir() and not source.is_symlink():
            todo += [f"{path}/{entry.name}" for entry in source.iterdir()]
        elif path not in known.files and _is_free(worktree.path, path, known):
            remove(target)
            target.parent.mkdir(parents=True, exist_ok=True)
            source.rename(target)


def _is_free(root: Path, path: str, known: TrackedFiles) -> bool:
    """Whether a path has no uncommitted work and is not behind a link, which may lead anywhere."""
    parents = [root / folder for folder in PurePosixPath(path).parents]
    if any(one.is_symlink() or (one.exists() and not one.is_dir()) for one in parents):
        return False
    return not any(one == path or one.startswith(f"{path}/") for one in known.work)


def _move_all(source: Path, target: Path) -> None:
    """Move everything but `.git`, replacing what a killed attempt made from a commit."""
    target.mkdir(mode=0o700, exist_ok=True)
    for entry in _entries(source):
        remove(target / entry.name)
        entry.rename(target / entry.name)


def _entries(folder: Path) -> list[Path]:
    return sorted(one for one in folder.iterdir() if one.name != ".git") if folder.is_dir() else []


def remove(path: Path) -> None:
    """Remove it, even if folders in it are not writable; never what a link leads to."""
    if path.is_symlink() or not path.is_dir():
        path.unlink(missing_ok=True)
        return
    for folder, _, _ in os.walk(path):
        Path(folder).chmod(0o700)
    try:
        shutil.rmtree(path)
    except OSError as error:
        raise RepositoryError(
            f"{path} can't be removed: {error.strerror}", f"rm -r {path}"
        ) from error


def _note(worktree: Worktree, phase: Phase) -> None:
    fresh = worktree.git_dir / f"{NOTE}.new"
    fresh.write_text(phase, "utf-8")
    fresh.replace(worktree.git_dir / NOTE)


def _place(worktree: Worktree, name: str) -> Path:
    return worktree.path.with_name(f"{worktree.path.name}.setup-{name}")
