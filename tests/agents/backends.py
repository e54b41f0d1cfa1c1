"""What the conformance suite needs of a backend: someone who makes it act as a test says.

A second backend joins with one class like `Scripted` and one line in `BACKENDS`; its model would
be the double. Acts are said in words that every coding agent knows, never in a client's own.
"""

from __future__ import annotations

import asyncio
import subprocess
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Protocol

from sparing.agents.backend import Access, AgentCall, AgentEvent, AgentReply, Backend
from sparing.agents.script import Edit, Script, Turn
from sparing.agents.scripted import ScriptedBackend
from sparing.segment import Segment, Volatility

MODEL = "claude-sonnet-5"


@dataclass(frozen=True, slots=True)
class Act:
    """What the agent does in a turn."""

    reply: str = "done"
    role: str = "*"
    """Whose turn it is; the first act that fits is taken."""
    read: tuple[str, ...] = ()
    write: Mapping[str, str] = field(default_factory=dict[str, str])
    delay_seconds: float = 0.0
    leaves: int | None = None
    """The exit code with which the client leaves before it has a result."""


class Backends(Protocol):
    """Makes backends over one folder of sessions: each is a new process of ours to them."""

    def make(self, *acts: Act) -> Backend: ...


class Scripted:
    def __init__(self, folder: Path) -> None:
        self.folder = folder

    def make(self, *acts: Act) -> ScriptedBackend:
        return ScriptedBackend(Script(turn=tuple(map(_turn, acts or (Act(),)))), self.folder)


def _turn(act: Act) -> Turn:
    return Turn(
        role=act.role,
        reply=act.reply,
        read=act.read,
        edit=tuple(Edit(path=path, text=text) for path, text in act.write.items()),
        delay_seconds=act.delay_seconds,
        exit_code=act.leaves,
    )


BACKENDS: dict[str, Callable[[Path], Backends]] = {"scripted": Scripted}


def segments(*texts: str) -> tuple[Segment, ...]:
    """A prompt of blocks; the first one is the trunk and asks for a cache entry."""
    first, *rest = texts
    trunk = Segment("trunk", first, Volatility.FEATURE, mark=True)
    return (trunk, *(Segment(f"s{n}", text, Volatility.ROLE) for n, text in enumerate(rest)))


def call(cwd: Path, **changes: Any) -> AgentCall:
    """An author's turn; `changes` are fields of the call."""
    usual: dict[str, Any] = {
        "id": "d1.1",
        "role": "implementer",
        "stage": "implement",
        "iteration": 1,
        "task": "1",
        "system": "You are a careful agent. " * 8,
        "prompt": segments("The design. " * 2000, "Do task 1."),
        "cwd": cwd,
        "folder": "docs/features/001-x",
        "access": Access.WORKTREE,
        "model": MODEL,
        "at": 1000.0,
        "limit_seconds": 30.0,
    }
    return AgentCall(**{**usual, **changes})


def run(
    backend: Backend, asked: AgentCall, events: Callable[[AgentEvent], None] = lambda _: None
) -> AgentReply:
    return asyncio.run(backend.run(asked, events))


def alive(pid: int) -> bool:
    """A process that was ended and not yet collected by its parent counts as gone."""
    done = subprocess.run(
        ["ps", "-o", "stat=", "-p", str(pid)], capture_output=True, text=True, check=False
    )
    return bool(done.stdout.strip()) and not done.stdout.strip().startswith("Z")


def gone(pid: int, patience_seconds: float = 5.0) -> bool:
    """A kill is sure, but the system may take a moment for it."""
    limit = time.monotonic() + patience_seconds
    while alive(pid):
        if time.monotonic() > limit:
            return False
        time.sleep(0.02)
    return True
