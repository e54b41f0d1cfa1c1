"""Command lines for sandboxed agents and checks that end with us and leave nothing behind.

`wrap` starts nothing. It prepares a private folder and returns what to start, for subprocess,
asyncio, or a client library that only takes the path of a program. The caller starts it, waits for
its end, calls `end` to hurry it if need be, then `cleanup`.
"""

from __future__ import annotations

import contextlib
import os
import shlex
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path

from sparing import sandbox_path
from sparing.errors import StateError
from sparing.workspace.sandbox.policy import Reach, SandboxLevel, SandboxPolicy
from sparing.workspace.sandbox.policy_file import (
    PROGRAM,
    ROOT,
    Places,
    client_policy,
    shell_policy,
    write_policy,
)
from sparing.workspace.sandbox.user_list import with_shell

PROBE_SECONDS = 20
_GIT_SETTINGS = """\
[user]
\tname = Sparing agent
\temail = agent@localhost
[init]
\tdefaultBranch = main
[core]
\tpager = cat
"""


@dataclass(frozen=True, slots=True)
class Wrapped:
    argv: tuple[str, ...]
    env: dict[str, str]
    pass_fds: tuple[int, ...]
    program: Path
    """The same as a program without arguments, for callers unable to pass `argv` and `pass_fds`."""
    shell: str
    """The shell that the client must use for the commands it runs."""
    level: SandboxLevel
    folder: Path
    """Private folder with the process's HOME and TMPDIR; removed by `cleanup`."""
    _lifeline: list[int]

    def end(self) -> None:
        """Close the lifeline: the supervisor kills what still runs and exits, as if we had died."""
        while self._lifeline:
            os.close(self._lifeline.pop())

    def cleanup(self) -> None:
        """Remove the private folder once the process has ended; may be repeated."""
        self.end()
        _remove(self.folder)


@lru_cache(maxsize=1)
def level_reached() -> Reach:
    """What this host offers; tried once per process, by starting a sandbox and leaving it."""
    root = os.geteuid() == 0
    if not sys.platform.startswith("linux"):
        return Reach(SandboxLevel.UNSANDBOXED, 0, root, powers_dropped=False)
    argv = (*_interpreter(), str(PROGRAM), "probe")
    # In no folder that the probe's own mounts could hide, such as one below /tmp.
    done = subprocess.run(
        argv, cwd="/", env={}, capture_output=True, text=True, timeout=PROBE_SECONDS, check=False
    )
    words = done.stdout.split()
    known = [int(word) for word in words] if len(words) == 4 else [0, 0, 0, 0]
    landlock, calls, sealed, root_of_own = known
    if not landlock:
        level = SandboxLevel.UNSANDBOXED
    elif not calls:
        level = SandboxLevel.FILES
    else:
        level = SandboxLevel.SEALED if sealed else SandboxLevel.SHELL
    # Whoever has such a folder has something in it.
    constant = bool(root_of_own) and not os.path.lexists(sandbox_path.TOP)
    return Reach(level, landlock, root, constant=constant)


def place_of(worktree: Path, level: SandboxLevel) -> Path:
    """Where a process confined to this level finds its worktree."""
    return sandbox_path.WORKTREE if _is_constant(level) else worktree


def is_sealed(level: SandboxLevel) -> bool:
    """Whether a process confined to this level has its own mounts here."""
    return min(level, level_reached().level) is SandboxLevel.SEALED


def _is_constant(level: SandboxLevel) -> bool:
    return level_reached().constant and is_sealed(level)


def wrap(policy: SandboxPolicy, argv: Sequence[str], scratch: Path) -> Wrapped:
    """Prepare a sandbox; `scratch` is a folder of ours that the process may not write to."""
    for root in (policy.worktree, *policy.client_state):
        if scratch.resolve().is_relative_to(root.resolve()):
            raise ValueError(f"{scratch} would be writable for the process it is meant to limit")
    level = min(policy.level, level_reached().level)
    folder = _private_folder(scratch)
    try:
        return _prepare(policy, argv, level, folder)
    except OSError as error:
        _remove(folder)
        raise _no_folder(scratch, error) from error


def _prepare(
    policy: SandboxPolicy, argv: Sequence[str], level: SandboxLevel, folder: Path
) -> Wrapped:
    shell = shutil.which("bash") or "/bin/sh"
    places = Places.of(policy, level, folder, constant=_is_constant(level))
    environment = _environment(policy, places.folder, shell)
    if level >= SandboxLevel.SHELL:
        rules = shell_policy(policy, level, places, environment, shell)
        write_policy(folder / "shell.policy", rules)
        inner = places.folder / "shell.policy"
        # Clients go by the name of it.
        name = _script(folder / "bash", (*_interpreter(), str(PROGRAM), str(inner), "-", shell))
        shell = str(places.folder / name.name)
        environment["SHELL"] = shell
    if policy.shell_variable:
        environment[policy.shell_variable] = shell
    policy = with_shell(policy, level, shell)
    rules = client_policy(policy, level, folder, places, environment)
    outer = write_policy(folder / "policy", rules)
    start = (*_interpreter(), str(PROGRAM), str(outer))
    if not sys.platform.startswith("linux"):
        program = _script(folder / "program", argv)
        return Wrapped(
            argv=tuple(argv), env=environment, pass_fds=(), program=program, shell=shell,
            level=level, folder=folder, _lifeline=[],
        )  # fmt: skip
    program = _script(folder / "program", (*start, "-", *argv))
    theirs, ours = os.pipe()
    line = (*start, str(theirs), *argv)
    return Wrapped(
        argv=line, env=environment, pass_fds=(theirs,), program=program, shell=shell,
        level=level, folder=folder, _lifeline=[theirs, ours],
    )  # fmt: skip


def sweep(scratch: Path) -> None:
    """Remove what a killed run left; only while no other run is in progress."""
    for folder in scratch.glob("launch-*"):
        _remove(folder)
    for file in scratch.glob("running-*"):
        file.unlink(missing_ok=True)


def _interpreter() -> tuple[str, ...]:
    return (os.path.realpath(sys.executable), "-I", "-S")


def _private_folder(scratch: Path) -> Path:
    try:
        scratch.mkdir(parents=True, exist_ok=True, mode=0o700)
        folder = Path(tempfile.mkdtemp(prefix="launch-", dir=scratch.resolve()))
        for name in ("home", "tmp", ROOT):
            (folder / name).mkdir(mode=0o700)
        (folder / "home" / ".gitconfig").write_text(_GIT_SETTINGS)
    except OSError as error:
        raise _no_folder(scratch, error) from error
    return folder


def _no_folder(scratch: Path, error: OSError) -> StateError:
    return StateError(
        f"can't create a private folder for an agent in {scratch}: {error.strerror}",
        f"free some space there, or make it writable: ls -ld {shlex.quote(str(scratch))}",
    )


def _environment(policy: SandboxPolicy, folder: Path, shell: str) -> dict[str, str]:
    return {
        "PATH": os.defpath,
        "LANG": "C.UTF-8",
        "GIT_TERMINAL_PROMPT": "0",
        "GIT_OPTIONAL_LOCKS": "0",
        **policy.environment,
        "HOME": str(folder / "home"),
        "TMPDIR": str(folder / "tmp"),
        "SHELL": shell,
    }


def _script(path: Path, argv: Iterable[str]) -> Path:
    path.write_bytes(os.fsencode(f'#!/bin/sh\nexec {shlex.join(argv)} "$@"\n'))
    path.chmod(0o700)
    return path


def _remove(folder: Path) -> None:
    """Remove a folder, even if parts were made unreadable; links are not followed."""
    for path, names, _ in os.walk(folder):
        for entry in (Path(path, name) for name in names):
            if not entry.is_symlink():
                with contextlib.suppress(OSError):
                    entry.chmod(0o700)
    shutil.rmtree(folder, ignore_errors=True)
