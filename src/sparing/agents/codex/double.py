"""Codex with the model double behind it: all is real but the model and its bill."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from sparing.agents.backend import AgentCall, AgentEvent, AgentReply
from sparing.agents.codex.backend import CodexBackend
from sparing.agents.codex.client import CodexLogin, InstalledCodex
from sparing.agents.codex.double_turns import drawn_reply, told_to_double
from sparing.agents.codex.options import CodexSetup
from sparing.double.agent.play import DrawnAgent
from sparing.double.child import Child
from sparing.usage import Origin

LOG = "codex-double.jsonl"


class DoubledCodex(CodexBackend):
    name = "codex-double"

    def __init__(
        self,
        script: Path | None,
        folder: Path,
        found: InstalledCodex,
        agent: DrawnAgent | None = None,
    ) -> None:
        self._agent = agent
        self._double = Child(script, folder / LOG, agent=agent)
        super().__init__(
            CodexSetup(
                program=found.program,
                version=found.version,
                config=folder / self.name,
                login=CodexLogin("no-key"),
                base_url=f"{self._double.url}/v1",
                origin=Origin.SIMULATED,
                headers=told_to_double,
            )
        )

    async def run(self, call: AgentCall, events: Callable[[AgentEvent], None]) -> AgentReply:
        """Run a turn; it takes as long as it did by the double's clock."""
        return drawn_reply(self._agent, call, await super().run(call, events))

    @property
    def login(self) -> str:
        return "a stand-in for the model, no login needed"
