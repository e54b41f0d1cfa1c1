"""Tools of ours for an agent, over the Model Context Protocol: their definitions and answers.

The agent has no others, so what may be read, changed and run is decided here, by the same rules for
every client.
"""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import cast

from sparing.agents.own_tools import ToolDesk
from sparing.codec import JsonObject
from sparing.tool import ToolSpec

SERVER = "s"
"""Prefix of our tools' names in the agent; short, since every request repeats it."""
VERSION = "2025-06-18"
NO_METHOD = -32601
TEXTS = frozenset({"create", "find", "replace"})
"""Arguments that become file content, in which paths are left alone."""


@dataclass(slots=True)
class ToolCalls:
    desk: ToolDesk
    told: str = ""
    """The agent's working folder: some agents tell it to their model, which then uses it in
    paths."""
    meant: str = ""
    """The worktree, as its commands know it."""
    listed: bool = False
    """True once the agent has asked for the list of tools."""

    async def answer(self, body: bytes) -> JsonObject | None:
        """The answer to a message; None for a notification, which needs none."""
        found: object = json.loads(body)
        if not isinstance(found, dict):
            return None
        message = cast("JsonObject", found)
        if "id" not in message:
            return None
        head: JsonObject = {"jsonrpc": "2.0", "id": message["id"]}
        params = _object(message.get("params"))
        match message.get("method"):
            case "initialize":
                version = str(params.get("protocolVersion") or VERSION)
                return {**head, "result": _hello(version)}
            case "tools/list":
                self.listed = True
                return {**head, "result": {"tools": [_tool(one) for one in self.desk.specs]}}
            case "tools/call":
                return {**head, "result": await self._call(params)}
            case "ping":
                return {**head, "result": {}}
            case method:
                words = f"there is no answer to {str(method)[:80]}"
                return {**head, "error": {"code": NO_METHOD, "message": words}}

    async def _call(self, params: JsonObject) -> JsonObject:
        given = {
            name: value if name in TEXTS else self._placed(value)
            for name, value in _object(params.get("arguments")).items()
        }
        result = await self.desk.call(str(params.get("name")), given)
        return {"content": [{"type": "text", "text": result.text}], "isError": result.failed}

    def _placed(self, value: object) -> object:
        """Replace the agent's working folder by the worktree in paths."""
        if isinstance(value, str):
            return value.replace(self.told, self.meant) if self.told else value
        if isinstance(value, list):
            return [self._placed(one) for one in cast("list[object]", value)]
        found = _object(value)
        placed = {
            name: found[name] if name in TEXTS else self._placed(found[name]) for name in found
        }
        return placed if isinstance(value, dict) else value


def _hello(version: str) -> JsonObject:
    about = {"name": "sparing", "version": "1"}
    return {"protocolVersion": version, "capabilities": {"tools": {}}, "serverInfo": about}


def _tool(spec: ToolSpec) -> JsonObject:
    return {"name": spec.name, "description": spec.words, "inputSchema": spec.schema}


def _object(value: object) -> JsonObject:
    return cast("JsonObject", value) if isinstance(value, dict) else {}
