"""Agents that speak the Agent Client Protocol with the double as their model: the real clients."""

from __future__ import annotations

import itertools
import json
import os
import sys
from collections.abc import Callable, Iterator, Mapping
from contextlib import ExitStack
from dataclasses import replace
from pathlib import Path
from typing import Any, NamedTuple

from sparing import backend_name as names
from sparing.agents.acp.agents import InstalledAgent
from sparing.agents.acp.backend import AcpBackend
from sparing.agents.acp.custom import custom_agent
from sparing.agents.acp.options import AcpSetup
from sparing.agents.api.providers import FoundKey
from sparing.agents.backend import AgentCall, AgentEvent, AgentReply, Capabilities
from sparing.double.server import ServerSettings
from sparing.failure import Failure
from sparing.usage import Origin, Usage
from tests.agents import clients
from tests.agents.acts import Act
from tests.agents.codex_double import Json, at_time, leaver, steps
from tests.double.serving import Client, serving

PROGRAM = Path(__file__).with_name("small_agent.py")
KEY = "sk-no-key-at-all"
FAULTS: Mapping[Failure, Json] = {
    Failure.AUTH: {"error": 401},
    Failure.QUOTA: {"error": 429},
    Failure.OVERLOADED: {"error": 503},
    Failure.CONTEXT_OVERFLOW: {"error": 400, "message": "prompt is too long: 9 tokens > 8 maximum"},
    Failure.REFUSED: {"text": "I can't.", "stop_reason": "refusal"},
}


class AcpWire(NamedTuple):
    """Which agent it is, and in which format it asks the double."""

    backend: str
    provider: str
    path: str
    tools: str
    """What stands before our tools' names in its requests."""


SMALL = AcpWire(names.ACP, names.API_SERVER, "/v1", "")
"""A program of ours, in place of an agent that a user has named."""
OPENCODE = AcpWire(names.OPENCODE, names.API_SERVER, "/v1", "s_")
GEMINI = AcpWire(names.GEMINI, names.API_GOOGLE, "", "mcp_s_")


class AcpDouble:
    """One double and one folder of sessions; every backend is a new process of ours to them."""

    def __init__(self, folder: Path, wire: AcpWire, **settings: Any) -> None:
        self.folder = folder
        self.wire = wire
        self.config = folder / wire.backend
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

    def setup(self, **changes: Any) -> AcpSetup:
        # It imports this module's neighbours, which import the list of backends.
        from tests.agents.own_tools import offer_in

        found = clients.acp(self.wire.backend) if self.wire.tools else small_agent()
        provider = self.wire.provider
        usual: dict[str, Any] = {
            "agent": found.agent,
            "program": found.program,
            "version": found.version,
            "readable": found.readable,
            "config": self.config,
            "keys": {provider: FoundKey("A_KEY", KEY)},
            "addresses": {provider: f"{self.double.url}{self.wire.path}"},
            "provider": provider,
            "origin": Origin.SIMULATED,
            "retries": 0,
            "headers": at_time,
            "tools": offer_in(self.folder),
        }
        return AcpSetup(**{**usual, **changes})

    def make(self, *acts: Act) -> Playing:
        return Playing(self, acts or (Act(),))

    def planned(self, *planned: Json, **changes: Any) -> AcpBackend:
        """A backend whose next requests are answered so, whoever sends them."""
        self.double.control(plan=list(planned))
        return AcpBackend(self.setup(**changes))

    def uses(self, *calls: tuple[str, Json]) -> Json:
        """Tools of ours, under the names that the client gives them."""
        named = [{"name": self.wire.tools + name, "input": given} for name, given in calls]
        return {"tool_use": named}

    def tag(self) -> str:
        return f"turn-{next(self._tags)}"

    def requests(self) -> list[Json]:
        """All that was asked so far, with answers and bills."""
        records = [json.loads(line) for line in self.log.read_text().splitlines()]
        return [record for record in records if record["kind"] == "request"]

    def bill(self) -> Usage:
        bills = (record["bill"] for record in self.requests() if record.get("bill"))
        return sum((Usage(**bill) for bill in bills), Usage())


class SmallDouble(AcpDouble):
    def __init__(self, folder: Path) -> None:
        super().__init__(folder, SMALL)


class OpencodeDouble(AcpDouble):
    def __init__(self, folder: Path) -> None:
        super().__init__(folder, OPENCODE)


class GeminiDouble(AcpDouble):
    def __init__(self, folder: Path) -> None:
        super().__init__(folder, GEMINI)


class Playing:
    """An agent with a model that does what acts say."""

    def __init__(self, around: AcpDouble, acts: tuple[Act, ...]) -> None:
        self._around = around
        self._acts = acts
        self.name = around.wire.backend

    @property
    def capabilities(self) -> Capabilities:
        return AcpBackend(self._around.setup()).capabilities

    async def run(self, call: AgentCall, events: Callable[[AgentEvent], None]) -> AgentReply:
        act = next(act for act in self._acts if act.role in ("*", call.role))
        around, tag = self._around, self._around.tag()
        planned = _named(steps(act, FAULTS), around.wire.tools)
        around.double.control(add=[{"tag": tag, **step} for step in planned])

        def headers(call: AgentCall) -> Mapping[str, str]:
            return {**at_time(call), "x-plan-tag": tag}

        setup = around.setup(headers=headers)
        if act.leaves is not None:
            setup = replace(setup, program=(str(leaver(around.folder, act.leaves)),))
        return await AcpBackend(setup).run(call, events)


def small_agent(fault: str = "") -> InstalledAgent:
    told = ("OPENAI_BASE_URL={address}", "OPENAI_API_KEY={key}", "AGENT_HOME={home}")
    line = (sys.executable, str(PROGRAM), *fault.split())
    found = custom_agent(line, (*told, "AGENT_MODEL={model}"), {"PATH": os.defpath})
    bare = replace(found.agent, base_tokens=0, writer_tokens=0)
    return replace(found, agent=bare, readable=(*found.readable, PROGRAM.parent))


def _named(planned: Iterator[Json], prefix: str) -> Iterator[Json]:
    for step in planned:
        used = [{**one, "name": prefix + one["name"]} for one in step.get("tool_use", ())]
        yield {**step, "tool_use": used} if used else step
