"""A provider's API with the model double behind it: all is real but the model and its bill."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from sparing import backend_name as names
from sparing.agents.api.backend import ApiBackend
from sparing.agents.api.detection import library_here
from sparing.agents.api.options import ApiSetup, ConversationStore
from sparing.agents.api.providers import PROVIDERS, FoundKey
from sparing.agents.backend import AgentCall, AgentEvent, AgentReply
from sparing.agents.codex.double_turns import drawn_reply, told_to_double
from sparing.double.agent.play import DrawnAgent
from sparing.double.child import Child
from sparing.usage import Origin

LOG = "api-double.jsonl"


class DoubledApi(ApiBackend):
    def __init__(
        self,
        script: Path | None,
        folder: Path,
        store: ConversationStore,
        agent: DrawnAgent | None = None,
    ) -> None:
        version = library_here()
        self._agent = agent
        self._double = Child(script, folder / LOG, agent=agent)
        setup = ApiSetup(
            provider=PROVIDERS[names.API_ANTHROPIC],
            version=version,
            folder=folder / names.API_DOUBLE,
            store=store,
            key=FoundKey("", "no-key"),
            base_url=self._double.url,
            origin=Origin.SIMULATED,
            headers=told_to_double,
        )
        super().__init__(setup, names.API_DOUBLE)

    async def run(self, call: AgentCall, events: Callable[[AgentEvent], None]) -> AgentReply:
        """Run a turn; it takes as long as it did by the double's clock."""
        return drawn_reply(self._agent, call, await super().run(call, events))

    @property
    def login(self) -> str:
        return "a stand-in for the model, no login needed"
