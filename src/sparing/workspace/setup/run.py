"""Runs a set-up for a worktree, so that nothing of it is ever committed or lost.

It runs on the files of a commit that a person has approved, whatever the branch has by now; what it
makes stays when the branch's own files are back. It is also stored, and the next worktree with the
same set-up gets a copy. New files are listed in an exclude file of the worktree's own; changes to
tracked files are dropped. A mark says what was done: a recreated worktree has none, and is set up
again.
"""

from __future__ import annotations

import os
import tempfile
from collections.abc import Callable, Container, Iterable, Mapping
from pathlib import Path, PurePosixPath
from typing import NamedTuple, TypeVar

from sparing.errors import RepositoryError
from sparing.workspace.checks.discover import Check
from sparing.workspace.checks.failures import is_network, telling_lines
from sparing.workspace.checks.installed_packages import left_beside, seal
from sparing.workspace.checks.live_output import live_output
from sparing.workspace.checks.run import (
    CheckResult,
    CheckSandbox,
    not_installed_words,
    run_check,
)
from sparing.workspace.git import private_index
from sparing.workspace.git.runner import Git
from sparing.workspace.git.snapshot import Snapshot
from sparing.workspace.git.special_files import read_plain
from sparing.workspace.git.worktree import Worktree
from sparing.workspace.sandbox.launcher import place_of
from sparing.workspace.setup.base_files import base_files, folders_of
from sparing.workspace.setup.environments import (
    FILES,
    Conditions,
    Environments,
    contents,
    environment_name,
)
from sparing.workspace.setup.excluded_paths import exclude
from sparing.workspace.setup.input_files import Recipe, unread, with_learned
from sparing.workspace.setup.setup_plan import Command
from sparing.workspace.setup.trace import (
    UNSEEN,
    Traced,
    TraceKind,
    forget_times,
    read_calls,
    read_times,
    trace_kind,
    trace_line,
)
from sparing.workspace.setup.traced_runs import learn, learned_from

_T = TypeVar("_T")
MARK = "sparing.setup"
PROBE = "sparing.setup-probe"
_OF_PNPM = ("npm_config_store_dir", "npm_config_package_import_method")
"""pnpm's own variables; npm reads them too, and warns about each."""


class SetupFailed(RepositoryError):
    """A command of the set-up failed."""


class Means(NamedTuple):
    """The resources that a set-up may use."""

    environ: Mapping[str, str]
    caches: Path
    """Where tools cache downloads, shared by all worktrees of a repository."""
    limit_seconds: float
    sandbox: CheckSandbox | None = None
    state: Path | None = None
    """Where environments and what was learned about set-ups are stored. None: nothing is stored."""
    network: str = ""
    """A hash of where packages come from."""

    def place(self, worktree: Path) -> Path:
        """The worktree's path as a set-up sees it; installed files may contain it."""
        return worktree if self.sandbox is None else place_of(worktree, self.sandbox.level)


def is_equipped(worktree: Worktree, recipe: Recipe, place: Path) -> bool:
    """Whether the set-up was done; one made at the worktree's own path serves everyone, one made
    at the constant path only processes there."""
    known = read_plain(worktree.git_dir / MARK)
    own = state_of(worktree, recipe, worktree.path)
    return known in (own.encode(), state_of(worktree, recipe, place).encode())


def state_of(worktree: Worktree, recipe: Recipe, place: Path) -> str:
    """Identifies what a set-up would do, and the worktree: git reuses the folder of a deleted
    worktree for the next one."""
    made = (worktree.path / ".git").stat()
    constant = "" if place == worktree.path else f" {place}"
    return f"{recipe.digest} {made.st_ino} {made.st_mtime_ns}{constant}"


def forget_setup(worktree: Worktree) -> None:
    """Make the next call of `equip` run the set-up again."""
    (worktree.git_dir / MARK).unlink(missing_ok=True)


class Equipped(NamedTuple):
    done: tuple[CheckResult, ...] = ()
    """Commands that ran."""
    copied: bool = False
    """True if the result of an earlier run was copied."""


def equip(
    worktree: Worktree,
    recipe: Recipe,
    means: Means,
    prepare: Callable[[], Iterable[str]] = tuple,
) -> Equipped:
    """Set up a worktree, once per worktree and recipe.

    `prepare` supplies files that a set-up needs and no commit has, and returns their paths.
    """
    place = means.place(worktree.path)
    if is_equipped(worktree, recipe, place):
        return Equipped()
    found = Equipped()
    if recipe.plan.commands:
        with base_files(worktree, recipe.commit) as git:
            lent = contents(worktree.path, tuple(prepare()))
            before = _untracked(git)
            found = _provide(worktree, recipe, means, lent)
            _exclude_new(worktree, git, before)
    recipe = _known_now(worktree, recipe, means)
    (worktree.git_dir / MARK).write_text(state_of(worktree, recipe, place), "utf-8")
    return found


def _provide(
    worktree: Worktree, recipe: Recipe, means: Means, lent: tuple[tuple[str, str], ...]
) -> Equipped:
    """Copy an environment, or run the commands and store the result, free of agents' files."""
    if means.state is None:
        return Equipped(_run_all(worktree, recipe, means)[0])
    store = Environments(means.state / "environments")
    path = means.environ.get("PATH", os.defpath)
    alike = Conditions(means.place(worktree.path), path, lent, means.network)
    wait = means.limit_seconds * len(recipe.plan.commands)
    with store.building(environment_name(_known_now(worktree, recipe, means), alike), wait):
        # Another one may have been built meanwhile, and told what it reads.
        name = environment_name(_known_now(worktree, recipe, means), alike)
        if while_copying(means, worktree, lambda: store.give(name, worktree.path)):
            seal(worktree.path, store.folder / name / FILES)
            return Equipped(copied=True)
        done, seen = _run_all(worktree, recipe, means)
        learn(means.state, recipe.plan, seen)
        name = environment_name(_known_now(worktree, recipe, means), alike)
        made = left_beside(worktree, recipe.commit)
        kept = while_copying(means, worktree, lambda: store.keep(name, worktree.path, made))
        seal(worktree.path, kept)
    return Equipped(done)


def while_copying(means: Means, worktree: Worktree, copy: Callable[[], _T]) -> _T:
    """Show people who wait that packages are being copied: there may be many."""
    scratch = _scratch(means)
    if scratch is None:
        return copy()
    with live_output(scratch, "set-up", "copying installed packages", worktree.path):
        return copy()


def _known_now(worktree: Worktree, recipe: Recipe, means: Means) -> Recipe:
    if means.state is None:
        return recipe
    return with_learned(worktree.repository, recipe, learned_from(means.state))


def _run_all(
    worktree: Worktree, recipe: Recipe, means: Means
) -> tuple[tuple[CheckResult, ...], Traced]:
    """Run all commands; returns their results and what they read."""
    commit = Snapshot(worktree.repository, recipe.commit)
    files = commit.entries
    forget_times(worktree.path, files)
    done: list[CheckResult] = []
    with tempfile.TemporaryDirectory(prefix="trace-", dir=_scratch(means)) as folder:
        watched = means.sandbox is not None and trace_kind() is TraceKind.CALLS
        line = trace_line(Path(folder)) if watched else ()
        for command in recipe.plan.commands:
            result = _run(command, worktree, means, line)
            if not result.passed:
                raise _failed(command, result, means.limit_seconds)
            done.append(result)
        roots = (worktree.path.resolve(), worktree.path, means.place(worktree.path))
        seen = read_calls(Path(folder), roots, files) if watched else UNSEEN
    if not watched:
        seen = read_times(worktree.path, files, worktree.git_dir / PROBE)
    made = left_beside(worktree, recipe.commit)
    absent = (path for path in seen.absent if not _is_within(path, made))
    seen = seen._replace(absent=tuple(absent), unread=unread(commit, seen.read))
    return tuple(done), seen


def _scratch(means: Means) -> Path | None:
    return means.sandbox.scratch if means.sandbox and means.sandbox.scratch.is_dir() else None


def _is_within(path: str, folders: Iterable[str]) -> bool:
    return any(path == one or path.startswith(f"{one}/") for one in folders)


def _run(command: Command, worktree: Worktree, means: Means, line: tuple[str, ...]) -> CheckResult:
    check = Check("set-up", command.argv, command.origin, command.folder)
    own = caches(means.caches)
    if command.argv[0] in ("npm", "npx"):
        own = {name: value for name, value in own.items() if name not in _OF_PNPM}
    environ = {**means.environ, **own}
    sandbox = means.sandbox._replace(before=line) if means.sandbox else None
    return run_check(check, worktree.path, means.limit_seconds, environ, sandbox)


def caches(folder: Path) -> dict[str, str]:
    """Cache folders; without them each tool would download everything anew into a lost HOME."""
    names = {
        "PIP_CACHE_DIR": "pip",
        "UV_CACHE_DIR": "uv",
        "POETRY_CACHE_DIR": "poetry",
        "npm_config_cache": "npm",
        _OF_PNPM[0]: "pnpm",
        "CARGO_HOME": "cargo",
        "GOMODCACHE": "go",
    }
    places = {variable: str(folder / name) for variable, name in names.items()}
    # A hard link into a cache would let an agent change what other worktrees are given.
    copied = {"UV_LINK_MODE": "copy", _OF_PNPM[1]: "copy"}
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
    """The outermost folder without repository files, or the path: another run may add to it."""
    above = [str(folder) for folder in PurePosixPath(path).parents][-2::-1]
    return next((folder for folder in above if folder not in folders), path)


def _failed(command: Command, result: CheckResult, limit_seconds: float) -> SetupFailed:
    hung = "stopped after" in result.summary
    told = () if hung else telling_lines(result.output)
    reason = ("; ".join(told) or result.summary or "no words").rstrip(".")
    what = f"set-up failed: {command.words}: {reason}"
    if hung:
        more = f"sparing config set workspace.setup_seconds {2 * limit_seconds:g}"
        return SetupFailed(what, f"it has {limit_seconds:g} s; more: {more}; then: sparing resume")
    if is_network(result.output):
        return SetupFailed(what, "check your network, then: sparing resume")
    missing = not result.output and result.summary == not_installed_words(command.argv[0])
    cause = f"install {command.argv[0]}" if missing else "fix the cause"
    other = "or set other commands (workspace.setup in sparing.toml)"
    return SetupFailed(what, f"{cause}, {other}, then: sparing resume")
