"""What is the same in all turns of one agent, and what one turn of it needs."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path

from sparing import backend_name as names
from sparing.agents.acp.agents import AcpAgent, Started
from sparing.agents.acp.relay import Upstream
from sparing.agents.api.providers import PROVIDERS, FoundKey, Provider
from sparing.agents.backend import AgentCall, Needs
from sparing.agents.own_tools import ToolOffer
from sparing.usage import Origin

KEY_HEADERS = {
    names.API_ANTHROPIC: "x-api-key",
    names.API_GOOGLE: "x-goog-api-key",
}
BEARER = "authorization"
FAMILIES = (
    ("claude", names.API_ANTHROPIC),
    ("gpt", names.API_OPENAI),
    ("gemini", names.API_GOOGLE),
)
"""Providers by the prefix of a model's name; other models are on the user's own server."""


@dataclass(frozen=True, slots=True)
class AcpSetup:
    agent: AcpAgent
    program: tuple[str, ...]
    version: str
    config: Path
    """Folder for the agent's sessions, with nothing of the user's."""
    keys: Mapping[str, FoundKey] = field(repr=False)
    """Keys by API backend."""
    addresses: Mapping[str, str] = field(default_factory=dict[str, str])
    """Addresses of providers that are not at the vendor's own one."""
    provider: str = ""
    """The only provider; if empty, the model's name decides."""
    readable: tuple[Path, ...] = ()
    origin: Origin = Origin.MEASURED
    retries: int = 2
    headers: Callable[[AgentCall], Mapping[str, str]] = lambda _: {}
    """Sent with every request of the turn."""
    upstream: str = ""
    """The user's own proxy, if they need one to reach the internet."""
    tools: ToolOffer = ToolOffer()
    grace_seconds: float = 3.0

    @property
    def automatic(self) -> bool:
        """Whether every provider that it may reach caches prompts without marks."""
        reached = (self.provider,) if self.provider else tuple(self.keys)
        return bool(reached) and all(PROVIDERS[one].automatic for one in reached)

    def provider_of(self, model: str) -> Provider:
        return PROVIDERS[self.provider or provider_of(model)]

    def model_name(self, model: str) -> str:
        """The model's name as its provider knows it."""
        before, _, name = model.partition("/")
        return name if f"api-{before}" in PROVIDERS else model

    def upstream_of(self, model: str) -> Upstream | None:
        """Where to reach the model's provider; None if there is no key for it."""
        provider = self.provider_of(model)
        key = self.keys.get(provider.backend)
        if key is None:
            return None
        address = self.addresses.get(provider.backend) or provider.address
        header = KEY_HEADERS.get(provider.backend, BEARER)
        return Upstream(address, header, key.secret, self.upstream) if address else None


def provider_of(model: str) -> str:
    """The API backend that has a model; `openai/gpt-5.5` names it explicitly."""
    named = f"api-{model.partition('/')[0]}"
    if named in PROVIDERS:
        return named
    return next((one for start, one in FAMILIES if model.startswith(start)), names.API_SERVER)


def needs(setup: AcpSetup, started: Started, home: Path, desk: Path, port: int) -> Needs:
    return Needs(
        environment=started.environment,
        ports=frozenset({port}),
        listens=started.listens,
        state=(home,),
        readable=(desk, *setup.readable),
    )
