"""The messages between Codex and us in one turn.

Requests and answers go both ways over one stream. Usage is reported for each request to the model
along with the thread's total, which forks inherit and which continues from process to process; so a
report counts only if the total has changed, and then only for the last request.
"""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import cast

from sparing.agents.backend import ANSWERING, AgentCall, AgentEvent
from sparing.agents.claude.stream import MOST_TOKENS, Stop
from sparing.agents.codex.options import thread_of, turn_of
from sparing.agents.own_tools import SAID_CHARS, ToolDesk
from sparing.codec import JsonObject
from sparing.failure import Failure
from sparing.turn_event import AgentAction
from sparing.usage import Usage

INITIALIZE, THREAD, TURN, INTERRUPT = 1, 2, 3, 4
TOOL_CALL = "item/tool/call"
NO_METHOD = -32601
CHANGING = frozenset({"change", "run", "apply_patch", "exec_command", "shell"})


@dataclass(slots=True)
class CodexWatch:
    call: AgentCall
    desk: ToolDesk
    events: Callable[[AgentEvent], None]
    retries: int = 4
    """Retries allowed in a row; without a network the client would retry indefinitely."""
    thread: str = ""
    turn: str = ""
    calls: list[Usage] = field(default_factory=list[Usage])
    said: str = ""
    """The agent's last message."""
    denied: list[str] = field(default_factory=list[str])
    stop: Stop | None = None
    resets_at: float | None = None
    result: JsonObject | None = None
    """The turn's result, once it is over."""
    up: Callable[[], None] = lambda: None
    """Called when the client has answered for the first time."""
    _total: JsonObject = field(default_factory=dict[str, object])
    _answering: bool = False
    _retried: int = 0

    def opening(self) -> bytes:
        about = {"name": "sparing", "title": None, "version": "1"}
        can = {"experimentalApi": True}
        hello = request(INITIALIZE, "initialize", {"clientInfo": about, "capabilities": can})
        begin = request(THREAD, *thread_of(self.call, self.desk.specs))
        return hello + _line({"method": "initialized"}) + begin

    def see(self, message: JsonObject, say: Callable[[bytes], None]) -> None:
        method, id = message.get("method"), message.get("id")
        params = fields(message, "params")
        if method is None:
            self._answered(message, say)
        elif id is not None:
            self._asked(str(method), message, params, say)
        elif self._concerns(params):
            taken = self._notices.get(str(method))
            if taken is not None:
                taken(params)

    @property
    def _notices(self) -> dict[str, Callable[[JsonObject], None]]:
        return {
            "item/started": self._begun,
            "item/agentMessage/delta": self._answers,
            "item/completed": self._done,
            "rawResponseItem/completed": self._raw,
            "thread/tokenUsage/updated": self._counted,
            "thread/compacted": self._shrunk,
            "account/rateLimits/updated": self._limited,
            "error": self._failed,
            "turn/completed": self._ended,
        }

    def _concerns(self, params: JsonObject) -> bool:
        """Whether a message is about this thread, or names none."""
        return params.get("threadId") in (None, self.thread)

    def _answered(self, message: JsonObject, say: Callable[[bytes], None]) -> None:
        """Handle the client's answer to one of our requests."""
        self.up()
        id, error = message.get("id"), fields(message, "error")
        if error and id in (INITIALIZE, THREAD, TURN):
            words = str(error.get("message"))[:SAID_CHARS]
            lost = id == THREAD and self.call.resume
            failure = Failure.INVALID_SESSION if lost else Failure.CRASHED
            self.stop = Stop(failure, words)
        elif id == THREAD:
            self._threaded(fields(fields(message, "result"), "thread"), say)
        elif id == TURN:
            self.turn = str(fields(fields(message, "result"), "turn").get("id"))

    def _threaded(self, thread: JsonObject, say: Callable[[bytes], None]) -> None:
        self.thread, call = str(thread.get("id")), self.call
        own = bool(call.resume) and not (call.fork or call.ping)
        if own and self.thread != call.resume:
            words = f"the client opened {self.thread[:80]} and not {call.resume}"
            self.stop = Stop(Failure.INVALID_SESSION, words)
        else:
            say(request(TURN, "turn/start", turn_of(call, self.thread)))

    def _asked(
        self, method: str, message: JsonObject, params: JsonObject, say: Callable[[bytes], None]
    ) -> None:
        if method == TOOL_CALL:
            self._answers({})
            self.desk.start(self._tool(message, params, say))
        else:
            refused = {"code": NO_METHOD, "message": f"there is no answer to {method[:80]}"}
            say(_line({"id": message["id"], "error": refused}))

    async def _tool(
        self, message: JsonObject, params: JsonObject, say: Callable[[bytes], None]
    ) -> None:
        name = str(params.get("tool"))
        result = await self.desk.call(name, fields(params, "arguments"))
        items = [{"type": "inputText", "text": result.text}]
        answer = {"contentItems": items, "success": not result.failed}
        say(_line({"id": message["id"], "result": answer}))

    def _begun(self, params: JsonObject) -> None:
        if fields(params, "item").get("type") != "userMessage":
            self._answers(params)

    def _answers(self, _: JsonObject) -> None:
        self._retried = 0
        if not self._answering:
            self._answering = True
            self.events(AgentEvent(ANSWERING, ""))

    def _done(self, params: JsonObject) -> None:
        item = fields(params, "item")
        text = item.get("text")
        if item.get("type") == "agentMessage" and isinstance(text, str):
            self.said = text
            if text.strip():
                self.events(AgentEvent(AgentAction.SAYS, text[:SAID_CHARS]))
        elif item.get("type") in ("commandExecution", "fileChange"):
            # None of these should be there: a client that has tools of its own is not let go on.
            self.stop = Stop(Failure.CRASHED, "this client used a tool of its own")

    def _raw(self, params: JsonObject) -> None:
        """Record a call to a tool that a reader may not use, whether it exists or not."""
        item = fields(params, "item")
        name, kind = str(item.get("name")), item.get("type")
        changes = kind in ("function_call", "custom_tool_call") and name in CHANGING
        if changes and not self.call.access.writes:
            given = str(item.get("arguments") or item.get("input"))
            self.denied.append(f"{name} {given}"[:SAID_CHARS])
            self.events(AgentEvent(AgentAction.DENIED, f"{name} is not for you in this turn."))

    def _counted(self, params: JsonObject) -> None:
        told = fields(params, "tokenUsage")
        total = fields(told, "total")
        if total == self._total or params.get("turnId") not in (self.turn, None):
            return
        self._total = total
        self.calls.append(usage_of(fields(told, "last")))
        used, limit = sum(self.calls, Usage()).total, self.call.limit_tokens
        if limit is not None and used > limit:
            self.stop = Stop(Failure.BUDGET, f"{used} tokens, the turn's limit is {limit}")

    def _shrunk(self, _: JsonObject) -> None:
        if self.desk.tools is not None:
            self.desk.tools.forget()

    def _limited(self, params: JsonObject) -> None:
        limits = fields(params, "rateLimits")
        for name in ("primary", "secondary"):
            window = fields(limits, name)
            at, used = window.get("resetsAt"), window.get("usedPercent")
            if isinstance(at, int | float) and isinstance(used, int | float) and used >= 100:
                self.resets_at = float(at)

    def _failed(self, params: JsonObject) -> None:
        if params.get("willRetry") is True:
            words = str(fields(params, "error").get("message"))[:SAID_CHARS]
            self.events(AgentEvent(AgentAction.RETRY, words))
            self._retried += 1
            if self._retried > self.retries:
                self.stop = Stop(Failure.NETWORK, f"no answer in {self._retried} tries: {words}")

    def _ended(self, params: JsonObject) -> None:
        self.result = fields(params, "turn")


def usage_of(told: JsonObject) -> Usage:
    """The client's counts in our buckets: cache reads are part of its input."""
    read, written = _count(told.get("cachedInputTokens")), _count(told.get("cacheWriteInputTokens"))
    return Usage(
        uncached=max(0, _count(told.get("inputTokens")) - read - written),
        read=read,
        write_5m=written,
        output=_count(told.get("outputTokens")),
    )


def request(id: int, method: str, params: JsonObject) -> bytes:
    return _line({"id": id, "method": method, "params": params})


def fields(message: JsonObject, name: str) -> JsonObject:
    """A nested object; empty if there is none of that name."""
    value = message.get(name)
    return cast("JsonObject", value) if isinstance(value, dict) else {}


def _count(value: object) -> int:
    if isinstance(value, bool) or not isinstance(value, int):
        return 0
    return value if 0 < value <= MOST_TOKENS else 0


def _line(message: JsonObject) -> bytes:
    return json.dumps(message, separators=(",", ":")).encode() + b"\n"
