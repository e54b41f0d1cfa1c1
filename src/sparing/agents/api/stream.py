"""The messages between a turn's process and us."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import cast

from sparing.agents.backend import ANSWERING, AgentCall, AgentEvent
from sparing.agents.own_tools import SAID_CHARS, ToolDesk
from sparing.codec import JsonObject
from sparing.failure import Failure
from sparing.segment import estimate_tokens
from sparing.turn_event import AgentAction
from sparing.usage import Usage

CHANGING = frozenset({"change", "run"})
MOST_TOKENS = 1_000_000_000


@dataclass(slots=True)
class ApiWatch:
    call: AgentCall
    desk: ToolDesk
    events: Callable[[AgentEvent], None]
    known_tokens: int = 0
    """Tokens of the session before this turn, estimated."""
    calls: list[Usage] = field(default_factory=list[Usage])
    estimated: bool = False
    """True if the provider did not report the usage of an answer."""
    stop: str = ""
    """Why the model's last answer ended, as the library calls it."""
    denied: list[str] = field(default_factory=list[str])
    result: JsonObject | None = None
    """How the turn ended, once it is over."""
    _answering: bool = False

    def see(self, message: JsonObject, say: Callable[[bytes], None]) -> None:
        match message.get("kind"):
            case "begins":
                self._begins()
            case "call":
                self._begins()
                self.desk.start(self._tool(message, say))
            case "answer":
                self._answered(message)
            case "end" | "failed":
                self.result = message
            case _:
                pass

    def _begins(self) -> None:
        if not self._answering:
            self._answering = True
            self.events(AgentEvent(ANSWERING, ""))

    async def _tool(self, message: JsonObject, say: Callable[[bytes], None]) -> None:
        given = message.get("given")
        arguments = cast("JsonObject", given) if isinstance(given, dict) else {}
        result = await self.desk.call(str(message.get("tool")), arguments)
        answer = {"id": message.get("id"), "text": result.text, "failed": result.failed}
        say(json.dumps(answer, separators=(",", ":")).encode() + b"\n")

    def _answered(self, message: JsonObject) -> None:
        said, stop = str(message.get("text") or ""), message.get("stop")
        called = cast("list[JsonObject]", message.get("calls") or [])
        if message.get("measured") is not True and stop is None and not said and not called:
            return  # the request failed before anything came back
        self._begins()
        self.stop = str(stop or "")
        self.calls.append(self._usage(message, said))
        if said.strip():
            self.events(AgentEvent(AgentAction.SAYS, said[:SAID_CHARS]))
        for one in called:
            self._wanted(str(one.get("name")), str(one.get("given")))

    def _usage(self, message: JsonObject, said: str) -> Usage:
        if message.get("measured") is True:
            return usage_of(message)
        self.estimated = True
        prompt = sum(segment.tokens for segment in self.call.prompt)
        sent = self.known_tokens + prompt + estimate_tokens(self.call.system)
        return Usage(uncached=max(1, sent), output=max(1, estimate_tokens(said)))

    def _wanted(self, name: str, given: str) -> None:
        """Record a call to a tool that a reader may not use, whether it exists or not."""
        if name in CHANGING and not self.call.access.writes:
            self.denied.append(f"{name} {given}"[:SAID_CHARS])
            self.events(AgentEvent(AgentAction.DENIED, f"{name} is not for you in this turn."))

    @property
    def failure(self) -> Failure | None:
        """The failure that the process reported for the turn, if any."""
        told = self.result or {}
        if told.get("kind") != "failed":
            return None
        known = {word.value: word for word in Failure}
        return known.get(str(told.get("failure")), Failure.CRASHED)


def usage_of(told: JsonObject) -> Usage:
    """The usage in our buckets: the library includes cache reads and writes in the input."""
    read, written = _count(told.get("read")), _count(told.get("written"))
    hour = min(written, _count(told.get("written_1h")))
    return Usage(
        uncached=max(0, _count(told.get("input")) - read - written),
        read=read,
        write_5m=written - hour,
        write_1h=hour,
        output=_count(told.get("output")),
    )


def _count(value: object) -> int:
    if isinstance(value, bool) or not isinstance(value, int):
        return 0
    return value if 0 < value <= MOST_TOKENS else 0
