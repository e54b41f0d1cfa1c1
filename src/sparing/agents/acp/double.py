"""A known agent with the model double behind it: all is real but the model and its bill."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from sparing import backend_name as names
from sparing.agents.acp.agents import InstalledAgent
from sparing.agents.acp.backend import AcpBackend
from sparing.agents.acp.options import AcpSetup
from sparing.agents.api.providers import FoundKey
from sparing.agents.backend import AgentCall, AgentEvent, AgentReply
from sparing.agents.codex.double_turns import drawn_reply, told_to_double
from sparing.double.agent.play import DrawnAgent
from sparing.double.child import Child
from sparing.usage import Origin

PATHS = {names.API_SERVER: "/v1"}


class DoubledAcp(AcpBackend):
    def __init__(
        self,
        script: Path | None,
        folder: Path,
        found: InstalledAgent,
        agent: DrawnAgent | None = None,
    ) -> None:
        self._agent = agent
        name = f"{found.agent.name}-double"
        self._double = Child(script, folder / f"{name}.jsonl", agent=agent)
        provider = found.agent.providers[-1]
        setup = AcpSetup(
            agent=found.agent,
            program=found.program,
            version=found.version,
            config=folder / name,
            keys={provider: FoundKey("", "no-key")},
            addresses={provider: self._double.url + PATHS.get(provider, "")},
            provider=provider,
            readable=found.readable,
            origin=Origin.SIMULATED,
            headers=told_to_double,
        )
        super().__init__(setup, name)

    async def run(self, call: AgentCall, events: Callable[[AgentEvent], None]) -> AgentReply:
        """Run a turn; it takes as long as it did by the double's clock."""
        return drawn_reply(self._agent, call, await super().run(call, events))

    @property
    def login(self) -> str:
        return "a stand-in for the model, no login needed"
