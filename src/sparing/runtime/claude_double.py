"""Claude Code with the model double behind it: all is real but the model and what it bills.

The double is a process of ours on this machine. It plays the same script as the scripted agent, or
works like real agents of a kind; it keeps a log of every request with its bill beside the state,
and counts time by the engine's clock.
"""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Callable, Mapping
from dataclasses import replace
from pathlib import Path
from urllib.parse import quote

from sparing.agents.backend import AgentCall, AgentEvent, AgentReply
from sparing.agents.claude import ClaudeBackend
from sparing.agents.claude_client import find_client
from sparing.agents.claude_login import Login, LoginKind
from sparing.agents.claude_options import Setup
from sparing.config.settings import AgentSettings, DoubledAgent
from sparing.double.agent.play import DrawnAgent
from sparing.double.agent_draws import TurnIdentity, human_seconds
from sparing.double.agent_kinds import AgentKind
from sparing.double.child import Child
from sparing.errors import ConfigError
from sparing.installation import add_command
from sparing.records import gates, ledger
from sparing.usage import Origin

LOG = "double.jsonl"
QUESTION_SECONDS = 1.0
"""Of a call in which an agent is only asked something."""
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
            Origin.SIMULATED, headers=_told, stock=stock,
        )  # fmt: skip
        super().__init__(setup)

    async def run(self, call: AgentCall, events: Callable[[AgentEvent], None]) -> AgentReply:
        """A turn takes as long as it did by the double's clock."""
        reply = await super().run(call, events)
        if self._agent is None:
            return reply
        asks = call.ping or not call.folder
        each = QUESTION_SECONDS if asks else self._agent.needs(_identity(call)).call_seconds
        return replace(reply, seconds=each * len(reply.calls))

    @property
    def login(self) -> str:
        return "a scripted model, no login needed"


def _told(call: AgentCall) -> Mapping[str, str]:
    """What a prompt does not always say, and a script may ask for."""
    return {
        "x-virtual-time": f"{call.at:.3f}",
        "x-feature-folder": quote(call.folder),
        "x-turn": quote(json.dumps(_identity(call))),
    }


def _identity(call: AgentCall) -> TurnIdentity:
    return TurnIdentity(call.role, call.stage, call.task, call.iteration)


def agent_of(settings: AgentSettings) -> DrawnAgent | None:
    """The agent that the double is to be; None where it plays a script."""
    if settings.double is DoubledAgent.SCRIPT:
        return None
    drawn = (settings.double_seed, settings.double_trust, settings.double_files)
    return DrawnAgent(AgentKind(settings.double.value), *drawn)


def taken_seconds(connection: sqlite3.Connection, feature: str, agent: DrawnAgent) -> float:
    """How long the feature's turns and the people at its gates have taken so far.

    Turns that began together ran at the same time.
    """
    turns: dict[float, float] = {}
    for row in ledger.of_feature(connection, feature):
        if row.result is not None:
            begun = row.attempt.started
            turns[begun] = max(turns.get(begun, 0.0), row.result.seconds)
    waits = (
        human_seconds(agent.kind, agent.seed, stage)
        for stage in gates.answered(connection, feature)
    )
    return sum(turns.values()) + sum(waits)
