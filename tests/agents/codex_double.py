"""Codex with the double as its model: the real client, and nothing that leaves this machine."""

from __future__ import annotations

import itertools
import json
from collections.abc import Callable, Iterator, Mapping
from contextlib import ExitStack
from dataclasses import replace
from pathlib import Path
from typing import Any

from sparing.agents.backend import AgentCall, AgentEvent, AgentReply, Capabilities
from sparing.agents.codex.backend import CodexBackend
from sparing.agents.codex.client import CodexLogin
from sparing.agents.codex.options import CodexSetup
from sparing.double.server import ServerSettings
from sparing.failure import Failure
from sparing.usage import Origin, Usage
from tests.agents import clients
from tests.agents.acts import Act
from tests.double.serving import Client, serving

Json = dict[str, Any]
KEY = "sk-no-key-at-all"
LONG_SECONDS = 10
FAULTS: Mapping[Failure, Json] = {
    Failure.AUTH: {"error": 401},
    Failure.QUOTA: {"error": 429, "kind": "usage_limit_reached", "headers": {"retry-after": "60"}},
    Failure.OVERLOADED: {"error": 500},
    Failure.CONTEXT_OVERFLOW: {"sse_error": "context_length_exceeded"},
    Failure.REFUSED: {"text": "I can't.", "stop_reason": "refusal"},
}


class CodexDouble:
    """One double and one folder of sessions; every backend is a new process of ours to them."""

    def __init__(self, folder: Path, **settings: Any) -> None:
        self.folder = folder
        self.config = folder / "codex"
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

    def setup(self, **changes: Any) -> CodexSetup:
        # It imports this module's neighbours, which import the list of backends.
        from tests.agents.own_tools import offer_in

        usual: dict[str, Any] = {
            "program": clients.codex().program,
            "version": clients.codex().version,
            "config": self.config,
            "login": CodexLogin(KEY),
            "base_url": f"{self.double.url}/v1",
            "origin": Origin.SIMULATED,
            "retries": 1,
            "headers": at_time,
            "tools": offer_in(self.folder),
        }
        return CodexSetup(**{**usual, **changes})

    def make(self, *acts: Act) -> Playing:
        return Playing(self, acts or (Act(),))

    def planned(self, *steps: Json, **changes: Any) -> CodexBackend:
        """A backend whose next requests are answered so, whoever sends them."""
        self.double.control(plan=list(steps))
        return CodexBackend(self.setup(**changes))

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
    """Codex with a model that does what acts say."""

    name = "codex"

    def __init__(self, around: CodexDouble, acts: tuple[Act, ...]) -> None:
        self._around = around
        self._acts = acts

    @property
    def capabilities(self) -> Capabilities:
        return CodexBackend(self._around.setup()).capabilities

    async def run(self, call: AgentCall, events: Callable[[AgentEvent], None]) -> AgentReply:
        act = next(act for act in self._acts if act.role in ("*", call.role))
        around, tag = self._around, self._around.tag()
        around.double.control(add=[{"tag": tag, **step} for step in steps(act)])

        def headers(call: AgentCall) -> Mapping[str, str]:
            return {**at_time(call), "x-plan-tag": tag}

        setup = around.setup(headers=headers)
        if act.leaves is not None:
            setup = replace(setup, program=leaver(around.folder, act.leaves))
        return await CodexBackend(setup).run(call, events)


def at_time(call: AgentCall) -> Mapping[str, str]:
    return {"x-virtual-time": f"{call.at}"}


def steps(act: Act, faults: Mapping[Failure, Json] = FAULTS) -> Iterator[Json]:
    """Reads together, then writes together, then the answer, with tools of ours."""
    held: Json = {"hold": True} if act.held else {}
    if act.fails is not None:
        yield from ({**faults[act.fails]} for _ in range(6))
        return
    if act.read:
        yield {**held, "tool_use": [_use("look", read=list(act.read))]}
        held = {}
    if act.delay_seconds > LONG_SECONDS:
        # The answer begins and never ends.
        yield {**held, "text": "Let me see. " * 400, "stall": 3000}
        return
    if act.write:
        edits = [{"path": path, "create": text} for path, text in act.write.items()]
        yield {**held, "tool_use": [_use("change", edits=edits)]}
        held = {}
    slow = {"drip_bytes": 600, "drip_seconds": act.delay_seconds} if act.delay_seconds else {}
    yield {**held, **slow, "text": act.reply}


def _use(name: str, **given: Any) -> Json:
    return {"name": name, "input": given}


def leaver(folder: Path, code: int) -> Path:
    """A client that takes its orders and is gone."""
    program = folder / f"leaves-with-{code}"
    program.write_text(f"#!/bin/sh\nread line\nexit {code}\n")
    program.chmod(0o700)
    return program
