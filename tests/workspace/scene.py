"""A user's machine in a folder, for `hostile` to attack at each level.

Everything that is attacked is made here: a HOME with a key, a repository with two worktrees, an
orchestrator (a process that sleeps), listeners on sockets of all kinds, a terminal.
"""

from __future__ import annotations

import contextlib
import json
import os
import pty
import select
import socket
import subprocess
import sys
from collections.abc import Generator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, cast

from sparing.workspace.sandbox.launcher import Wrapped, wrap
from sparing.workspace.sandbox.policy import SandboxAccess, SandboxLevel, SandboxPolicy
from tests.repositories import git, make_repository, write_files
from tests.workspace import hostile

KEY = "key-" + "of-the-client"
PRIVATE = "private-" + "canary"
PATH = "/usr/local/bin:/usr/bin:/bin"
PROGRAM = Path(hostile.__file__)
ALONE = (os.path.realpath(sys.executable), "-I", "-S", str(PROGRAM))


@dataclass
class Scene:
    root: Path
    victim: subprocess.Popen[bytes]
    listeners: dict[str, socket.socket]
    terminal: int
    held: dict[str, int]
    """Descriptors of files that the attacker may remove."""
    paths: dict[str, Any] = field(default_factory=dict[str, Any])
    heard: dict[str, str] = field(default_factory=dict[str, str])

    def __getattr__(self, name: str) -> Path:
        return Path(self.paths[name])

    def listen(self) -> None:
        """Note what has arrived by now."""
        for name, listener in self.listeners.items():
            while select.select([listener], [], [], 0)[0]:
                self.heard[name] = self.heard.get(name, "") + _take(listener)
        while select.select([self.terminal], [], [], 0)[0]:
            self.heard["terminal"] = os.read(self.terminal, 4096).decode()


def _take(listener: socket.socket) -> str:
    if listener.type == socket.SOCK_DGRAM:
        return listener.recv(4096).decode()
    connection = listener.accept()[0]
    with connection:
        connection.settimeout(1)
        with contextlib.suppress(OSError):
            return connection.recv(4096).decode()
    return ""


@contextlib.contextmanager
def set_up(root: Path) -> Generator[Scene]:
    home, main, worktrees = root / "home", root / "main", root / "worktrees"
    write_files(home, dict.fromkeys((".bashrc", ".profile", "moved", "precious"), "mine\n"))
    write_files(home, {".ssh/id": PRIVATE})
    make_repository(main, {"app.py": "APP = 1\n", ".gitignore": ".env\n"})
    write_files(main, {".env": PRIVATE, ".git/hooks/.keep": ""})
    git(main, "branch", "idea")
    for name in ("feature", "other"):
        git(main, "worktree", "add", "--quiet", "-b", name, str(worktrees / name))
    (worktrees / "feature" / "link-to-home").symlink_to(home)
    for name in ("public", "state", "scratch"):
        (root / name).mkdir()
    victim = subprocess.Popen(("sleep", "60"), env={"SECRET": PRIVATE}, stdin=subprocess.DEVNULL)
    master, slave = pty.openpty()
    listeners = _listeners(root)
    held = {
        name: os.open(worktrees / "feature" / name, os.O_RDWR | os.O_CREAT)
        for name in ("beats", ".git")
    }
    scene = Scene(root, victim, listeners, master, held)
    scene.paths |= {
        "home": home,
        "main": main,
        "worktree": worktrees / "feature",
        "other": worktrees / "other",
        "public": root / "public",
        "state": root / "state",
        "socket": root / "socket",
        "log": root / "log",
        "abstract": f"sparing{os.getpid()}{root.name}",
        "terminal": os.ttyname(slave),
        "victim": victim.pid,
        "running": root / "running",
        "python": os.path.realpath(sys.executable),
        **{f"{name}_port": listeners[name].getsockname()[1] for name in ("api", "other", "udp")},
    }
    scene.running.touch()
    try:
        yield scene
    finally:
        scene.running.unlink()
        victim.kill()
        victim.wait()
        for listener in listeners.values():
            listener.close()
        for descriptor in (master, slave, *held.values()):
            os.close(descriptor)


def _listeners(root: Path) -> dict[str, socket.socket]:
    found = {
        "api": socket.create_server(("127.0.0.1", 0)),
        "other": socket.create_server(("127.0.0.1", 0)),
        "udp": socket.socket(socket.AF_INET, socket.SOCK_DGRAM),
        "file": socket.socket(socket.AF_UNIX),
        "abstract": socket.socket(socket.AF_UNIX),
        "log": socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM),
    }
    found["udp"].bind(("127.0.0.1", 0))
    found["file"].bind(str(root / "socket"))
    found["log"].bind(str(root / "log"))
    found["abstract"].bind(f"\0sparing{os.getpid()}{root.name}")
    for name in ("file", "abstract"):
        found[name].listen()
    return found


def as_agent(scene: Scene, level: SandboxLevel, access: SandboxAccess) -> SandboxPolicy:
    """What a real client gets: its key, its own folder, the port of its API."""
    return SandboxPolicy(
        access,
        scene.worktree,
        {"PATH": PATH, "API_KEY": KEY},
        secrets=frozenset({"API_KEY"}),
        git_dir=scene.main / ".git",
        readable=(PROGRAM,),
        client_state=(scene.state,),
        ports=frozenset({scene.paths["api_port"]}),
        level=level,
    )


def as_check(scene: Scene, level: SandboxLevel) -> SandboxPolicy:
    """What the repository's own tests get."""
    return SandboxPolicy(
        SandboxAccess.AUTHOR,
        scene.worktree,
        {"PATH": PATH},
        git_dir=scene.main / ".git",
        readable=(PROGRAM,),
        messages=False,
        level=level,
    )


def run_hostile(
    scene: Scene, policy: SandboxPolicy | None, argv: tuple[str, ...] = ALONE
) -> list[dict[str, Any]]:
    """What it reported; without a policy it runs as any process does."""
    lock = os.open(scene.root / "lock", os.O_RDWR | os.O_CREAT)
    scene.paths |= {"shell": "/bin/bash", "policy": scene.root / "policy", "descriptor": lock}
    env, descriptors = {"PATH": PATH, "API_KEY": KEY}, (lock,)
    wrapped: Wrapped | None = None
    if policy is not None:
        wrapped = wrap(policy, argv, scene.root / "scratch")
        assert wrapped.level is policy.level
        shell = wrapped.shell if policy.messages else "/bin/bash"
        scene.paths |= {"shell": shell, "policy": wrapped.folder / "policy"}
        argv, env, descriptors = wrapped.argv, wrapped.env, (lock, *wrapped.pass_fds)
    try:
        done = subprocess.run(
            argv,
            cwd=scene.worktree,
            env=env,
            input=json.dumps({name: str(value) for name, value in scene.paths.items()}) + "\n",
            capture_output=True,
            text=True,
            pass_fds=descriptors,
            start_new_session=True,
            check=False,
            timeout=240,
        )
        scene.heard["policy"] = scene.policy.read_text() if scene.policy.exists() else ""
    finally:
        os.close(lock)
        if wrapped:
            wrapped.cleanup()
    lines = [line for line in done.stdout.splitlines() if line.startswith("{")]
    assert lines, done.stdout + done.stderr
    return [cast("dict[str, Any]", json.loads(line)) for line in lines]
