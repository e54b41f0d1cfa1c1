"""What is equal in all turns of one agent, and what one turn of it needs."""

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
"""Whose a model is by the beginning of its name; others are of a server of the user's own."""


@dataclass(frozen=True, slots=True)
class AcpSetup:
    agent: AcpAgent
    program: tuple[str, ...]
    version: str
    config: Path
    """Sessions of the agent, and nothing of the user's."""
    keys: Mapping[str, FoundKey] = field(repr=False)
    """By the backend of the API whose key it is."""
    addresses: Mapping[str, str] = field(default_factory=dict[str, str])
    """Where a provider is, if not at the vendor's own address."""
    provider: str = ""
    """The only one; empty: the model's name says which."""
    readable: tuple[Path, ...] = ()
    origin: Origin = Origin.MEASURED
    retries: int = 2
    headers: Callable[[AgentCall], Mapping[str, str]] = lambda _: {}
    """Sent with every request of the turn."""
    upstream: str = ""
    """The user's own proxy, if they need one to get out."""
    tools: ToolOffer = ToolOffer()
    grace_seconds: float = 3.0

    def provider_of(self, model: str) -> Provider:
        return PROVIDERS[self.provider or provider_of(model)]

    def model_name(self, model: str) -> str:
        """As its provider knows it."""
        before, _, name = model.partition("/")
        return name if f"api-{before}" in PROVIDERS else model

    def upstream_of(self, model: str) -> Upstream | None:
        """None: there is no key for it."""
        provider = self.provider_of(model)
        key = self.keys.get(provider.backend)
        if key is None:
            return None
        address = self.addresses.get(provider.backend) or provider.address
        header = KEY_HEADERS.get(provider.backend, BEARER)
        return Upstream(address, header, key.secret, self.upstream) if address else None


def provider_of(model: str) -> str:
    """Which backend of the API has a model; `openai/gpt-5.5` says it itself."""
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
