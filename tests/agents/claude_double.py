"""Claude Code with the double as its model: the real client, nothing leaves this machine."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from functools import cache
from pathlib import Path
from typing import Any

from sparing.agents.backend import AgentCall
from sparing.agents.claude.backend import ClaudeBackend
from sparing.agents.claude.client import InstalledClient, find_client
from sparing.agents.claude.login import Login, LoginKind
from sparing.agents.claude.options import Setup
from sparing.failure import Failure
from sparing.usage import Origin
from tests.agents import doubled_client as doubled
from tests.agents.acts import Act
from tests.agents.doubled_client import KEY, LONG_SECONDS, DoubledClient, Json, at_time, use

FAULTS: Mapping[Failure, Json] = {**doubled.FAULTS, Failure.OVERLOADED: {"error": 529}}


@cache
def client() -> InstalledClient:
    found = find_client()
    assert found is not None, "these tests need the client: make extras"
    return found


class ClaudeDouble(DoubledClient[ClaudeBackend]):
    def __init__(self, folder: Path, **settings: Any) -> None:
        super().__init__(folder, "claude", **settings)

    def setup(self, **changes: Any) -> Setup:
        usual: dict[str, Any] = {
            "program": client().program,
            "version": client().version,
            "config": self.config,
            "login": Login(LoginKind.API_KEY, KEY),
            "base_url": self.double.url,
            "origin": Origin.SIMULATED,
            "retries": 1,
            "headers": at_time,
        }
        return Setup(**{**usual, **changes})

    def backend(self, **changes: Any) -> ClaudeBackend:
        return ClaudeBackend(self.setup(**changes))

    def leaving(self, code: int) -> Json:
        return {"program": doubled.leaver(self.folder, code)}

    def steps(self, act: Act, call: AgentCall) -> Iterator[Json]:
        """As all do it, with the client's own tools."""
        held: Json = {"hold": True} if act.held else {}
        if act.fails is not None:
            yield from ({**FAULTS[act.fails]} for _ in range(4))
            return
        if act.read:
            paths = [str(call.cwd / path) for path in act.read]
            yield {**held, "tool_use": [use("Read", file_path=path) for path in paths]}
            held = {}
        if act.delay_seconds > LONG_SECONDS:
            # The answer begins and never ends.
            yield {**held, "text": "Let me see.", "stall": 900}
            return
        if act.write:
            files = {str(call.cwd / path): text for path, text in act.write.items()}
            uses = [use("Write", file_path=path, content=text) for path, text in files.items()]
            yield {**held, "tool_use": uses}
            held = {}
        slow = {"drip_bytes": 600, "drip_seconds": act.delay_seconds} if act.delay_seconds else {}
        yield {**held, **slow, **_answer(act, call)}


def _answer(act: Act, call: AgentCall) -> Json:
    if call.schema is None:
        return {"text": act.reply}
    return {"tool_use": [use("StructuredOutput", **json.loads(act.reply))]}
