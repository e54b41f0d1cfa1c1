"""What is passed to the sandbox's own process: a policy, in the format that `entry` reads.

Paths are those that the process will have: if constant paths are used, its worktree and its private
folder are named by those.
"""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import NamedTuple, assert_never

from sparing import sandbox_path
from sparing.workspace.sandbox.policy import (
    SYSTEM_ROOTS,
    SandboxAccess,
    SandboxLevel,
    SandboxPolicy,
)
from sparing.workspace.sandbox.toolchains import python_roots

WEB_PORTS, NAMES_PORT = frozenset({80, 443}), 53
PROGRAM = Path(__file__).with_name("entry.py").resolve()
_PACKAGE = PROGRAM.parents[2]
"""The files of ours that a confined process may have to read."""
ROOT = "root"
"""Where, in the private folder, the process's own root is made."""


class Places(NamedTuple):
    """Paths at which a process finds its own folders."""

    worktree: Path
    folder: Path
    """Its private folder."""
    git: tuple[Path, ...] = ()
    """Git folders; the first is the one that `.git` in the worktree points to."""

    @classmethod
    def of(
        cls, policy: SandboxPolicy, level: SandboxLevel, folder: Path, *, constant: bool
    ) -> Places:
        git: tuple[Path, ...] = (policy.git_dir,) if policy.git_dir else ()
        if policy.git is not None and level is SandboxLevel.SEALED:
            seen = sandbox_path.GIT if constant else policy.git.folder
            git = (seen, *policy.git.stores)
        if constant:
            return cls(sandbox_path.WORKTREE, sandbox_path.PRIVATE, git)
        return cls(policy.worktree, folder, git)


def looks_up_names(policy: SandboxPolicy) -> bool:
    """Whether the process connects to web hosts by name."""
    return not WEB_PORTS.isdisjoint(policy.ports)


def client_policy(
    policy: SandboxPolicy, level: SandboxLevel, folder: Path, places: Places, names: Iterable[str]
) -> Iterator[tuple[str, object]]:
    yield from _each("supervise", (1,))
    yield from _each("messages", (1,) * policy.messages)
    yield from _each("seal", (1,) * (level is SandboxLevel.SEALED))
    yield from _each("own_network", (1,) * (level is SandboxLevel.SEALED and not policy.ports))
    yield from _restrictions(policy, level, places)
    yield from _each("write", policy.client_state)
    if places.folder != folder:
        yield "root", folder / ROOT
        yield from (("bind", policy.worktree.resolve()), ("bind_at", places.worktree))
        yield from (("bind", folder), ("bind_at", places.folder))
        if policy.git is not None:
            yield from (("bind", policy.git.folder), ("bind_at", sandbox_path.GIT))
    covered = dict(policy.covered)
    if (policy.worktree / ".git").exists():
        yield "carve", places.worktree / ".git"
        if policy.git is not None and level is SandboxLevel.SEALED:
            covered[places.worktree / ".git"] = f"gitdir: {places.git[0]}\n"
    for number, (path, text) in enumerate(covered.items()):
        shown = folder / f"covered-{number}"
        shown.write_text(text, "utf-8", "surrogateescape")
        yield from (("cover", path), ("cover_with", shown))
    yield from _each("names", (1,) * looks_up_names(policy))
    lookup = {NAMES_PORT} if looks_up_names(policy) else set[int]()
    sealed = level is SandboxLevel.SEALED
    yield from _each("service", policy.services if sealed and not policy.ports else ())
    open_ports = set[int]() if sealed else {int(one.rpartition(":")[2]) for one in policy.services}
    yield from _each("port", sorted(policy.ports | policy.listens | lookup | open_ports))
    yield from _each("listen", sorted(policy.listens))
    yield from _each("keep", names)
    yield from _limits(policy, level, folder)


def _limits(
    policy: SandboxPolicy, level: SandboxLevel, folder: Path
) -> Iterator[tuple[str, object]]:
    limits = policy.limits
    # Without a namespace all processes of the user would be counted, also those of their desktop.
    processes = limits.processes if level is SandboxLevel.SEALED else None
    yield from _given("processes", processes)
    yield from _given("file_bytes", limits.file_bytes)
    yield from _given("cpu_seconds", limits.cpu_seconds)
    yield from _given("memory_bytes", limits.memory_bytes)
    yield from _given("tree_bytes", limits.tree_bytes)
    yield from _given("disk_bytes", limits.disk_bytes)
    author = (policy.worktree,) if policy.access is SandboxAccess.AUTHOR else ()
    yield from _each("disk_in", (folder / "home", folder / "tmp", *author))


def shell_policy(
    policy: SandboxPolicy, level: SandboxLevel, places: Places, names: Iterable[str], shell: str
) -> Iterator[tuple[str, object]]:
    """The policy for commands inside the client's sandbox, but stricter: no state, key or port."""
    yield from _restrictions(policy, level, places)
    yield from _each("read", policy.shell_readable)
    if level is SandboxLevel.SEALED:
        yield from (("seal", 1), ("write", "/dev/shm"))
        yield from _each("own_network", (1,) * (not policy.ports))
    yield from _each("keep", (name for name in names if name not in policy.secrets))
    # Of a command alone: what a client reserves for itself may be more than it ever takes.
    yield from _given("memory_bytes", policy.limits.memory_bytes or policy.limits.tree_bytes)
    yield "set", f"SHELL={shell}"


def _restrictions(
    policy: SandboxPolicy, level: SandboxLevel, places: Places
) -> Iterator[tuple[str, object]]:
    yield from _each("landlock", (1,) * (level >= SandboxLevel.FILES))
    yield from _each("seccomp", (1,) * (level >= SandboxLevel.CALLS))
    # To start itself once more, for the shell, the sandbox must find our package.
    yield "list", _PACKAGE.parent
    ours = (_PACKAGE, *python_roots())
    yield from _each("read", (*SYSTEM_ROOTS, *ours, *places[:2], *places.git, *policy.readable))
    yield from _each("write", (places.folder / "home", places.folder / "tmp"))
    match policy.access:
        case SandboxAccess.AUTHOR:
            yield "write", places.worktree
        case SandboxAccess.REVIEWER:
            pass
        case _:
            assert_never(policy.access)


def _given(key: str, value: int | None) -> Iterator[tuple[str, object]]:
    return _each(key, () if value is None else (value,))


def _each(key: str, values: Iterable[object]) -> Iterator[tuple[str, object]]:
    return ((key, value) for value in values)


def write_policy(path: Path, pairs: Iterable[tuple[str, object]]) -> Path:
    path.write_bytes(b"".join(os.fsencode(f"{key}\0{value}\0") for key, value in pairs))
    return path
