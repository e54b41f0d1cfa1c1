"""Which agents are known that speak the protocol, and what each must be told to be confined.

A known agent has every tool of its own switched off: what it does it does with ours. It stands in
an empty folder, so nothing that a repository holds can change its settings.
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
    """Where a turn of an agent stands, and what it finds on this machine."""

    setup: AcpSetup
    call: AgentCall
    provider: Provider
    home: Path
    desk: Path
    model: str
    """The address behind which its provider is."""
    word: str
    """In place of a key."""


class Started(NamedTuple):
    """How the agent is started for a turn."""

    argv: tuple[str, ...]
    environment: Mapping[str, str]
    listens: frozenset[int] = frozenset()


@dataclass(frozen=True, slots=True)
class AcpAgent:
    name: str
    """As the backend is called."""
    title: str
    package: str
    """Of npm; empty: the user has named a command."""
    tested: str
    prepare: Callable[[Placed], Started]
    providers: tuple[str, ...] = ()
    """Backends of the API whose models it can have."""
    window_tokens: int = 200_000
    base_tokens: int = 250
    writer_tokens: int = 420
    """What is assumed to stand before any prompt, with our tools; not measured."""
    own_tools: bool = True
    """It has ours and no others."""
    resumed: Callable[[Path, str], None] = field(default=lambda _home, _session: None)
    """Makes a session's folder ready to be loaded."""
    kept: Callable[[Path, bytes, str], None] = field(default=lambda _home, _asked, _said: None)
    """Takes down the last request of a turn and the answer to it: what the session now holds."""
    replays: bool = False
    """A loaded session is told to us once more before it goes on."""
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
    """Agents take a prompt that begins so for an order to themselves."""
    return f"Task: {text}" if text.lstrip().startswith(("/", "$", "@", "!", "?")) else text
