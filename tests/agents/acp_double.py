"""Agents that speak the Agent Client Protocol with the double as their model: the real clients."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any, NamedTuple

from sparing import backend_name as names
from sparing.agents.acp.agents import InstalledAgent
from sparing.agents.acp.backend import AcpBackend
from sparing.agents.acp.custom import custom_agent
from sparing.agents.acp.options import AcpSetup
from sparing.agents.api.providers import FoundKey
from sparing.agents.backend import AgentCall
from sparing.usage import Origin
from tests.agents import clients
from tests.agents.acts import Act
from tests.agents.doubled_client import KEY, DoubledClient, Json, at_time, steps, use

PROGRAM = Path(__file__).with_name("small_agent.py")


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


class AcpDouble(DoubledClient[AcpBackend]):
    def __init__(self, folder: Path, wire: AcpWire, **settings: Any) -> None:
        super().__init__(folder, wire.backend, **settings)
        self.wire = wire

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

    def backend(self, **changes: Any) -> AcpBackend:
        return AcpBackend(self.setup(**changes))

    def uses(self, *calls: tuple[str, Json]) -> Json:
        """Tools of ours, under the names that the client gives them."""
        return {"tool_use": [use(self.wire.tools + name, **given) for name, given in calls]}

    def steps(self, act: Act, call: AgentCall) -> Iterator[Json]:
        return steps(act, tools=self.wire.tools)


class SmallDouble(AcpDouble):
    def __init__(self, folder: Path) -> None:
        super().__init__(folder, SMALL)


class OpencodeDouble(AcpDouble):
    def __init__(self, folder: Path) -> None:
        super().__init__(folder, OPENCODE)


class GeminiDouble(AcpDouble):
    def __init__(self, folder: Path) -> None:
        super().__init__(folder, GEMINI)


def small_agent(fault: str = "") -> InstalledAgent:
    told = ("OPENAI_BASE_URL={address}", "OPENAI_API_KEY={key}", "AGENT_HOME={home}")
    line = (sys.executable, str(PROGRAM), *fault.split())
    found = custom_agent(line, (*told, "AGENT_MODEL={model}"), {"PATH": os.defpath})
    bare = replace(found.agent, base_tokens=0, writer_tokens=0)
    return replace(found, agent=bare, readable=(*found.readable, PROGRAM.parent))
