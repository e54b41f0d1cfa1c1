"""What is the same in all turns of one provider, and the orders for one turn's process."""

from __future__ import annotations

import hashlib
import json
import sys
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Protocol
from urllib.parse import urlsplit

from sparing.agents.api.providers import FoundKey, Provider
from sparing.agents.backend import AgentCall, Needs
from sparing.agents.own_tools import ToolOffer
from sparing.agents.tunnel import TLS_PORT, Host, way_out
from sparing.codec import JsonObject
from sparing.tool import ToolSpec
from sparing.usage import Origin

PROCESS = "sparing.agents.api.turn_process"
PLAIN_PORT = 80


class StoredConversation(Protocol):
    """The conversation of a session so far."""

    @property
    def text(self) -> str: ...

    @property
    def turns(self) -> int: ...

    @property
    def model(self) -> str: ...


class ConversationStore(Protocol):
    """Where sessions are stored. A session that was continued elsewhere is not overwritten."""

    def load(self, session: str) -> StoredConversation | None: ...

    def save(self, session: str, model: str, text: str, turns: int, at: float) -> bool:
        """Save it as the turn of that number, from 1; False if there already is one."""
        ...


@dataclass(frozen=True, slots=True)
class ApiSetup:
    provider: Provider
    version: str
    """The library's version."""
    folder: Path
    """Folder for locks; sessions are in the store."""
    store: ConversationStore
    key: FoundKey = field(repr=False)
    base_url: str = ""
    """The provider's address; empty for the vendor's own."""
    origin: Origin = Origin.MEASURED
    retries: int = 2
    limit_requests: int = 60
    answer_tokens: int | None = None
    """The most tokens of one answer; None for as many as the model can."""
    headers: Callable[[AgentCall], Mapping[str, str]] = lambda _: {}
    """Sent with every request of the turn."""
    upstream: str = ""
    """The user's own proxy, if they need one to reach the internet."""
    proxy: str = ""
    """Our local proxy, the turn's only way to the network."""
    tools: ToolOffer = ToolOffer()
    program: tuple[str, ...] = (sys.executable, "-I", "-m", PROCESS)


def hosts(setup: ApiSetup) -> frozenset[Host]:
    """Hosts that the turn must reach through a tunnel; none if its provider is on this machine."""
    return way_out(setup.base_url or setup.provider.address)


def needs(setup: ApiSetup) -> Needs:
    address = urlsplit(setup.proxy or setup.base_url)
    usual = PLAIN_PORT if address.scheme == "http" else TLS_PORT
    return Needs(
        environment={"HTTPS_PROXY": setup.proxy} if setup.proxy else {},
        ports=frozenset({address.port or usual}),
        readable=(Path(__file__).resolve().parents[2],),
    )


def order(setup: ApiSetup, call: AgentCall, tools: tuple[ToolSpec, ...], history: str) -> bytes:
    """The orders as one line; the key is in it and nowhere else."""
    told: JsonObject = {
        "provider": setup.provider.name,
        "model": call.model,
        "base_url": setup.base_url,
        "key": setup.key.secret,
        "headers": dict(setup.headers(call)),
        "system": call.system,
        "prompt": _prompt(setup, call),
        "life": call.life,
        "history": history,
        "tools": [_tool(spec) for spec in tools],
        "schema": None if call.schema is None else dict(call.schema),
        "limit_requests": setup.limit_requests,
        "answer_tokens": setup.answer_tokens,
        "limit_tokens": call.limit_tokens,
        "limit_usd": None if call.limit_usd is None else str(call.limit_usd),
        "ping": call.ping,
        "retries": setup.retries,
        "cache_key": _cache_key(call),
    }
    return json.dumps(told, separators=(",", ":")).encode() + b"\n"


def _prompt(setup: ApiSetup, call: AgentCall) -> list[JsonObject]:
    """The prompt; the caller's marks count only in a session's first turn."""
    left = 0 if call.resume else setup.provider.marks
    parts: list[JsonObject] = []
    for segment in call.prompt:
        if segment.text.strip():
            mark = segment.mark and left > 0
            left -= mark
            parts.append({"text": segment.text, "mark": mark})
    return parts


def _tool(spec: ToolSpec) -> JsonObject:
    return {"name": spec.name, "description": spec.words, "schema": spec.schema}


def _cache_key(call: AgentCall) -> str:
    """The key by which a provider groups requests of a feature that may share cache entries."""
    named = f"{call.folder}\0{call.model}\0{call.system}"
    return f"sparing-{hashlib.sha256(named.encode()).hexdigest()[:32]}"
