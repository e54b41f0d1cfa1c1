"""What Claude Code reports in a turn, message by message, and the totals.

Calls are counted as they are made, so that a limit can end the turn and the usage of a killed one
is known. Only what belongs to this run is read: the client's totals of cost and models accumulate
over the runs of a session. Unknown messages are ignored; clients add new ones every week.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import NamedTuple, cast

from sparing.agents.backend import ANSWERING, AgentCall, AgentEvent
from sparing.agents.claude.options import INITIALIZE, refusal, response
from sparing.agents.claude.rules import (
    CHANGING,
    OWN_CHANGING,
    SEARCH,
    judge,
    relative,
    things,
    tools_of,
)
from sparing.codec import JsonObject
from sparing.failure import Failure
from sparing.turn_event import AgentAction
from sparing.usage import Usage

SAID_CHARS = 2_000
SYNTHETIC = "<synthetic>"
"""The model's name in messages that the client made up itself."""
MOST_TOKENS = 10**12
"""An upper limit for one call; a larger figure is not a token count."""
LATEST_RESET = 4e9
"""Seconds since 1970, about a century from now; larger values are milliseconds."""
LONGEST_WAIT_SECONDS = 300.0
"""Seconds before a retry; if it takes longer, the turn ends so that something else can be done."""


class Stop(NamedTuple):
    """Why the turn must not continue."""

    failure: Failure
    detail: str


@dataclass(slots=True)
class Tool:
    name: str
    path: str
    command: str
    query: str = ""
    """What it searches for on the web."""
    done: bool | None = None
    """Whether it succeeded; None as long as there is no result."""


@dataclass(slots=True)
class Watch:
    call: AgentCall
    root: Path
    events: Callable[[AgentEvent], None]
    own: tuple[str, ...] = ()
    """Names of tools that we answer ourselves."""
    session: str = ""
    calls: list[Usage] = field(default_factory=list[Usage])
    tools: dict[str, Tool] = field(default_factory=dict[str, Tool])
    denied: list[str] = field(default_factory=list[str])
    """Attempts to change something in a turn that may not."""
    stop: Stop | None = None
    resets_at: float | None = None
    result: JsonObject | None = None
    _asked_of: dict[str, int] = field(default_factory=dict[str, int])
    """Per answer, in the order of the calls: how many things it asked our own tools for."""
    _answering: bool = False

    def see(self, message: JsonObject) -> bytes:
        """Process one message; returns what to answer, if anything."""
        session = message.get("session_id")
        if isinstance(session, str) and session:
            self.session = session
        kind = str(message.get("type"))
        if kind == "control_request":
            return self._asked(message)
        taken: dict[str, Callable[[JsonObject], None]] = {
            "control_response": self._answered,
            "stream_event": self._streamed,
            "assistant": self._said,
            "user": self._results,
            "system": self._noted,
            "rate_limit_event": self._limited,
            "result": self._ended,
        }
        if kind in taken:
            taken[kind](message)
        return b""

    @property
    def usage(self) -> Usage:
        """The usage of this run. The client's own sum omits the cost of an interrupted answer."""
        seen = sum(self.calls, Usage())
        told = usage_of(self.result.get("usage")) if self.result else Usage()
        if self.searches and self.result and not self.call.resume:
            # A search is a request of its own, which stands in the session's totals alone.
            told = max(told, _by_model(self.result), key=lambda one: one.total)
        return told if told.total > seen.total else seen

    @property
    def asked(self) -> list[int]:
        """Per call: how many things it asked our own tools for."""
        counts = list(self._asked_of.values())
        return counts if len(counts) == len(self.calls) else [0] * len(self.calls)

    @property
    def searches(self) -> int:
        return sum(1 for tool in self.tools.values() if tool.query and tool.done)

    @property
    def read(self) -> tuple[str, ...]:
        return self._paths(lambda tool: tool.name == "Read")

    @property
    def written(self) -> tuple[str, ...]:
        return self._paths(lambda tool: tool.name in CHANGING)

    def _paths(self, wanted: Callable[[Tool], bool]) -> tuple[str, ...]:
        """Paths in the order of the calls: results arrive in any order."""
        done = (tool for tool in self.tools.values() if tool.done and tool.path)
        return tuple(dict.fromkeys(tool.path for tool in done if wanted(tool)))

    def _ended(self, message: JsonObject) -> None:
        self.result = message

    def _answered(self, message: JsonObject) -> None:
        """Stop a client that does not support our check of its tool calls."""
        told = _object(message, "response")
        if told.get("request_id") != INITIALIZE:
            return
        if not _object(told, "response").get("hook_on_failure_supported"):
            self.stop = Stop(Failure.CRASHED, "this client does not report its tool calls")

    def _asked(self, message: JsonObject) -> bytes:
        """Answer the client's request to check a tool call before it runs; refuse all others."""
        id, asked = str(message.get("request_id")), _object(message, "request")
        if asked.get("subtype") != "hook_callback":
            return refusal(id, f"there is no answer to {str(asked.get('subtype'))[:80]}")
        given = _object(asked, "input")
        tool, wanted = str(given.get("tool_name", "")), _object(given, "tool_input")
        call = self.call
        answer = judge(tool, wanted, call.access, self.root, self.own, web=call.web, seen=call.seen)
        if answer.reason:
            self.events(AgentEvent(AgentAction.DENIED, answer.reason))
        return response(id, answer.output)

    def _streamed(self, message: JsonObject) -> None:
        event = _object(message, "event")
        if event.get("type") == "message_start":
            said = _object(event, "message")
            self._asked_of[str(said.get("id"))] = 0
            self.calls.append(usage_of(said.get("usage")))
            if not self._answering:
                self._answering = True
                self.events(AgentEvent(ANSWERING, ""))
        elif event.get("type") == "message_delta" and self.calls:
            final, begun = usage_of(event.get("usage")), self.calls[-1]
            whole = final.input >= begun.input
            self.calls[-1] = final if whole else replace(begun, output=final.output)
            self._check_limit()

    def _said(self, message: JsonObject) -> None:
        said = _object(message, "message")
        if said.get("model") == SYNTHETIC:
            return
        id = str(said.get("id"))
        if id not in self._asked_of:  # an answer in one piece, after a stream had failed
            self._asked_of[id] = 0
            self.calls.append(usage_of(said.get("usage")))
            self._check_limit()
        for block in _objects(said, "content"):
            text = block.get("text")
            if block.get("type") == "tool_use":
                name, given = str(block.get("name")), _object(block, "input")
                self._uses(str(block.get("id")), name, given)
                self._asked_of[id] += things(given) if name in self.own else 0
            elif isinstance(text, str) and text.strip():
                self.events(AgentEvent(AgentAction.SAYS, text[:SAID_CHARS]))

    def _uses(self, id: str, name: str, given: JsonObject) -> None:
        path = str(given.get("file_path") or given.get("notebook_path") or "")
        query = str(given.get("query", "")) if name == SEARCH else ""
        command = str(given.get("command", ""))
        tool = Tool(name, relative(path, self.root) if path else "", command, query)
        self.tools[id] = tool
        if name in CHANGING | OWN_CHANGING and name not in self._for_writing():
            self.denied.append(tool.path or tool.command or name)

    def _for_writing(self) -> tuple[str, ...]:
        own = self.own if self.call.access.writes else ()
        return (*tools_of(self.call.access, self.own), *own)

    def _results(self, message: JsonObject) -> None:
        for block in _objects(_object(message, "message"), "content"):
            tool = self.tools.get(str(block.get("tool_use_id")))
            if tool is not None:
                tool.done = block.get("is_error") is not True
                self._tell(tool)

    def _tell(self, tool: Tool) -> None:
        if tool.query and tool.done:
            self.events(AgentEvent(AgentAction.SEARCH, tool.query[:SAID_CHARS]))
        elif tool.command:
            self.events(AgentEvent(AgentAction.COMMAND, tool.command[:SAID_CHARS]))
        elif tool.path:
            kind = AgentAction.WRITE if tool.name in CHANGING else AgentAction.READ
            self.events(AgentEvent(kind if tool.done else AgentAction.FAILED, tool.path))

    def _limited(self, message: JsonObject) -> None:
        at = _object(message, "rate_limit_info").get("resetsAt")
        self.resets_at = _moment(at) or self.resets_at

    def _noted(self, message: JsonObject) -> None:
        if message.get("subtype") != "api_retry":
            return
        wait = _count(message.get("retry_delay_ms")) / 1000
        why = str(message.get("error_status") or message.get("error") or "unknown")
        tries = f"try {message.get('attempt')} of {message.get('max_retries')}"
        self.events(AgentEvent(AgentAction.RETRY, f"{why}, {tries} in {wait:.1f} s"))
        if wait > LONGEST_WAIT_SECONDS:
            self.stop = Stop(Failure.QUOTA, f"the provider wants {wait:.0f} s of waiting")

    def _check_limit(self) -> None:
        limit, used = self.call.limit_tokens, sum(self.calls, Usage()).total
        if limit is not None and used > limit:
            self.stop = Stop(Failure.BUDGET, f"{used} tokens, the turn's limit is {limit}")


def usage_of(fields: object) -> Usage:
    """The client's counts in our buckets: cache reads are not part of its input."""
    if not isinstance(fields, dict):
        return Usage()
    told = cast("JsonObject", fields)
    hour = _count(_object(told, "cache_creation").get("ephemeral_1h_input_tokens"))
    written = _count(told.get("cache_creation_input_tokens"))
    return Usage(
        uncached=_count(told.get("input_tokens")),
        read=_count(told.get("cache_read_input_tokens")),
        write_5m=max(0, written - hour),
        write_1h=hour,
        output=_count(told.get("output_tokens")),
    )


def _by_model(result: JsonObject) -> Usage:
    """The totals of a session, which don't distinguish one-hour entries from others."""
    told = _object(result, "modelUsage")
    models = (_object(told, name) for name in told)
    return sum(
        (
            Usage(
                uncached=_count(one.get("inputTokens")),
                read=_count(one.get("cacheReadInputTokens")),
                write_5m=_count(one.get("cacheCreationInputTokens")),
                output=_count(one.get("outputTokens")),
            )
            for one in models
        ),
        Usage(),
    )


def _object(message: JsonObject, name: str) -> JsonObject:
    """A nested object; empty if there is none of that name."""
    value = message.get(name)
    return cast("JsonObject", value) if isinstance(value, dict) else {}


def _objects(message: JsonObject, name: str) -> list[JsonObject]:
    value = message.get(name)
    items = cast("list[object]", value) if isinstance(value, list) else []
    return [cast("JsonObject", item) for item in items if isinstance(item, dict)]


def _count(value: object) -> int:
    if isinstance(value, bool) or not isinstance(value, int):
        return 0
    return value if 0 < value <= MOST_TOKENS else 0


def _moment(told: object) -> float | None:
    """A plausible time, in seconds since the epoch; else None."""
    if isinstance(told, bool) or not isinstance(told, int | float):
        return None
    for scale in (1, 1000):
        if 0 < told <= LATEST_RESET * scale:
            return told / scale
    return None
