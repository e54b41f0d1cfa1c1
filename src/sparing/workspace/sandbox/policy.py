"""What one process may do, and how far this host can enforce that.

Plain values: `launcher.wrap` turns a policy into a command line. A policy says what is allowed,
never what is forbidden. The levels are a ladder, each with all restrictions of the ones below it.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import IntEnum, StrEnum
from pathlib import Path
from typing import NamedTuple, assert_never

from sparing.errors import SandboxRefused

GIGABYTE = 1 << 30
SYSTEM_ROOTS = tuple(
    Path(name) for name in ("/usr", "/bin", "/sbin", "/lib", "/lib64", "/etc", "/opt")
)


OWN_PATHS = "worktrees keep their own paths, so features share less of the provider's cache"


class SandboxAccess(StrEnum):
    AUTHOR = "author"
    """May write in its worktree and in its private folder."""
    REVIEWER = "reviewer"
    """May write in its private folder only."""


class SandboxLevel(IntEnum):
    """How strong the sandbox is. Every level has supervisor, private HOME, environment, limits."""

    UNSANDBOXED = 0
    FILES = 1
    CALLS = 2
    SHELL = 3
    SEALED = 4

    @property
    def words(self) -> str:
        match self:
            case SandboxLevel.UNSANDBOXED:
                return "unsandboxed: nothing limits it but its client's own rules"
            case SandboxLevel.FILES:
                return "files: agents and checks can open only their own files"
            case SandboxLevel.CALLS:
                return "calls: agents and checks can open only their own files, without exception"
            case SandboxLevel.SHELL:
                return "shell: like calls, and an agent's commands don't see its API key"
            case SandboxLevel.SEALED:
                return "sealed: agents and checks write only in their worktree and see little else"
            case _:
                assert_never(self)


@dataclass(frozen=True, slots=True)
class ProcessLimits:
    """Limits per process, except those for all processes together."""

    processes: int | None = 2048
    file_bytes: int | None = 4 * GIGABYTE
    cpu_seconds: int | None = None
    memory_bytes: int | None = None
    tree_bytes: int | None = None
    """Memory of all processes together; shared memory counts once."""
    disk_bytes: int | None = None
    """Bytes in files that all processes together have written."""


class GitView(NamedTuple):
    """A git folder that has one branch and nothing else of the repository."""

    folder: Path
    stores: tuple[Path, ...] = ()
    """Folders of objects that it needs beside its own."""


@dataclass(frozen=True, slots=True)
class SandboxPolicy:
    access: SandboxAccess
    worktree: Path
    environment: Mapping[str, str] = field(default_factory=dict[str, str])
    """The whole environment of the process; HOME, TMPDIR and SHELL are set for it."""
    secrets: frozenset[str] = frozenset()
    """Names in `environment` that the client may know and the commands it runs may not."""
    git_dir: Path | None = None
    """The repository's own git folder, which a linked worktree can't do without."""
    git: GitView | None = None
    """Seen in place of `git_dir` by a sealed process."""
    covered: Mapping[Path, str] = field(default_factory=dict[Path, str])
    """Files that a sealed process sees with another text than they have."""
    readable: tuple[Path, ...] = ()
    """Readable paths besides the system, the Python that runs us, the worktree and `git_dir`."""
    client_state: tuple[Path, ...] = ()
    """Folders that the client may write to and that its commands don't even see."""
    shell_readable: tuple[Path, ...] = ()
    """Parts of `client_state` that its commands need after all."""
    shell_variable: str = ""
    """The variable from which the client takes the shell to use; SHELL is set in any case."""
    passwd_shell: bool = False
    """True if the client looks up its shell in the list of users."""
    ports: frozenset[int] = frozenset()
    """TCP ports that the client may connect to, on any host; none means no network at all."""
    listens: frozenset[int] = frozenset()
    """TCP ports of this machine that the client may listen on and connect to; its commands may
    not."""
    services: tuple[str, ...] = ()
    """Servers of this machine, such as `127.0.0.1:5432`, that a process without other network
    reaches at their own address. If it is not sealed: their ports on any host."""
    messages: bool = True
    """True if its output is a protocol that nothing it starts may forge; False: a plain program."""
    limits: ProcessLimits = ProcessLimits()
    level: SandboxLevel = SandboxLevel.SEALED
    """The highest level to use; `launcher.wrap` lowers it to what the host can do."""


class Reach(NamedTuple):
    """What this host offers."""

    level: SandboxLevel
    landlock: int
    """Version of Landlock's interface; 0 if the kernel has none."""
    root: bool
    powers_dropped: bool = True
    """Whether a process can be started by root without root's privileges."""
    constant: bool = False
    """Whether a sealed process finds every worktree at one and the same path."""

    @property
    def gaps(self) -> tuple[str, ...]:
        """What is not enforced here, in words for people."""
        return tuple(words for words, open_ in _gaps(self) if open_)

    @property
    def words(self) -> str:
        paths = () if self.constant else (OWN_PATHS,)
        return "; ".join(
            (self.level.words, *(f"not protected: {gap}" for gap in self.gaps), *paths)
        )


def _gaps(reach: Reach) -> tuple[tuple[str, bool], ...]:
    sealed, landlock = reach.level is SandboxLevel.SEALED, reach.landlock
    return (
        ("which files are opened", reach.level < SandboxLevel.FILES),
        ("UDP, sockets of other processes, the agent's memory", reach.level < SandboxLevel.CALLS),
        ("the agent's key, from the commands it runs", reach.level < SandboxLevel.SHELL),
        ("modes and dates of files outside, its .git file, the number of processes", not sealed),
        ("other branches, stash and settings of the repository can be read", not sealed),
        (
            f"truncation of files outside (Landlock {landlock}, from 3)",
            not sealed and landlock < 3,
        ),
        (f"which TCP ports a client calls (Landlock {landlock}, from 4)", landlock < 4),
        (f"signals to other processes (Landlock {landlock}, from 6)", not sealed and landlock < 6),
        (
            "system files that only root may read (this runs as root, without capabilities)",
            reach.root,
        ),
    )


def settle_level(reach: Reach, unsandboxed: bool = False) -> SandboxLevel:
    """The level to work at; below SHELL only if the user agreed, and never with root's powers."""
    if reach.root and not reach.powers_dropped:
        raise SandboxRefused(
            "agents would run as root with all capabilities, which this system can't drop",
            "run it as another user",
        )
    if reach.level >= SandboxLevel.SHELL or unsandboxed:
        return reach.level
    raise SandboxRefused(
        f"this system can't sandbox agents: {reach.words}",
        "use Linux 5.13 or newer with Landlock and seccomp, or run without it: --unsandboxed",
    )
