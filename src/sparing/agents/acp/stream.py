"""The messages between an agent and us in one turn.

Requests and answers go both ways over one stream. An agent may ask for permission: readers may do
nothing that changes a file, writers anything within their worktree. It never gets access to files
or terminals through us.
"""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import PurePath
from typing import cast

from sparing.agents.acp.agents import free_of_commands
from sparing.agents.acp.answers import AnswerReader
from sparing.agents.acp.tool_calls import SERVER
from sparing.agents.backend import ANSWERING, AgentCall, AgentEvent, TurnOutcome
from sparing.agents.own_tools import SAID_CHARS, ToolDesk
from sparing.codec import JsonObject
from sparing.failure import Failure
from sparing.turn_event import AgentAction
from sparing.usage import Usage

INITIALIZE, SESSION, PROMPT = 1, 2, 3
PROTOCOL = 1
NO_METHOD, NEEDS_LOGIN = -32601, -32000
LOOKING = frozenset({"read", "search", "think", "execute"})
"""Kinds of calls that readers may make; the sandbox confines what a command writes."""
CHANGING = frozenset(
    {"change", "run", "write", "edit", "bash", "apply_patch", "patch", "multiedit"}
    | {"write_file", "replace", "run_shell_command"}
)
FORM = "Reply with one JSON object and nothing else. It must follow this JSON schema:\n"


@dataclass(slots=True)
class AcpWatch:
    call: AgentCall
    desk: ToolDesk
    events: Callable[[AgentEvent], None]
    folder: str
    """The working folder that the agent is given."""
    name: str
    known: str = ""
    """The session to resume, by the agent's own name for it."""
    tools: str = ""
    """The address of our tools; empty if it gets none."""
    says_system: bool = False
    """True if the system prompt must be sent as text, as the protocol has none."""
    session: str = ""
    asked: bytes = b""
    """The last request that its provider has answered."""
    calls: list[Usage] = field(default_factory=list[Usage])
    estimated: bool = False
    denied: list[str] = field(default_factory=list[str])
    read: list[str] = field(default_factory=list[str])
    written: list[str] = field(default_factory=list[str])
    """Files that an agent with its own tools reports as opened and changed."""
    refused: bool = False
    outcome: TurnOutcome | None = None
    """Why the turn was stopped."""
    resets_at: float | None = None
    result: JsonObject | None = None
    """How the agent ended the turn."""
    ready: bool = False
    """True once the session is open and accepts a prompt."""
    stopped: Callable[[], None] = lambda: None
    _said: list[str] = field(default_factory=list[str])
    _message: object = None
    _answering: bool = False
    _asked: bool = False

    @property
    def said(self) -> str:
        return "".join(self._said)

    def opening(self) -> bytes:
        can = {"fs": {"readTextFile": False, "writeTextFile": False}, "terminal": False}
        about = {"name": "sparing", "title": "Sparing", "version": "1"}
        hello = {"protocolVersion": PROTOCOL, "clientCapabilities": can, "clientInfo": about}
        return request(INITIALIZE, "initialize", hello)

    def prompt(self) -> bytes:
        """The prompt, sent once the session is open; earlier output does not answer it."""
        self._asked, self._said = True, []
        told = self.call.system if self.says_system and not self.known else ""
        parts = (told, *(one.text for one in self.call.prompt))
        texts = [text for text in parts if text.strip()]
        texts[:1] = [free_of_commands(text) for text in texts[:1]]
        if self.call.schema is not None:
            texts.append(FORM + json.dumps(dict(self.call.schema), separators=(",", ":")))
        blocks = [{"type": "text", "text": text} for text in texts]
        return request(PROMPT, "session/prompt", {"sessionId": self.session, "prompt": blocks})

    def cancel(self) -> bytes:
        return _line({"method": "session/cancel", "params": {"sessionId": self.session}})

    def see(self, message: JsonObject, say: Callable[[bytes], None]) -> None:
        method, params = message.get("method"), fields(message, "params")
        if method is None:
            self._answered(message, say)
        elif "id" in message:
            say(_line({"id": message["id"], **self._asks(str(method), params)}))
        elif method == "session/update" and params.get("sessionId") in (None, self.session):
            self._update(fields(params, "update"))

    def stop(self, outcome: TurnOutcome, resets_at: float | None = None) -> None:
        """Stop the turn; the first reason counts. A refused resumed session counts as invalid."""
        if outcome.failure is Failure.REFUSED and self.known:
            outcome = outcome._replace(failure=Failure.INVALID_SESSION)
        if self.outcome is None:
            self.outcome, self.resets_at = outcome, resets_at
            self.stopped()

    def began(self) -> None:
        if not self._answering:
            self._answering = True
            self.events(AgentEvent(ANSWERING, ""))

    def billed(self, answer: AnswerReader) -> None:
        self.asked = answer.asked
        self.calls.append(answer.usage)
        self.estimated |= not answer.measured
        self.refused |= answer.refused
        for one in answer.calls:
            self._wanted(one.name, one.given)
        used, limit = sum(self.calls, Usage()).total, self.call.limit_tokens
        if limit is not None and used > limit:
            words = f"{used} tokens, the turn's limit is {limit}"
            self.stop(TurnOutcome(Failure.BUDGET, words))
        elif self.call.ping:
            self.stop(TurnOutcome(None))  # it has done its work with the first answer

    def _answered(self, message: JsonObject, say: Callable[[bytes], None]) -> None:
        """Handle the agent's answer to one of our requests."""
        id, error = message.get("id"), fields(message, "error")
        if error and id in (INITIALIZE, SESSION, PROMPT):
            self._broken(cast("int", id), error)
        elif id == INITIALIZE:
            say(self._open(fields(message, "result")))
        elif id == SESSION:
            self._opened(fields(message, "result"))
        elif id == PROMPT:
            self.result = fields(message, "result")

    def _broken(self, id: int, error: JsonObject) -> None:
        words = str(error.get("message"))[:SAID_CHARS]
        more = error.get("data")
        words += f": {str(more)[:SAID_CHARS]}" if more else ""
        failure = Failure.CRASHED
        if error.get("code") == NEEDS_LOGIN:
            failure = Failure.AUTH
        elif id == SESSION and self.known:
            failure = Failure.INVALID_SESSION
        self.stop(TurnOutcome(failure, words))

    def _open(self, hello: JsonObject) -> bytes:
        can = fields(hello, "agentCapabilities")
        servers: list[JsonObject] = []
        if self.tools and fields(can, "mcpCapabilities").get("http") is True:
            servers = [{"type": "http", "name": SERVER, "url": self.tools, "headers": []}]
        elif self.tools:
            self.stop(TurnOutcome(Failure.CRASHED, f"{self.name} can't use Sparing's own tools"))
        given: JsonObject = {"cwd": self.folder, "mcpServers": servers}
        if not self.known:
            return request(SESSION, "session/new", given)
        given["sessionId"] = self.known
        if "resume" in fields(can, "sessionCapabilities"):
            return request(SESSION, "session/resume", given)
        if can.get("loadSession") is not True:
            words = f"{self.name} can't resume a session"
            self.stop(TurnOutcome(Failure.INVALID_SESSION, words))
        return request(SESSION, "session/load", given)

    def _opened(self, session: JsonObject) -> None:
        told = session.get("sessionId")
        self.session = self.known or str(told or "")
        if self.known and told not in (None, self.known):
            words = f"the agent opened {str(told)[:80]} and not {self.known}"
            self.stop(TurnOutcome(Failure.INVALID_SESSION, words))
        elif not self.session:
            self.stop(TurnOutcome(Failure.CRASHED, "the agent opened no session"))
        self.ready = True

    def _asks(self, method: str, params: JsonObject) -> JsonObject:
        if method == "session/request_permission":
            return {"result": {"outcome": self._permit(params)}}
        words = f"{method[:80]} is not lent to agents"
        return {"error": {"code": NO_METHOD, "message": words}}

    def _permit(self, params: JsonObject) -> JsonObject:
        wanted = fields(params, "toolCall")
        allowed = self._may(wanted)
        if not allowed:
            title = str(wanted.get("title") or wanted.get("kind"))[:SAID_CHARS]
            self.events(AgentEvent(AgentAction.DENIED, title))
            if not self.call.access.writes:
                self.denied.append(title)
        kind = "allow_once" if allowed else "reject_once"
        options = params.get("options")
        for one in cast("list[object]", options) if isinstance(options, list) else []:
            option = cast("JsonObject", one) if isinstance(one, dict) else {}
            if option.get("kind") == kind:
                return {"outcome": "selected", "optionId": option.get("optionId")}
        return {"outcome": "cancelled"}

    def _may(self, wanted: JsonObject) -> bool:
        if not self.call.access.writes:
            return wanted.get("kind") in LOOKING
        return all(_within(path, self.folder) for path in _paths(wanted))

    def _update(self, update: JsonObject) -> None:
        if not self._asked:
            return  # an old turn, told once more
        match update.get("sessionUpdate"):
            case "agent_message_chunk":
                if update.get("messageId") != self._message:
                    self._message, self._said = update.get("messageId"), []
                self._said.append(str(fields(update, "content").get("text") or ""))
            case "tool_call":
                self._told()
                self._done(update)
            case "tool_call_update":
                self._done(update)
            case _:
                pass

    def _done(self, update: JsonObject) -> None:
        lists = {"read": self.read, "edit": self.written}
        found = lists.get(str(update.get("kind")))
        if self.tools or found is None or update.get("status") != "completed":
            return
        for path in _paths(update):
            if path.startswith(f"{self.folder}/"):
                found.append(path.removeprefix(f"{self.folder}/"))
                action = AgentAction.READ if found is self.read else AgentAction.WRITE
                self.events(AgentEvent(action, found[-1]))

    def _told(self) -> None:
        """Report text before a tool call as an event; it is not part of the answer."""
        if self.said.strip():
            self.events(AgentEvent(AgentAction.SAYS, self.said[:SAID_CHARS]))
        self._said = []

    def _wanted(self, name: str, given: str) -> None:
        """Record a call to a tool that a reader may not use, whether it exists or not."""
        bare = name.removeprefix("mcp_").removeprefix(f"{SERVER}_")
        if self.tools and bare in CHANGING and not self.call.access.writes:
            self.denied.append(f"{bare} {given}"[:SAID_CHARS])
            self.events(AgentEvent(AgentAction.DENIED, f"{bare} is not for you in this turn."))


def _paths(call: JsonObject) -> list[str]:
    found = call.get("locations")
    places = cast("list[object]", found) if isinstance(found, list) else []
    return [str(fields({"at": one}, "at").get("path") or "") for one in places]


def _within(path: str, folder: str) -> bool:
    pure = PurePath(path)
    return ".." not in pure.parts and (not pure.is_absolute() or pure.is_relative_to(folder))


def request(id: int, method: str, params: JsonObject) -> bytes:
    return _line({"id": id, "method": method, "params": params})


def fields(message: JsonObject, name: str) -> JsonObject:
    """A nested object; empty if there is none of that name."""
    value = message.get(name)
    return cast("JsonObject", value) if isinstance(value, dict) else {}


def _line(message: JsonObject) -> bytes:
    return json.dumps({"jsonrpc": "2.0", **message}, separators=(",", ":")).encode() + b"\n"
