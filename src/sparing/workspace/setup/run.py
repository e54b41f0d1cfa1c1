"""Carrying out a set-up for a worktree, so that nothing of it is ever committed or lost.

It runs on the files of a commit that a person knows, whatever the branch has by now; what it makes
is there when the branch's own files are back. New files are noted in an exclude file of the
worktree's own; changes to files that git knows are dropped. A mark says what was carried out: a
worktree that was made again has none, and is set up again.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Container, Iterable, Mapping
from pathlib import Path, PurePosixPath
from typing import NamedTuple

from sparing.errors import RepositoryError
from sparing.workspace.checks.discover import Check
from sparing.workspace.checks.failures import is_network, telling_lines
from sparing.workspace.checks.run import CheckResult, CheckSandbox, run_check
from sparing.workspace.git import private_index
from sparing.workspace.git.private_index import excludes_of
from sparing.workspace.git.runner import Git
from sparing.workspace.git.snapshot import Snapshot
from sparing.workspace.git.special_files import read_plain
from sparing.workspace.git.worktree import Worktree
from sparing.workspace.sandbox.launcher import place_of
from sparing.workspace.setup.base_files import base_files, folders_of
from sparing.workspace.setup.ingredients import Recipe
from sparing.workspace.setup.setup_plan import Command

MARK = "sparing.setup"


class SetupFailed(RepositoryError):
    """A command of the set-up did not end well."""


class Means(NamedTuple):
    """What a set-up may use."""

    environ: Mapping[str, str]
    caches: Path
    """Where tools keep what they load, for all worktrees of a repository."""
    limit_seconds: float
    sandbox: CheckSandbox | None = None

    def place(self, worktree: Path) -> Path:
        """Where a set-up finds the worktree, which what it installs may note down."""
        return worktree if self.sandbox is None else place_of(worktree, self.sandbox.level)


def is_equipped(worktree: Worktree, recipe: Recipe, place: Path) -> bool:
    """A set-up that was made at the worktree's own path is found by everybody; one that was made at
    the constant path only there."""
    known = read_plain(worktree.git_dir / MARK)
    own = state_of(worktree, recipe, worktree.path)
    return known in (own.encode(), state_of(worktree, recipe, place).encode())


def state_of(worktree: Worktree, recipe: Recipe, place: Path) -> str:
    """What a set-up of this worktree would do, and which worktree it is: git keeps its own
    folder for one that was deleted, and gives it to the next."""
    made = (worktree.path / ".git").stat()
    constant = "" if place == worktree.path else f" {place}"
    return f"{recipe.digest} {made.st_ino} {made.st_mtime_ns}{constant}"


def forget_setup(worktree: Worktree) -> None:
    """The next call of `equip` runs it again."""
    (worktree.git_dir / MARK).unlink(missing_ok=True)


def equip(
    worktree: Worktree,
    recipe: Recipe,
    means: Means,
    prepare: Callable[[], object] = tuple,
    keep: Callable[[], object] = tuple,
) -> tuple[CheckResult, ...]:
    """Run what has to be run, once for each worktree and what the recipe's files ask for.

    `prepare` brings what a set-up needs and no commit has. `keep` is called when all is made and
    nothing of an agent's lies beside it.
    """
    place = means.place(worktree.path)
    if is_equipped(worktree, recipe, place):
        return ()
    done: list[CheckResult] = []
    if recipe.plan.commands:
        with base_files(worktree, recipe.commit) as git:
            prepare()
            before = _untracked(git)
            for command in recipe.plan.commands:
                result = _run(command, worktree, means)
                if not result.passed:
                    raise _failed(command, result, means.limit_seconds)
                done.append(result)
            _exclude_new(worktree, git, before)
            keep()
    (worktree.git_dir / MARK).write_text(state_of(worktree, recipe, place), "utf-8")
    return tuple(done)


def exclude(worktree: Worktree, paths: Iterable[str]) -> None:
    """From now on git does not see these paths here, unless it has them already."""
    file = excludes_of(worktree.git_dir)
    known = (read_plain(file) or b"").decode("utf-8").splitlines()
    lines = [f"/{_escaped(path)}" for path in paths]
    file.write_text("".join(f"{one}\n" for one in dict.fromkeys((*known, *lines))), "utf-8")


def _run(command: Command, worktree: Worktree, means: Means) -> CheckResult:
    check = Check("set-up", command.argv, command.origin)
    environ = {**means.environ, **caches(means.caches)}
    return run_check(check, worktree.path, means.limit_seconds, environ, means.sandbox)


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
    # A hard link into a cache would let an agent change what other worktrees are given.
    copied = {"UV_LINK_MODE": "copy", "npm_config_package_import_method": "copy"}
    return {**places, **copied, "POETRY_VIRTUALENVS_IN_PROJECT": "1"}


def _exclude_new(worktree: Worktree, git: Git, before: frozenset[str]) -> None:
    new = _untracked(git) - before
    # A folder that the branch has by now is no set-up's own: new files in it are work.
    listed = os.fsdecode(git.run("ls-files", "-z")).split("\0")
    tracked = (*listed, *Snapshot(worktree.repository, worktree.tip()).entries)
    folders = folders_of(tracked)
    exclude(worktree, sorted({_cover(path, folders) for path in new}))


def _untracked(git: Git) -> frozenset[str]:
    found = private_index.scan(git)
    return frozenset((*found.untracked, *found.nested))


def _cover(path: str, folders: Container[str]) -> str:
    """The whole folder if nothing of the repository lies in it: a second run may leave others."""
    above = [str(folder) for folder in PurePosixPath(path).parents][-2::-1]
    return next((folder for folder in above if folder not in folders), path)


def _failed(command: Command, result: CheckResult, limit_seconds: float) -> SetupFailed:
    hung = "stopped after" in result.summary
    told = () if hung else telling_lines(result.output)
    reason = "; ".join(told) or result.summary or "no words"
    what = f"set-up failed: {command.words}: {reason}"
    if hung:
        more = "sparing config set workspace.setup_seconds"
        return SetupFailed(what, f"it has {limit_seconds:g} s; more: {more} {2 * limit_seconds:g}")
    if is_network(result.output):
        return SetupFailed(what, "see that the network answers, then: sparing run")
    return SetupFailed(
        what, "fix the cause, or name other commands: workspace.setup in sparing.toml"
    )


def _escaped(path: str) -> str:
    return "".join(f"\\{letter}" if letter in "*?[]\\ !#" else letter for letter in path)
