"""Carrying out a set-up in a worktree, so that nothing of it is ever committed or lost.

Whatever new files a set-up leaves are noted in an exclude file of the worktree's own; what it
changed in files that git knows is put back. A mark says which plan was carried out: a worktree
that was made again has none, and is set up again; so is one whose lists of dependencies changed.
"""

from __future__ import annotations

import os
from collections.abc import Container, Iterable, Mapping, Sequence
from pathlib import Path, PurePosixPath
from typing import NamedTuple

from sparing.errors import RepositoryError
from sparing.workspace import stage
from sparing.workspace.checks import CheckResult, Walls, run_check
from sparing.workspace.discover import Check
from sparing.workspace.ingredients import fingerprint, reader
from sparing.workspace.leaks import set_aside
from sparing.workspace.plain_file import read_plain
from sparing.workspace.setup import Command, Plan
from sparing.workspace.stage import excludes_of
from sparing.workspace.worktree import Worktree, restore

MARK = "sparing.setup"


class SetupFailed(RepositoryError):
    """A command of the set-up did not end well."""


class Means(NamedTuple):
    """What a set-up may use."""

    environ: Mapping[str, str]
    caches: Path
    """Where tools keep what they load, for all worktrees of a repository."""
    limit_seconds: float
    walls: Walls | None = None
    known: Sequence[str] = ()
    """Values that no commit may hold, not even one that only we can see."""


def is_equipped(worktree: Worktree, plan: Plan) -> bool:
    mark = worktree.git_dir / MARK
    return read_plain(mark) == state_of(worktree, plan).encode()


def state_of(worktree: Worktree, plan: Plan) -> str:
    """What a set-up of this worktree would do now, and which worktree it is: git keeps its own
    folder for one that was deleted, and gives it to the next."""
    made = (worktree.path / ".git").stat()
    return f"{fingerprint(plan, reader(worktree.path))} {made.st_ino} {made.st_mtime_ns}"


def equip(worktree: Worktree, plan: Plan, commit: str, means: Means) -> tuple[CheckResult, ...]:
    """Run what has to be run, once for each worktree and what its files ask for."""
    if is_equipped(worktree, plan):
        return ()
    state = state_of(worktree, plan)
    before = _untracked(worktree, commit)
    done: list[CheckResult] = []
    for command in plan.commands:
        result = _run(command, worktree, means)
        if not result.passed:
            raise _failed(command, result, means.limit_seconds)
        done.append(result)
    if plan.commands:
        _settle(worktree, commit, before, means.known)
    (worktree.git_dir / MARK).write_text(state, "utf-8")
    return tuple(done)


def exclude(worktree: Worktree, paths: Iterable[str]) -> None:
    """From now on git does not see these paths here, unless it has them already."""
    file = excludes_of(worktree.git_dir)
    known = (read_plain(file) or b"").decode().splitlines()
    lines = [f"/{_escaped(path)}" for path in paths]
    file.write_text("".join(f"{one}\n" for one in dict.fromkeys((*known, *lines))), "utf-8")


def _run(command: Command, worktree: Worktree, means: Means) -> CheckResult:
    check = Check("set-up", command.argv, command.origin)
    environ = {**means.environ, **caches(means.caches)}
    return run_check(check, worktree.path, means.limit_seconds, environ, means.walls)


def caches(folder: Path) -> dict[str, str]:
    """Without these each tool would load everything again, into a HOME that is gone afterwards."""
    names = {
        "PIP_CACHE_DIR": "pip",
        "UV_CACHE_DIR": "uv",
        "POETRY_CACHE_DIR": "poetry",
        "npm_config_cache": "npm",
        "npm_config_store_dir": "pnpm",
        "CARGO_HOME": "cargo",
        "GOMODCACHE": "go",
    }
    places = {variable: str(folder / name) for variable, name in names.items()}
    return {**places, "POETRY_VIRTUALENVS_IN_PROJECT": "1"}


def _settle(worktree: Worktree, commit: str, before: frozenset[str], known: Sequence[str]) -> None:
    new = _untracked(worktree, commit) - before
    with worktree.held() as git:
        tracked = os.fsdecode(git.run("ls-files", "-z")).split("\0")
    folders = {str(folder) for path in tracked for folder in PurePosixPath(path).parents}
    exclude(worktree, sorted({_cover(path, folders) for path in new}))
    if not before:
        name = f"{worktree.path.name}.setup"
        restore(worktree, commit, name, lambda paths: set_aside(worktree, commit, paths, known))


def _untracked(worktree: Worktree, commit: str) -> frozenset[str]:
    with worktree.held() as git:
        stage.load(git, commit)
        found = stage.scan(git)
    return frozenset((*found.untracked, *found.nested))


def _cover(path: str, folders: Container[str]) -> str:
    """The whole folder if nothing of the repository lies in it: a second run may leave others."""
    above = [str(folder) for folder in PurePosixPath(path).parents][-2::-1]
    return next((folder for folder in above if folder not in folders), path)


def _failed(command: Command, result: CheckResult, limit_seconds: float) -> SetupFailed:
    reason = result.summary or "no words"
    hung = "stopped after" in reason
    return SetupFailed(
        f"set-up failed: {command.words}: {reason}",
        f"it has {limit_seconds:g} s; more: SPARING_WORKSPACE__SETUP_SECONDS"
        if hung
        else "mend what it needs, or name other commands: workspace.setup in sparing.toml",
    )


def _escaped(path: str) -> str:
    return "".join(f"\\{letter}" if letter in "*?[]\\ !#" else letter for letter in path)
