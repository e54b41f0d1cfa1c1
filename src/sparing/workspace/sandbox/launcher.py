"""Command lines for sandboxed agents and checks that end with us and leave nothing behind.

`wrap` starts nothing. It prepares a private folder and says what to start, for subprocess,
asyncio, or a client library that only takes the path of a program. Whoever starts it waits for
its end, hurried by `end` if need be, and then calls `cleanup`.
"""

from __future__ import annotations

import contextlib
import os
import shlex
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import assert_never

from sparing.errors import StateError
from sparing.workspace.sandbox.policy import (
    SYSTEM_ROOTS,
    Reach,
    SandboxAccess,
    SandboxLevel,
    SandboxPolicy,
)

PROBE_SECONDS = 20
WEB_PORTS, NAMES_PORT = frozenset({80, 443}), 53
_PROGRAM = Path(__file__).with_name("entry.py").resolve()
_PACKAGE = _PROGRAM.parents[2]
"""All of ours that a confined process may have to read."""
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
    """The same as a program without arguments, for whoever can't pass `argv` and `pass_fds`."""
    shell: str
    """The shell that the client must use for the commands it runs."""
    level: SandboxLevel
    folder: Path
    """Private: it has HOME and TMPDIR of the process, and is gone after `cleanup`."""
    _lifeline: list[int]

    def end(self) -> None:
        """Let go: the supervisor kills all that still runs, and leaves. The same if we die."""
        while self._lifeline:
            os.close(self._lifeline.pop())

    def cleanup(self) -> None:
        """Once it has ended; may be repeated."""
        self.end()
        _remove(self.folder)


@lru_cache(maxsize=1)
def level_reached() -> Reach:
    """Tried out once per process, by starting a sandbox and leaving it."""
    root = os.geteuid() == 0
    if not sys.platform.startswith("linux"):
        return Reach(SandboxLevel.UNSANDBOXED, 0, root, powers_dropped=False)
    argv = (*_interpreter(), str(_PROGRAM), "probe")
    done = subprocess.run(
        argv, env={}, capture_output=True, text=True, timeout=PROBE_SECONDS, check=False
    )
    words = done.stdout.split()
    landlock, calls, sealed = (int(word) for word in words) if len(words) == 3 else (0, 0, 0)
    if not landlock:
        level = SandboxLevel.UNSANDBOXED
    elif not calls:
        level = SandboxLevel.FILES
    else:
        level = SandboxLevel.SEALED if sealed else SandboxLevel.SHELL
    return Reach(level, landlock, root)


def wrap(policy: SandboxPolicy, argv: Sequence[str], scratch: Path) -> Wrapped:
    """`scratch` is a folder of ours, outside of everything that the process may write."""
    for root in (policy.worktree, *policy.client_state):
        if scratch.resolve().is_relative_to(root.resolve()):
            raise ValueError(f"{scratch} would be writable for the process, with its own rules")
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
    environment = _environment(policy, folder, shell)
    if level >= SandboxLevel.SHELL:
        rules = _shell_policy(policy, level, folder, environment, shell)
        inner = _write(folder / "shell.policy", rules)
        wrapper = (*_interpreter(), str(_PROGRAM), str(inner), "-", shell)
        # Clients go by the name of it.
        shell = str(_script(folder / "bash", wrapper))
        environment["SHELL"] = shell
    if policy.shell_variable:
        environment[policy.shell_variable] = shell
    outer = _write(folder / "policy", _client_policy(policy, level, folder, environment))
    start = (*_interpreter(), str(_PROGRAM), str(outer))
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
    """Take away what a killed run left; only where no other one is under way."""
    for folder in scratch.glob("launch-*"):
        _remove(folder)
    for file in scratch.glob("running-*"):
        file.unlink(missing_ok=True)


def python_roots() -> tuple[Path, ...]:
    """Where the Python that runs us, its packages and its libraries lie."""
    found = (sys.prefix, sys.base_prefix, sys.exec_prefix, sys.base_exec_prefix)
    return tuple(dict.fromkeys(Path(prefix) for prefix in found))


def tool_roots(path: str, home: Path) -> tuple[Path, ...]:
    """What a user's tools need to be readable, as far as PATH tells: prefixes, not all of HOME."""
    found: list[Path] = []
    for folder in map(Path, path.split(os.pathsep)):
        known = any(folder.is_relative_to(root) for root in SYSTEM_ROOTS)
        if known or not folder.is_absolute() or home.is_relative_to(folder):
            continue
        prefix = folder.parent
        # Next to these programs lie credentials.
        private = prefix in (home / ".local", home / ".cargo") or home.is_relative_to(prefix)
        is_prefix = folder.name in ("bin", "sbin", "shims") and not private
        found.append(prefix if is_prefix else folder)
    if home / ".cargo" / "bin" in found:
        found.append(home / ".rustup")
    return tuple(dict.fromkeys(found))


def _interpreter() -> tuple[str, ...]:
    return (os.path.realpath(sys.executable), "-I", "-S")


def _private_folder(scratch: Path) -> Path:
    try:
        scratch.mkdir(parents=True, exist_ok=True, mode=0o700)
        folder = Path(tempfile.mkdtemp(prefix="launch-", dir=scratch.resolve()))
        for name in ("home", "tmp"):
            (folder / name).mkdir(mode=0o700)
        (folder / "home" / ".gitconfig").write_text(_GIT_SETTINGS)
    except OSError as error:
        raise _no_folder(scratch, error) from error
    return folder


def _no_folder(scratch: Path, error: OSError) -> StateError:
    return StateError(
        f"no private folder for an agent in {scratch}: {error.strerror}",
        f"make room there, or make it writable: ls -ld {shlex.quote(str(scratch))}",
    )


def _environment(policy: SandboxPolicy, folder: Path, shell: str) -> dict[str, str]:
    return {
        "PATH": os.defpath,
        "LANG": "C.UTF-8",
        "GIT_TERMINAL_PROMPT": "0",
        "GIT_OPTIONAL_LOCKS": "0",
        **({"RES_OPTIONS": "use-vc"} if _looks_up_names(policy) else {}),
        **policy.environment,
        "HOME": str(folder / "home"),
        "TMPDIR": str(folder / "tmp"),
        "SHELL": shell,
    }


def _looks_up_names(policy: SandboxPolicy) -> bool:
    """Whoever calls the web by name; over TCP, because datagrams are refused."""
    return not WEB_PORTS.isdisjoint(policy.ports)


def _client_policy(
    policy: SandboxPolicy, level: SandboxLevel, folder: Path, names: Iterable[str]
) -> Iterator[tuple[str, object]]:
    yield from _each("supervise", (1,))
    yield from _each("messages", (1,) * policy.messages)
    yield from _each("seal", (1,) * (level is SandboxLevel.SEALED))
    yield from _each("own_network", (1,) * (level is SandboxLevel.SEALED and not policy.ports))
    yield from _restrictions(policy, level, folder)
    yield from _each("write", policy.client_state)
    yield from _each("carve", filter(Path.exists, (policy.worktree / ".git",)))
    for number, (path, text) in enumerate(policy.covered.items()):
        shown = folder / f"covered-{number}"
        shown.write_text(text, "utf-8", "surrogateescape")
        yield from (("cover", path), ("cover_with", shown))
    lookup = {NAMES_PORT} if _looks_up_names(policy) else set[int]()
    yield from _each("port", sorted(policy.ports | lookup))
    yield from _each("keep", names)
    limits = policy.limits
    # Without a namespace all processes of the user would be counted, also those of their desktop.
    processes = limits.processes if level is SandboxLevel.SEALED else None
    yield from _given("processes", processes)
    yield from _given("file_bytes", limits.file_bytes)
    yield from _given("cpu_seconds", limits.cpu_seconds)
    yield from _given("memory_bytes", limits.memory_bytes)


def _shell_policy(
    policy: SandboxPolicy, level: SandboxLevel, folder: Path, names: Iterable[str], shell: str
) -> Iterator[tuple[str, object]]:
    """Stricter than the client's own, inside of which it holds: no state, no key, no port."""
    yield from _restrictions(policy, level, folder)
    yield from _each("read", policy.shell_readable)
    if level is SandboxLevel.SEALED:
        yield from (("seal", 1), ("write", "/dev/shm"))
        yield from _each("own_network", (1,) * (not policy.ports))
    yield from _each("keep", (name for name in names if name not in policy.secrets))
    yield "set", f"SHELL={shell}"


def _restrictions(
    policy: SandboxPolicy, level: SandboxLevel, folder: Path
) -> Iterator[tuple[str, object]]:
    yield from _each("landlock", (1,) * (level >= SandboxLevel.FILES))
    yield from _each("seccomp", (1,) * (level >= SandboxLevel.CALLS))
    git_dir = (policy.git_dir,) if policy.git_dir else ()
    # To start itself once more, for the shell, the sandbox must find our package.
    yield "list", _PACKAGE.parent
    ours = (_PACKAGE, *python_roots())
    yield from _each(
        "read", (*SYSTEM_ROOTS, *ours, *git_dir, policy.worktree, folder, *policy.readable)
    )
    yield from _each("write", (folder / "home", folder / "tmp"))
    match policy.access:
        case SandboxAccess.AUTHOR:
            yield "write", policy.worktree
        case SandboxAccess.REVIEWER:
            pass
        case _:
            assert_never(policy.access)


def _given(key: str, value: int | None) -> Iterator[tuple[str, object]]:
    return _each(key, () if value is None else (value,))


def _each(key: str, values: Iterable[object]) -> Iterator[tuple[str, object]]:
    return ((key, value) for value in values)


def _write(path: Path, pairs: Iterable[tuple[str, object]]) -> Path:
    path.write_bytes(b"".join(os.fsencode(f"{key}\0{value}\0") for key, value in pairs))
    return path


def _script(path: Path, argv: Iterable[str]) -> Path:
    path.write_bytes(os.fsencode(f'#!/bin/sh\nexec {shlex.join(argv)} "$@"\n'))
    path.chmod(0o700)
    return path


def _remove(folder: Path) -> None:
    """Also what the process has made unreadable; what a link leads to is none of ours."""
    for path, names, _ in os.walk(folder):
        for entry in (Path(path, name) for name in names):
            if not entry.is_symlink():
                with contextlib.suppress(OSError):
                    entry.chmod(0o700)
    shutil.rmtree(folder, ignore_errors=True)
