"""Tools of our own, answered on Claude Code's control stream: no server process, no port.

The client takes us for a server of its kind that lives in the process which drives it. A call is
answered in a thread, so that a command that runs for minutes holds up nothing else; what it opened
and changed is taken down when the answer goes out.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from dataclasses import dataclass, field, replace
from typing import cast

from sparing.agents.backend import AgentCall, AgentEvent
from sparing.agents.claude_options import ToolOffer, response
from sparing.agents.claude_rules import OWN, SERVER
from sparing.codec import JsonObject
from sparing.tool import ChangedFile, OpenedLines, OwnTools, ToolResult, ToolSpec
from sparing.turn_event import AgentAction

PROTOCOL = "2025-06-18"
RESULT_CHARS = 150_000
"""Of one result that the client passes on whole. Without our word it is 50,000, and of more the
model gets a short beginning."""
THREADS = 8
END_SECONDS = 5.0
SAID_CHARS = 2_000
NO_METHOD, FAILED = -32601, -32603
SHRUNK = "compact_boundary"
"""What the client calls the place where it has replaced a conversation by a summary."""


@dataclass(slots=True)
class ToolDesk:
    """Answers the calls of one turn; without tools it is idle."""

    tools: OwnTools | None
    events: Callable[[AgentEvent], None]
    opened: list[OpenedLines] = field(default_factory=list[OpenedLines])
    changed: list[ChangedFile] = field(default_factory=list[ChangedFile])
    _read: list[str] = field(default_factory=list[str])
    _pool: ThreadPoolExecutor | None = None
    _tasks: set[asyncio.Task[None]] = field(default_factory=set[asyncio.Task[None]])

    @property
    def names(self) -> tuple[str, ...]:
        """As the client calls them."""
        return tuple(OWN + spec.name for spec in self.specs)

    @property
    def specs(self) -> tuple[ToolSpec, ...]:
        return self.tools.specs if self.tools else ()

    @property
    def read(self) -> tuple[str, ...]:
        """What the model has looked at, also if it had it in its context already."""
        return tuple(dict.fromkeys(self._read))

    @property
    def written(self) -> tuple[str, ...]:
        return tuple(dict.fromkeys(one.path for one in self.changed))

    def take(self, message: JsonObject, say: Callable[[bytes], None]) -> bool:
        """Whether the message was for us; its answer follows when it is ready."""
        if self.tools is None:
            return False
        if message.get("type") == "system" and message.get("subtype") == SHRUNK:
            self.tools.forget()
        request = _object(message, "request")
        if message.get("type") != "control_request" or request.get("subtype") != "mcp_message":
            return False
        task = asyncio.create_task(self._answer(self.tools, message, request, say))
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)
        return True

    async def close(self) -> None:
        """The turn is over: nothing that a call has started goes on."""
        if self.tools is None:
            return
        self.tools.end()
        if self._tasks:
            with suppress(TimeoutError):
                await asyncio.wait_for(asyncio.gather(*self._tasks), END_SECONDS)
        if self._pool is not None:
            self._pool.shutdown(wait=False, cancel_futures=True)

    async def _answer(
        self,
        tools: OwnTools,
        message: JsonObject,
        request: JsonObject,
        say: Callable[[bytes], None],
    ) -> None:
        rpc = _object(request, "message")
        if request.get("server_name") != SERVER:
            answer = _error(rpc, NO_METHOD, "there is no such server")
        elif rpc.get("method") == "tools/call":
            answer = await self._called(tools, rpc)
        else:
            answer = _told(rpc, self.specs)
        say(response(str(message.get("request_id")), {"mcp_response": answer}))

    async def _called(self, tools: OwnTools, rpc: JsonObject) -> JsonObject:
        params = _object(rpc, "params")
        name, given = str(params.get("name")), _object(params, "arguments")
        self._pool = self._pool or ThreadPoolExecutor(THREADS, "own-tools")
        loop = asyncio.get_running_loop()
        try:
            result = await loop.run_in_executor(self._pool, tools.answer, name, given)
        except Exception as error:  # noqa: BLE001 - the model must get an answer, or it waits for ever
            return _error(rpc, FAILED, f"the tool is broken: {type(error).__name__}: {error}")
        self._take_down(result)
        content = [{"type": "text", "text": _sendable(result.text)}]
        return _result(rpc, {"content": content, "isError": result.failed})

    def _take_down(self, result: ToolResult) -> None:
        self.opened += result.opened
        self._read += [*(one.path for one in result.opened), *result.known]
        self.changed += result.changed
        for event in _events(result):
            self.events(event)


def _events(result: ToolResult) -> Iterator[AgentEvent]:
    for path in dict.fromkeys(one.path for one in result.opened):
        lines = [f"{one.first}-{one.last}" for one in result.opened if one.path == path]
        yield AgentEvent(AgentAction.READ, f"{path}:{','.join(lines)}"[:SAID_CHARS])
    yield from (AgentEvent(AgentAction.WRITE, one.path) for one in result.changed)
    yield from (AgentEvent(AgentAction.DENIED, path[:SAID_CHARS]) for path in result.refused)
    if result.command:
        yield AgentEvent(AgentAction.COMMAND, result.command[:SAID_CHARS])


def _told(rpc: JsonObject, specs: tuple[ToolSpec, ...]) -> JsonObject:
    """What the client asks about us."""
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


def _sendable(text: str) -> str:
    """Without halves of characters, which no JSON can carry."""
    return text.encode("utf-8", "replace").decode()


def _result(rpc: JsonObject, result: JsonObject) -> JsonObject:
    return {"jsonrpc": "2.0", "id": rpc.get("id"), "result": result}


def _error(rpc: JsonObject, code: int, words: str) -> JsonObject:
    return {"jsonrpc": "2.0", "id": rpc.get("id"), "error": {"code": code, "message": words}}


def muted(offer: ToolOffer) -> ToolOffer:
    """The same tools in every request, and none of them does anything."""

    def make(call: AgentCall) -> OwnTools:
        tools = offer.of(call)
        return MutedTools(tools.specs if tools else ())

    return replace(offer, make=make)


@dataclass(frozen=True, slots=True)
class MutedTools:
    """The same tools to look at, none to use: for a turn that must do nothing."""

    specs: tuple[ToolSpec, ...]

    def begin(self, session: str) -> None:
        pass

    def answer(self, name: str, given: JsonObject) -> ToolResult:
        return ToolResult(f"{name} is not for you in this turn.", failed=True)

    def forget(self) -> None:
        pass

    def keep(self, session: str) -> None:
        pass

    def end(self) -> None:
        pass
