"""Codex with the double as its model: the real client, and nothing that leaves this machine."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from sparing.agents.backend import AgentCall
from sparing.agents.codex.backend import CodexBackend
from sparing.agents.codex.client import CodexLogin
from sparing.agents.codex.options import CodexSetup
from sparing.failure import Failure
from sparing.usage import Origin
from tests.agents import clients
from tests.agents import doubled_client as doubled
from tests.agents.acts import Act
from tests.agents.doubled_client import KEY, DoubledClient, Json, at_time

FAULTS: Mapping[Failure, Json] = {
    **doubled.FAULTS,
    Failure.QUOTA: {"error": 429, "kind": "usage_limit_reached", "headers": {"retry-after": "60"}},
    Failure.OVERLOADED: {"error": 500},
    Failure.CONTEXT_OVERFLOW: {"sse_error": "context_length_exceeded"},
}


class CodexDouble(DoubledClient[CodexBackend]):
    def __init__(self, folder: Path, **settings: Any) -> None:
        super().__init__(folder, "codex", **settings)

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

    def backend(self, **changes: Any) -> CodexBackend:
        return CodexBackend(self.setup(**changes))

    def leaving(self, code: int) -> Json:
        return {"program": doubled.leaver(self.folder, code)}

    def steps(self, act: Act, call: AgentCall) -> Iterator[Json]:
        return doubled.steps(act, FAULTS)
