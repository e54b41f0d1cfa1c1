"""The known agents that speak the protocol, and how each must be configured to be confined.

A known agent has all its own tools switched off and uses ours instead. It runs in an empty folder,
so nothing in a repository can change its settings.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from sparing.agents.api.providers import Provider
from sparing.agents.backend import AgentCall

if TYPE_CHECKING:
    from sparing.agents.acp.options import AcpSetup


class Placed(NamedTuple):
    """Where a turn of an agent runs, and what it finds on this machine."""

    setup: AcpSetup
    call: AgentCall
    provider: Provider
    home: Path
    desk: Path
    model: str
    """The local address of the relay to its provider."""
    word: str
    """The secret that the agent uses in place of a key."""


class Started(NamedTuple):
    """How the agent is started for a turn."""

    argv: tuple[str, ...]
    environment: Mapping[str, str]
    listens: frozenset[int] = frozenset()


@dataclass(frozen=True, slots=True)
class AcpAgent:
    name: str
    """The name of the backend."""
    title: str
    package: str
    """Its npm package; empty if the user has named a command."""
    tested: str
    prepare: Callable[[Placed], Started]
    providers: tuple[str, ...] = ()
    """API backends whose models it can use."""
    window_tokens: int = 200_000
    base_tokens: int = 250
    writer_tokens: int = 420
    """Tokens sent before any prompt, with our tools, as the double counts them."""
    own_tools: bool = True
    """True if it has our tools and no others."""
    resumed: Callable[[Path, str], None] = field(default=lambda _home, _session: None)
    """Prepares a session's folder to be loaded."""
    kept: Callable[[Path, bytes, str], None] = field(default=lambda _home, _asked, _said: None)
    """Stores the last request of a turn and its answer, which is what the session now holds."""
    replays: bool = False
    """True if a loaded session is replayed to us before it continues."""
    settle_seconds: float = 0.3


@dataclass(frozen=True, slots=True)
class InstalledAgent:
    agent: AcpAgent
    program: tuple[str, ...]
    version: str
    readable: tuple[Path, ...]

    @property
    def words(self) -> str:
        tested = self.agent.tested
        other = f", tested with {tested}" if tested and self.version != tested else ""
        version = self.version or "of an unknown version"
        return f"{self.agent.title} {version} ({self.program[-1]}{other})"


def free_of_commands(text: str) -> str:
    """Keep an agent from taking a prompt's first character for a command to itself."""
    return f"Task: {text}" if text.lstrip().startswith(("/", "$", "@", "!", "?")) else text
