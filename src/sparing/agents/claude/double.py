"""Claude Code with the model double behind it: all is real but the model and its bill."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from sparing.agents.backend import AgentCall, AgentEvent, AgentReply
from sparing.agents.claude.backend import ClaudeBackend
from sparing.agents.claude.client import find_client
from sparing.agents.claude.login import Login, LoginKind
from sparing.agents.claude.options import Setup
from sparing.agents.codex.double_turns import drawn_reply, told_to_double
from sparing.double.agent.play import DrawnAgent
from sparing.double.child import Child
from sparing.errors import ConfigError
from sparing.installation import add_command
from sparing.usage import Origin

LOG = "double.jsonl"
NO_KEY = Login(LoginKind.API_KEY, "no-key")


class DoubledClaude(ClaudeBackend):
    name = "claude-double"

    def __init__(
        self,
        script: Path | None,
        folder: Path,
        agent: DrawnAgent | None = None,
        *,
        stock: bool = False,
    ) -> None:
        found = find_client()
        if found is None:
            raise ConfigError(
                "Claude Code is not installed", f"install it: {add_command('claude')}"
            )
        self._agent = agent
        self._double = Child(script, folder / LOG, agent=agent)
        setup = Setup(
            found.program, found.version, folder / self.name, NO_KEY, self._double.url,
            Origin.SIMULATED, headers=told_to_double, stock=stock,
        )  # fmt: skip
        super().__init__(setup)

    async def run(self, call: AgentCall, events: Callable[[AgentEvent], None]) -> AgentReply:
        """Run a turn; it takes as long as it did by the double's clock."""
        return drawn_reply(self._agent, call, await super().run(call, events))

    @property
    def login(self) -> str:
        return "a stand-in for the model, no login needed"
