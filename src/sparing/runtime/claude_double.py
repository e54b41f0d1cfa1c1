"""Claude Code with the model double behind it: all is real but the model and what it bills.

The double is a process of ours on this machine. It plays the same script as the scripted agent,
keeps a log of every request with its bill beside the state, and counts time by the engine's clock.
"""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from urllib.parse import quote

from sparing.agents.backend import AgentCall
from sparing.agents.claude import ClaudeBackend
from sparing.agents.claude_client import find_client
from sparing.agents.claude_login import Login, LoginKind
from sparing.agents.claude_options import Setup
from sparing.double.child import Child
from sparing.errors import ConfigError
from sparing.usage import Origin

LOG = "double.jsonl"
NO_KEY = Login(LoginKind.API_KEY, "no-key")


class DoubledClaude(ClaudeBackend):
    name = "claude-double"

    def __init__(self, script: Path, folder: Path, *, stock: bool = False) -> None:
        found = find_client()
        if found is None:
            raise ConfigError(
                "Claude Code is not installed", 'install it: pip install "sparing[claude]"'
            )
        self._double = Child(script, folder / LOG)
        setup = Setup(
            found.program, found.version, folder / self.name, NO_KEY, self._double.url,
            Origin.SIMULATED, headers=_told, stock=stock,
        )  # fmt: skip
        super().__init__(setup)

    @property
    def login(self) -> str:
        return "a scripted model, no login needed"


def _told(call: AgentCall) -> Mapping[str, str]:
    """What a prompt does not always say, and a script may ask for."""
    return {"x-virtual-time": f"{call.at:.3f}", "x-feature-folder": quote(call.folder)}
