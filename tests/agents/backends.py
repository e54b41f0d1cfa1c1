"""The backends that the conformance suite runs on, and the calls it makes.

A real client is among them where it is installed and wanted; its model is the double. Another
backend joins with one class like `Scripted` and one line in `BACKENDS`.
"""

from __future__ import annotations

import asyncio
import json
import os
import subprocess
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

from sparing.agents.backend import Access, AgentCall, AgentEvent, AgentReply, Backend
from sparing.agents.claude.client import find_client
from sparing.agents.scripted.backend import ScriptedBackend
from sparing.agents.scripted.script import Edit, Script, ScriptedTurn
from sparing.segment import Segment, Volatility
from sparing.usage import Usage
from tests.agents.acp_double import GeminiDouble, OpencodeDouble, SmallDouble
from tests.agents.acts import Act, Backends
from tests.agents.api_double import ApiDouble
from tests.agents.claude_double import ClaudeDouble
from tests.agents.codex_double import CodexDouble

MODEL = "claude-sonnet-5"


class Scripted:
    def __init__(self, folder: Path) -> None:
        self.folder = folder

    def make(self, *acts: Act) -> ScriptedBackend:
        return ScriptedBackend(Script(turn=tuple(map(_turn, acts or (Act(),)))), self.folder)

    def release(self, count: int) -> None:
        """Its calls are billed by the time they name, whenever they come."""

    def bill(self) -> Usage:
        lines = [json.loads(line) for line in (self.folder / "bill.jsonl").read_text().splitlines()]
        for line in lines:
            del line["call"]
        return sum((Usage(**line) for line in lines), Usage())

    def close(self) -> None:
        pass


def _turn(act: Act) -> ScriptedTurn:
    return ScriptedTurn(
        role=act.role,
        reply=act.reply,
        read=act.read,
        edit=tuple(Edit(path=path, text=text) for path, text in act.write.items()),
        delay_seconds=act.delay_seconds,
        exit_code=act.leaves,
        fail=act.fails,
    )


BACKENDS: dict[str, Callable[[Path], Backends]] = {"acp": SmallDouble, "scripted": Scripted}
ONE_LIFE = frozenset({"acp", "codex", "gemini", "opencode"})
"""Backends whose providers know one life of a cache entry."""
BEHIND_RELAY = frozenset({"acp", "gemini", "opencode"})
"""Agents that reach their provider through the process that drives them."""
LONG = "PYTEST_LONG"
"""Set at night: opencode takes seven seconds of processor time to start, Gemini CLI three, so by
day only the tests run on them that ask for `CLIENT_NAMES` or are their own."""
CLIENTS = "PYTEST_CLIENTS"
"""Set by `make conformance`: a real client takes about a second a turn."""
if os.environ.get(CLIENTS):
    assert find_client() is not None, "no client: make extras"
    BACKENDS["claude"] = ClaudeDouble
    BACKENDS["codex"] = CodexDouble
    BACKENDS["api"] = ApiDouble
    if os.environ.get(LONG):
        BACKENDS["gemini"] = GeminiDouble
        BACKENDS["opencode"] = OpencodeDouble
CLIENT_NAMES = (
    ("api", "claude", "codex", "gemini", "opencode") if "claude" in BACKENDS else ("acp",)
)
"""For tests that run on every real client by day too, and on the small one where there is none."""
WITH_CLIENTS = (
    *("test_claude_turn*.py", "test_codex_turn*.py", "test_api_turn*.py"),
    *("test_acp_turn*.py", "test_client_proofs.py", "test_same_feature.py"),
)
"""Files of tests that need a client to be installed."""


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
        "limit_seconds": 300.0,
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


def gone(pid: int, patience_seconds: float = 240.0) -> bool:
    """A kill is sure, but the system may take a moment for it."""
    limit = time.monotonic() + patience_seconds
    while alive(pid):
        if time.monotonic() > limit:
            return False
        time.sleep(0.02)
    return True
