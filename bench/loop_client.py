"""Turns of the real Claude Code client against the double, on this machine only.

Everything that the client sends, writes and repeats is its own; the double says what it is told
and bills. Every loop gets a double, a home and a working folder of its own.
"""

from __future__ import annotations

import subprocess
from collections.abc import AsyncGenerator, AsyncIterator, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass
from importlib import import_module
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from bench.loop_workload import CHANGED, LONG_SYSTEM, NAMES, Figures, artifact, system
from sparing.double.log import rebill
from sparing.double.plan import PlannedReply, RequestPlan, ToolUse
from sparing.double.server import Double, ServerSettings
from sparing.usage import Usage

MODEL = "claude-sonnet-5"
TOOLS = ("Glob", "Grep", "Read")
QUIET = {
    "ANTHROPIC_API_KEY": "no-key",
    "CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC": "1",
    "CLAUDE_CODE_MAX_RETRIES": "0",
}
LEAN = {
    "CLAUDE_CODE_ATTRIBUTION_HEADER": "0",
    "CLAUDE_CODE_DISABLE_AUTO_MEMORY": "1",
    "DISABLE_AUTO_COMPACT": "1",
}
HOUR = {"ENABLE_PROMPT_CACHING_1H": "1"}


def sdk() -> Any:
    """The vendor's library, which is an extra: nothing here may need it to be imported."""
    return import_module("claude_agent_sdk")


@dataclass(frozen=True, slots=True)
class Place:
    """Where a loop runs."""

    double: Double
    folder: Path
    stock: bool = False
    life: str = "5m"
    system: str = ""
    """Empty: the loop's own."""

    @property
    def cwd(self) -> Path:
        return self.folder / "work"

    @property
    def log(self) -> Path:
        return self.folder / "log"

    def wait(self, seconds: float) -> None:
        self.double.api.clock.advance(seconds)

    def change(self, version: int) -> None:
        (self.cwd / f"{CHANGED}.md").write_text(artifact(CHANGED, version))

    def script(self, *steps: PlannedReply) -> None:
        self.double.api.plan = RequestPlan(steps)

    def reads(self, *names: str) -> PlannedReply:
        paths = (str(self.cwd / f"{name}.md") for name in names)
        return PlannedReply(
            tool_use=tuple(ToolUse(name="Read", input={"file_path": p}) for p in paths)
        )

    def options(self, resume: str = "", *, fork: bool = False) -> Any:
        words = self.system or system(LONG_SYSTEM)
        env = {**QUIET, "ANTHROPIC_BASE_URL": self.double.url}
        env |= {"HOME": str(self.folder), "CLAUDE_CONFIG_DIR": str(self.folder / "config")}
        env |= {"TMPDIR": str(self.folder)}
        known: dict[str, Any] = {"cwd": self.cwd, "model": MODEL, "max_turns": 20}
        known |= {"resume": resume or None, "fork_session": fork, "permission_mode": "dontAsk"}
        env |= HOUR if self.life == "1h" else {}
        if self.stock:
            preset: Any = {"type": "preset", "preset": "claude_code", "append": words}
            return sdk().ClaudeAgentOptions(
                **known, env=env, system_prompt=preset, allowed_tools=list(TOOLS)
            )
        return sdk().ClaudeAgentOptions(
            **known, env={**env, **LEAN}, system_prompt=words, tools=list(TOOLS),
            allowed_tools=list(TOOLS), setting_sources=[], strict_mcp_config=True,
        )  # fmt: skip


@asynccontextmanager
async def place(*, stock: bool = False, life: str = "5m") -> AsyncGenerator[Place]:
    with TemporaryDirectory(prefix="sparing-loop-") as name:
        folder = Path(name)
        (folder / "work").mkdir()
        subprocess.run(["git", "init", "-q", folder / "work"], check=True)
        for one in NAMES:
            (folder / "work" / f"{one}.md").write_text(artifact(one))
        async with Double(ServerSettings(log=folder / "log")) as double:
            yield Place(double, folder, stock, life)


async def ask(where: Place, blocks: Sequence[str], resume: str = "", *, fork: bool = False) -> str:
    """One turn in a process of its own; several blocks have a mark after the first."""
    session = ""
    prompt = blocks[0] if len(blocks) == 1 else _marked(blocks)
    async for message in sdk().query(prompt=prompt, options=where.options(resume, fork=fork)):
        if isinstance(message, sdk().ResultMessage):
            assert not message.is_error, message.result
            session = message.session_id
    return session


async def ask_open(
    where: Place, prompts: Sequence[tuple[str, Sequence[PlannedReply]]], gap: float
) -> None:
    """All turns in one client that stays open."""
    async with sdk().ClaudeSDKClient(where.options()) as client:
        for number, (prompt, steps) in enumerate(prompts):
            where.wait(gap if number else 0)
            where.script(*steps)
            await client.query(prompt)
            async for _ in client.receive_response():
                pass


def bill(where: Place) -> Figures:
    """From the double's own book, billed once more."""
    done = rebill(where.log)
    assert not done.differing
    return figures(done.requests, done.usage)


def figures(calls: int, usage: Usage) -> Figures:
    worth = usage.uncached + 1.25 * usage.write_5m + 2 * usage.write_1h + usage.read / 10
    written = usage.write_5m + usage.write_1h
    return Figures(calls, usage.input, written, usage.read, usage.output, round(worth))


async def _marked(blocks: Sequence[str]) -> AsyncIterator[dict[str, Any]]:
    parts: list[dict[str, Any]] = [{"type": "text", "text": text} for text in blocks]
    parts[0]["cache_control"] = {"type": "ephemeral"}
    message = {"role": "user", "content": parts}
    yield {"type": "user", "parent_tool_use_id": None, "session_id": "", "message": message}
