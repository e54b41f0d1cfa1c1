"""Tools of our own, answered on Claude Code's control stream: no server process, no port.

To the client we are an SDK server that lives in the process which drives it.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import cast

from sparing.agents.claude.options import response
from sparing.agents.claude.rules import OWN, SERVER
from sparing.agents.own_tools import ToolDesk
from sparing.codec import JsonObject
from sparing.tool import ToolSpec

PROTOCOL = "2025-06-18"
RESULT_CHARS = 150_000
"""Characters of one result that the client passes on untruncated. By default it is 50,000, and
of longer ones the model gets only a short excerpt."""
NO_METHOD = -32601
SHRUNK = "compact_boundary"
"""The client's name for the point where it replaced a conversation by a summary."""


@dataclass(slots=True)
class ClaudeDesk(ToolDesk):
    @property
    def names(self) -> tuple[str, ...]:
        """Our tools' names as the client knows them."""
        return tuple(OWN + spec.name for spec in self.specs)

    def take(self, message: JsonObject, say: Callable[[bytes], None]) -> bool:
        """Whether the message was for us; its answer follows when it is ready."""
        if self.tools is None:
            return False
        if message.get("type") == "system" and message.get("subtype") == SHRUNK:
            self.tools.forget()
        request = _object(message, "request")
        if message.get("type") != "control_request" or request.get("subtype") != "mcp_message":
            return False
        self.start(self._answer(message, request, say))
        return True

    async def _answer(
        self, message: JsonObject, request: JsonObject, say: Callable[[bytes], None]
    ) -> None:
        rpc = _object(request, "message")
        if request.get("server_name") != SERVER:
            answer = _error(rpc, NO_METHOD, "there is no such server")
        elif rpc.get("method") == "tools/call":
            answer = await self._called(rpc)
        else:
            answer = _told(rpc, self.specs)
        say(response(str(message.get("request_id")), {"mcp_response": answer}))

    async def _called(self, rpc: JsonObject) -> JsonObject:
        params = _object(rpc, "params")
        result = await self.call(str(params.get("name")), _object(params, "arguments"))
        content = [{"type": "text", "text": result.text}]
        return _result(rpc, {"content": content, "isError": result.failed})


def _told(rpc: JsonObject, specs: tuple[ToolSpec, ...]) -> JsonObject:
    """Answer the client's questions about our server."""
    match rpc.get("method"):
        case "initialize":
            about = {"name": SERVER, "version": "1"}
            can: JsonObject = {"tools": {}}
            said = {"protocolVersion": PROTOCOL, "capabilities": can, "serverInfo": about}
            return _result(rpc, said)
        case "tools/list":
            return _result(rpc, {"tools": [_tool(spec) for spec in specs]})
        case "ping" | "notifications/initialized" | "notifications/cancelled":
            return _result(rpc, {})
        case _:
            return _error(rpc, NO_METHOD, "there is no such method")


def _tool(spec: ToolSpec) -> JsonObject:
    return {
        "name": spec.name,
        "description": spec.words,
        "inputSchema": spec.schema,
        "_meta": {"anthropic/maxResultSizeChars": RESULT_CHARS},
    }


def _object(message: JsonObject, name: str) -> JsonObject:
    value = message.get(name)
    return cast("JsonObject", value) if isinstance(value, dict) else {}


def _result(rpc: JsonObject, result: JsonObject) -> JsonObject:
    return {"jsonrpc": "2.0", "id": rpc.get("id"), "result": result}


def _error(rpc: JsonObject, code: int, words: str) -> JsonObject:
    return {"jsonrpc": "2.0", "id": rpc.get("id"), "error": {"code": code, "message": words}}
