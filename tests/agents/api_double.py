"""Providers' APIs with the double as their model: the real library, nothing leaves this machine."""

from __future__ import annotations

import itertools
import json
from collections.abc import Callable, Mapping
from contextlib import ExitStack
from dataclasses import replace
from pathlib import Path
from typing import Any, NamedTuple

from sparing.agents.api.backend import ApiBackend
from sparing.agents.api.detection import library_here
from sparing.agents.api.options import ApiSetup
from sparing.agents.api.providers import PROVIDERS, FoundKey
from sparing.agents.backend import AgentCall, AgentEvent, AgentReply, Capabilities
from sparing.clients.conversation_rows import ConversationRows
from sparing.double.server import ServerSettings
from sparing.failure import Failure
from sparing.records.folder import open_folder
from sparing.usage import Origin, Usage
from tests.agents.acts import Act
from tests.agents.codex_double import Json, at_time, leaver, steps
from tests.double.serving import Client, serving

KEY = "sk-no-key-at-all"


class WireDouble(NamedTuple):
    """Where the double plays a provider, and what its faults look like."""

    backend: str
    path: str
    model: str


ANTHROPIC = WireDouble("api-anthropic", "", "claude-sonnet-5")
OPENAI = WireDouble("api-openai", "/v1", "gpt-5.5")
GOOGLE = WireDouble("api-google", "", "gemini-3.8-flash")
SERVER = WireDouble("api-server", "/own/v1", "qwen3-coder")
WIRES = (ANTHROPIC, OPENAI, GOOGLE, SERVER)
FAULTS: Mapping[Failure, Json] = {
    Failure.AUTH: {"error": 401},
    Failure.QUOTA: {"error": 429},
    Failure.OVERLOADED: {"error": 503},
    Failure.CONTEXT_OVERFLOW: {"error": 400, "message": "prompt is too long: 9 tokens > 8 maximum"},
    Failure.REFUSED: {"text": "I can't.", "stop_reason": "refusal"},
}


class ApiDouble:
    """One double and one database of sessions; every backend is a new process of ours to them."""

    def __init__(self, folder: Path, wire: WireDouble = ANTHROPIC, **settings: Any) -> None:
        self.folder = folder
        self.wire = wire
        self.log = folder / "double.jsonl"
        folder.mkdir(parents=True, exist_ok=True)
        self.state = open_folder(folder / "state", "r")
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

    def setup(self, **changes: Any) -> ApiSetup:
        # It imports this module's neighbours, which import the list of backends.
        from tests.agents.own_tools import offer_in

        usual: dict[str, Any] = {
            "provider": PROVIDERS[self.wire.backend],
            "version": library_here(),
            "folder": self.folder / "api",
            "store": ConversationRows(self.state, self.wire.backend),
            "key": FoundKey("A_KEY", KEY),
            "base_url": f"{self.double.url}{self.wire.path}",
            "origin": Origin.SIMULATED,
            "retries": 0,
            "answer_tokens": 1_000_000,
            "headers": at_time,
            "tools": offer_in(self.folder),
        }
        return ApiSetup(**{**usual, **changes})

    def make(self, *acts: Act) -> Playing:
        return Playing(self, acts or (Act(),))

    def planned(self, *steps: Json, **changes: Any) -> ApiBackend:
        """A backend whose next requests are answered so, whoever sends them."""
        self.double.control(plan=list(steps))
        return ApiBackend(self.setup(**changes))

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
    """A provider with a model that does what acts say."""

    def __init__(self, around: ApiDouble, acts: tuple[Act, ...]) -> None:
        self._around = around
        self._acts = acts
        self.name = around.wire.backend

    @property
    def capabilities(self) -> Capabilities:
        return ApiBackend(self._around.setup()).capabilities

    async def run(self, call: AgentCall, events: Callable[[AgentEvent], None]) -> AgentReply:
        act = next(act for act in self._acts if act.role in ("*", call.role))
        around, tag = self._around, self._around.tag()
        around.double.control(add=[{"tag": tag, **step} for step in steps(act, FAULTS)])

        def headers(call: AgentCall) -> Mapping[str, str]:
            return {**at_time(call), "x-plan-tag": tag}

        setup = around.setup(headers=headers)
        if act.leaves is not None:
            setup = replace(setup, program=(str(leaver(around.folder, act.leaves)),))
        return await ApiBackend(setup).run(call, events)
