"""Sandbox policies for agents and checks, built from what surrounds a run.

The level is settled once, when a run starts; everything that is started later is
confined as far as that. Agents get the user's tools to read, their worktree, and nothing of the
environment but what their client needs.
"""

from __future__ import annotations

import os
import shutil
from collections.abc import Sequence
from contextlib import suppress
from functools import lru_cache
from pathlib import Path

from sparing.agents.backend import Launch, Launched, Needs
from sparing.event import SandboxEvent
from sparing.records import events
from sparing.records.events import Event
from sparing.records.features import FeatureRow
from sparing.runtime.surroundings import Surroundings
from sparing.workspace.checks.run import CheckSandbox
from sparing.workspace.git.config import without_credentials
from sparing.workspace.git.own_git import own_git
from sparing.workspace.git.repository import Repository
from sparing.workspace.git.worktree import Worktree
from sparing.workspace.sandbox.launcher import is_sealed, place_of, wrap
from sparing.workspace.sandbox.policy import (
    GIGABYTE,
    GitView,
    ProcessLimits,
    SandboxAccess,
    SandboxPolicy,
)
from sparing.workspace.sandbox.toolchains import tool_roots

MEGABYTE = 1 << 20
MOST_WRITTEN = 20_000 * MEGABYTE
"""Most bytes that a turn may write, unless a setting says more."""


def empty_folder(around: Surroundings) -> Path:
    """An empty folder, for an agent that must not see the repository."""
    folder = around.folder.path / "empty"
    folder.mkdir(mode=0o500, exist_ok=True)
    return folder


def launch_in(
    around: Surroundings, worktree: Worktree, *, writes: bool, outside: bool = False
) -> Launch:
    """How a client is started there; `outside`: in an empty folder, without the repository."""

    folder = empty_folder(around) if outside else worktree.path
    view = None if outside else git_view(around, worktree)

    def start(argv: Sequence[str], needs: Needs) -> Launched:
        policy = SandboxPolicy(
            SandboxAccess.AUTHOR if writes else SandboxAccess.REVIEWER,
            folder,
            {**around.environ, **tool_variables(around), **needs.environment},
            secrets=needs.secrets,
            git_dir=None if outside or view else around.repository.git_dir,
            git=view,
            covered={} if outside or view else covered_files(around.repository),
            readable=(*tools(around), *needs.readable),
            client_state=needs.state,
            shell_variable=needs.shell_variable,
            passwd_shell=needs.passwd_shell,
            ports=needs.ports,
            listens=needs.listens,
            limits=limits_of(around),
            level=around.level,
        )
        return wrap(policy, argv, around.folder.scratch)

    return Launch(start, place_of(folder, around.level))


def git_view(around: Surroundings, worktree: Worktree) -> GitView | None:
    """The part of the repository that is visible in the sandbox; None for all of it: nothing can
    be hidden, or the folder is none of our worktrees."""
    ours = worktree.branch and (worktree.path / ".git").is_file()
    if not is_sealed(around.level) or not ours:
        return None
    return own_git(worktree, around.folder.histories)


def check_sandbox(around: Surroundings, worktree: Worktree | None = None) -> CheckSandbox:
    """For the repository's own checks: like an author, without any network.

    Without a worktree it is for a set-up. That runs on files that a person knows, and tools that
    make a version out of tags find them.
    """
    view = git_view(around, worktree) if worktree else None
    return CheckSandbox(
        around.folder.scratch,
        None if view else around.repository.git_dir,
        tools(around),
        level=around.level,
        limits=limits_of(around, command=True),
        covered={} if view else covered_files(around.repository),
        git=view,
    )


def covered_files(repository: Repository) -> dict[Path, str]:
    """The repository's git settings without the login they may hold, for confined processes."""
    found = {repository.git_dir / "config": without_credentials(repository.git().settings())}
    own = repository.git_dir / "config.worktree"
    return found | ({own: ""} if own.is_file() else {})


def limits_of(around: Surroundings, *, command: bool = False) -> ProcessLimits:
    """Limits from the user's settings, else by the machine's size. A command of the repository
    also has a limit per process; a client does not, as it may reserve more than it uses."""
    wanted = around.own_settings().workspace
    memory = wanted.memory_mb * MEGABYTE or max(machine_memory() // 2, GIGABYTE)
    free = shutil.disk_usage(around.folder.path).free
    disk = wanted.disk_mb * MEGABYTE or max(min(free // 2, MOST_WRITTEN), MEGABYTE)
    return ProcessLimits(
        file_bytes=GIGABYTE if command else 4 * GIGABYTE,
        memory_bytes=memory if command else None,
        tree_bytes=memory,
        disk_bytes=disk,
    )


@lru_cache(maxsize=1)
def machine_memory() -> int:
    """Memory of this machine, or of the container it runs in."""
    whole = os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE")
    for file in ("/sys/fs/cgroup/memory.max", "/sys/fs/cgroup/memory/memory.limit_in_bytes"):
        with suppress(OSError, ValueError):
            whole = min(whole, int(Path(file).read_text()))
    return whole


def tools(around: Surroundings) -> tuple[Path, ...]:
    """Folders of the programs found by PATH, without what is beside them in HOME."""
    home = Path(around.sources.environ.get("HOME", os.devnull))
    own = around.environ.get("VIRTUAL_ENV")
    roots = tool_roots(around.environ.get("PATH", os.defpath), home)
    found = [Path(own)] if own else []
    named = around.sources.environ.get("RUSTUP_HOME", "")
    if Path(named).is_absolute() and not home.is_relative_to(named):
        found.append(Path(named))
    return (*roots, *found)


def tool_variables(around: Surroundings) -> dict[str, str]:
    """Variables for tools that look for their files in HOME, which is another in the sandbox."""
    home = Path(around.sources.environ.get("HOME", os.devnull))
    rust = Path(around.sources.environ.get("RUSTUP_HOME") or home / ".rustup")
    found = rust in tools(around) and rust.is_dir()
    return {"RUSTUP_HOME": str(rust)} if found else {}


def record_sandbox(around: Surroundings, row: FeatureRow, at: float, words: str) -> None:
    """On record with the feature, once a leg."""
    name = around.level.name.lower()
    key = f"{row.leg_id}.{SandboxEvent.kind}.{name}"
    with around.database.write() as tx:
        told = SandboxEvent(name)
        events.add(tx, Event.of(told, key=key, feature=row.feature.key, at=at, text=words))
