"""Each client with what a test must know to put another program, or no login, in its place."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import Path
from types import MappingProxyType
from typing import Any, NamedTuple, Protocol

from sparing import backend_name as names
from sparing.agents.api.providers import FoundKey
from sparing.agents.backend import Backend
from sparing.agents.claude.login import Login, LoginKind
from sparing.agents.codex.client import CodexLogin
from sparing.usage import Usage
from tests.agents.acp_double import GeminiDouble, OpencodeDouble, SmallDouble
from tests.agents.acts import Act
from tests.agents.api_double import ApiDouble
from tests.agents.claude_double import ClaudeDouble
from tests.agents.codex_double import CodexDouble
from tests.agents.doubled_client import Json

OTHER = "01a1e7a2-0000-4000-8000-000000000000"
CAN = (
    '{"protocolVersion":1,"agentCapabilities":{"loadSession":true,"mcpCapabilities":{"http":true}}}'
)
ACP_OTHER = (
    f"""echo '{{"jsonrpc":"2.0","id":1,"result":{CAN}}}'; """
    f"""echo '{{"jsonrpc":"2.0","id":2,"result":{{"sessionId":"{OTHER}"}}}}'; sleep 60"""
)
CODEX_OTHER = f"""echo '{{"id":2,"result":{{"thread":{{"id":"{OTHER}"}}}}}}'; sleep 60"""
CLAUDE_OTHER = (
    'echo \'{"type":"result","subtype":"success","is_error":false,"result":"ok",'
    f'"session_id":"{OTHER}"}}\'; sleep 1'
)


class ClientDouble(Protocol):
    """A client whose model is the double."""

    @property
    def folder(self) -> Path: ...

    def make(self, *acts: Act) -> Backend: ...

    def planned(self, *planned: Json, **changes: Any) -> Backend: ...

    def requests(self) -> list[Json]: ...

    def bill(self) -> Usage: ...

    def close(self) -> None: ...


class ClientCase(NamedTuple):
    make: Callable[[Path], ClientDouble]
    no_login: Mapping[str, Any]
    """Changes of its set-up after which it has none."""
    subscribed: Mapping[str, Any] = MappingProxyType({})
    """Changes with which it is told when a used-up quota is there again."""
    at: Callable[[str], Mapping[str, Any]] = lambda address: {"base_url": address}
    """Changes after which its provider is at that address."""
    other_session: str = ""
    """A shell script that opens another session than it was asked for; empty: sessions are
    Sparing's own, and nobody else opens one."""
    words: bool = False
    """Its command is a list of words."""

    def stand_in(self, around: ClientDouble, script: str, *planned: Json) -> Backend:
        """A shell script in place of the client."""
        program = around.folder / "stand-in"
        program.write_text(f"#!/bin/sh\n{script}\n")
        program.chmod(0o700)
        return around.planned(*planned, program=(str(program),) if self.words else program)


class EveryClient(NamedTuple):
    name: str
    case: ClientCase
    around: ClientDouble


def _provider(name: str) -> Callable[[str], Mapping[str, Any]]:
    return lambda address: {"addresses": {name: address}}


CASES: Mapping[str, ClientCase] = {
    "acp": ClientCase(
        SmallDouble, {"keys": {}}, {}, _provider(names.API_SERVER), ACP_OTHER, words=True
    ),
    "api": ClientCase(ApiDouble, {"key": FoundKey("A_KEY", "")}, words=True),
    "claude": ClientCase(
        ClaudeDouble,
        {"login": Login(LoginKind.API_KEY, "")},
        {"login": Login(LoginKind.TOKEN, "sk-ant-oat01-none")},
        other_session=CLAUDE_OTHER,
    ),
    "codex": ClientCase(CodexDouble, {"login": CodexLogin("")}, other_session=CODEX_OTHER),
    "gemini": ClientCase(
        GeminiDouble, {"keys": {}}, {}, _provider(names.API_GOOGLE), ACP_OTHER, words=True
    ),
    "opencode": ClientCase(
        OpencodeDouble, {"keys": {}}, {}, _provider(names.API_SERVER), ACP_OTHER, words=True
    ),
}
