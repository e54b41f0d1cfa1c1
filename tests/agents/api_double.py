"""Providers' APIs with the double as their model: the real library, nothing leaves this machine."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any, NamedTuple

from sparing.agents.api.backend import ApiBackend
from sparing.agents.api.detection import library_here
from sparing.agents.api.options import ApiSetup
from sparing.agents.api.providers import PROVIDERS, FoundKey
from sparing.agents.backend import AgentCall
from sparing.clients.conversation_rows import ConversationRows
from sparing.records.folder import open_folder
from sparing.usage import Origin
from tests.agents.acts import Act
from tests.agents.doubled_client import KEY, DoubledClient, Json, at_time, steps


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


class ApiDouble(DoubledClient[ApiBackend]):
    """Its sessions are rows of a database."""

    def __init__(self, folder: Path, wire: WireDouble = ANTHROPIC, **settings: Any) -> None:
        super().__init__(folder, wire.backend, **settings)
        self.wire = wire
        self.state = open_folder(folder / "state", "r")

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

    def backend(self, **changes: Any) -> ApiBackend:
        return ApiBackend(self.setup(**changes))

    def steps(self, act: Act, call: AgentCall) -> Iterator[Json]:
        return steps(act)
