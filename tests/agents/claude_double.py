"""Claude Code with the double as its model: the real client, and nothing that leaves this machine.

Each turn gets steps of its own in the double's plan, known by a header that the turn carries, so
that turns at the same time do not take each other's.
"""

from __future__ import annotations

import itertools
import json
from collections.abc import Callable, Iterator, Mapping
from contextlib import ExitStack
from dataclasses import replace
from functools import cache
from pathlib import Path
from typing import Any

from sparing.agents.backend import AgentCall, AgentEvent, AgentReply, Capabilities
from sparing.agents.claude.backend import ClaudeBackend
from sparing.agents.claude.client import InstalledClient, find_client
from sparing.agents.claude.login import Login, LoginKind
from sparing.agents.claude.options import Setup
from sparing.double.server import ServerSettings
from sparing.failure import Failure
from sparing.usage import Origin, Usage
from tests.agents.acts import Act
from tests.double.serving import Client, serving

Json = dict[str, Any]
KEY = "sk-no-key-at-all"
LONG_SECONDS = 10
FAULTS: Mapping[Failure, Json] = {
    Failure.AUTH: {"error": 401},
    Failure.QUOTA: {"error": 429},
    Failure.OVERLOADED: {"error": 529},
    Failure.CONTEXT_OVERFLOW: {"error": 400, "message": "prompt is too long: 9 tokens > 8 maximum"},
    Failure.REFUSED: {"text": "I can't.", "stop_reason": "refusal"},
}


@cache
def client() -> InstalledClient:
    found = find_client()
    assert found is not None, "these tests need the client: make extras"
    return found


class ClaudeDouble:
    """One double and one folder of sessions; every backend is a new process of ours to them."""

    def __init__(self, folder: Path, **settings: Any) -> None:
        self.folder = folder
        self.config = folder / "claude"
        self.log = folder / "double.jsonl"
        folder.mkdir(parents=True, exist_ok=True)
        self._stack = ExitStack()
        self.double: Client = self._stack.enter_context(
            serving(ServerSettings(log=self.log, **settings))
        )
        self._tags = itertools.count()

    def close(self) -> None:
        self._stack.close()

    def release(self, count: int) -> None:
        self.double.until_waiting(count)
        self.double.control(release=True)

    def setup(self, **changes: Any) -> Setup:
        usual: dict[str, Any] = {
            "program": client().program,
            "version": client().version,
            "config": self.config,
            "login": Login(LoginKind.API_KEY, KEY),
            "base_url": self.double.url,
            "origin": Origin.SIMULATED,
            "retries": 1,
            "headers": at_time,
        }
        return Setup(**{**usual, **changes})

    def make(self, *acts: Act) -> Playing:
        return Playing(self, acts or (Act(),))

    def planned(self, *steps: Json, **changes: Any) -> ClaudeBackend:
        """A backend whose next requests are answered so, whoever sends them."""
        self.double.control(plan=list(steps))
        return ClaudeBackend(self.setup(**changes))

    def tag(self) -> str:
        return f"turn-{next(self._tags)}"

    def requests(self) -> list[Json]:
        """All that was asked so far, with answers and bills."""
        records = [json.loads(line) for line in self.log.read_text().splitlines()]
        return [record for record in records if record["kind"] == "request"]

    def bill(self) -> Usage:
        bills = (record["bill"] for record in self.requests() if record.get("bill"))
        return sum((Usage(**bill) for bill in bills), Usage())


class Playing:
    """Claude Code with a model that does what acts say."""

    name = "claude"

    def __init__(self, around: ClaudeDouble, acts: tuple[Act, ...]) -> None:
        self._around = around
        self._acts = acts

    @property
    def capabilities(self) -> Capabilities:
        return ClaudeBackend(self._around.setup()).capabilities

    async def run(self, call: AgentCall, events: Callable[[AgentEvent], None]) -> AgentReply:
        act = next(act for act in self._acts if act.role in ("*", call.role))
        around, tag = self._around, self._around.tag()
        around.double.control(add=[{"tag": tag, **step} for step in steps(act, call)])

        def headers(call: AgentCall) -> Mapping[str, str]:
            return {**at_time(call), "x-plan-tag": tag}

        setup = around.setup(headers=headers)
        if act.leaves is not None:
            setup = replace(setup, program=_leaver(around.config.parent, act.leaves))
        return await ClaudeBackend(setup).run(call, events)


def at_time(call: AgentCall) -> Mapping[str, str]:
    return {"x-virtual-time": f"{call.at}"}


def steps(act: Act, call: AgentCall) -> Iterator[Json]:
    """Reads together, then writes together, then the answer, as the scripted agent does it."""
    held: Json = {"hold": True} if act.held else {}
    if act.fails is not None:
        yield from ({**FAULTS[act.fails]} for _ in range(4))
        return
    if act.read:
        paths = [str(call.cwd / path) for path in act.read]
        yield {**held, "tool_use": [_use("Read", file_path=path) for path in paths]}
        held = {}
    if act.delay_seconds > LONG_SECONDS:
        # The answer begins and never ends.
        yield {**held, "text": "Let me see.", "stall": 900}
        return
    if act.write:
        files = {str(call.cwd / path): text for path, text in act.write.items()}
        uses = [_use("Write", file_path=path, content=text) for path, text in files.items()]
        yield {**held, "tool_use": uses}
        held = {}
    slow = {"drip_bytes": 600, "drip_seconds": act.delay_seconds} if act.delay_seconds else {}
    yield {**held, **slow, **_answer(act, call)}


def _answer(act: Act, call: AgentCall) -> Json:
    if call.schema is None:
        return {"text": act.reply}
    return {"tool_use": [_use("StructuredOutput", **json.loads(act.reply))]}


def _use(name: str, **given: Any) -> Json:
    return {"name": name, "input": given}


def _leaver(folder: Path, code: int) -> Path:
    """A client that takes its orders and is gone."""
    program = folder / f"leaves-with-{code}"
    program.write_text(f"#!/bin/sh\nread line\nexit {code}\n")
    program.chmod(0o700)
    return program
