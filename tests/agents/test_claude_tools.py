"""How tools of ours are told to the client and how its calls are answered, without a client.

Covers: E7, H6
"""

from __future__ import annotations

import asyncio
import json
import threading
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from sparing.agents.backend import Access, AgentCall, AgentEvent
from sparing.agents.claude.login import Login, LoginKind
from sparing.agents.claude.options import Setup, argv, opening
from sparing.agents.claude.rules import judge, rules_of, tools_of
from sparing.agents.claude.stream import Watch
from sparing.agents.claude.tools import ClaudeDesk
from sparing.agents.own_tools import ToolOffer, muted
from sparing.tool import ChangedFile, OpenedLines, OwnTools, ToolResult, ToolSpec
from sparing.turn_event import AgentAction
from tests.agents.backends import call

Json = dict[str, Any]
LOOK = "mcp__s__look"


class Noting:
    """Tools that answer what they are told to, and remember."""

    specs = (ToolSpec("look", "Shows files.", {"type": "object"}),)

    def __init__(self, answer: Callable[[], ToolResult] = lambda: ToolResult("fine")) -> None:
        self.notes: list[object] = []
        self._answer = answer

    def begin(self, session: str) -> None:
        self.notes.append(("begin", session))

    def answer(self, name: str, given: Json) -> ToolResult:
        self.notes.append((name, given, threading.current_thread() is threading.main_thread()))
        return self._answer()

    def forget(self) -> None:
        self.notes.append("forget")

    def keep(self, session: str) -> None:
        self.notes.append(("keep", session))

    def end(self) -> None:
        self.notes.append("end")


def asked(method: str, params: Json | None = None, server: str = "s") -> Json:
    message = {"jsonrpc": "2.0", "id": 7, "method": method, "params": params or {}}
    request = {"subtype": "mcp_message", "server_name": server, "message": message}
    return {"type": "control_request", "request_id": "r1", "request": request}


def answers(tools: OwnTools, *messages: Json) -> tuple[list[Json], ClaudeDesk, list[AgentEvent]]:
    """What the desk says to each, and what it has told."""
    said: list[bytes] = []
    seen: list[AgentEvent] = []
    desk = ClaudeDesk(tools, seen.append)

    async def talk() -> None:
        for message in messages:
            assert desk.take(message, said.append)
            await asyncio.sleep(0)
        await desk.close()

    asyncio.run(talk())
    lines = [json.loads(line)["response"] for line in said]
    assert all(line["request_id"] == "r1" for line in lines)
    return [line["response"]["mcp_response"] for line in lines], desk, seen


def test_what_the_client_is_told_of_them() -> None:
    """E7: their names, and that results of this size pass whole."""
    told, desk, _ = answers(
        Noting(), asked("initialize"), asked("notifications/initialized"), asked("tools/list")
    )
    assert told[0]["result"]["capabilities"] == {"tools": {}}
    assert told[1]["result"] == {}
    (tool,) = told[2]["result"]["tools"]
    assert (tool["name"], tool["inputSchema"]) == ("look", {"type": "object"})
    assert tool["_meta"] == {"anthropic/maxResultSizeChars": 150_000}
    assert desk.names == (LOOK,)


def test_a_call_is_answered_in_a_thread_and_taken_down() -> None:
    """E7: what was shown and changed is known, and told."""
    result = ToolResult(
        "text \ud800",
        opened=(OpenedLines("a", 1, 3, "d"), OpenedLines("a", 9, 9, "d")),
        changed=(ChangedFile("b", "", "e"),),
        refused=("c",),
        command="ls",
    )
    tools = Noting(lambda: result)
    call_ = asked("tools/call", {"name": "look", "arguments": {"read": ["a"]}})
    (told,), desk, seen = answers(tools, call_)
    assert told["id"] == 7
    assert told["result"] == {"content": [{"type": "text", "text": "text ?"}], "isError": False}
    assert tools.notes == [("look", {"read": ["a"]}, False), "end"]
    assert (desk.read, desk.written) == (("a",), ("b",))
    assert seen == [
        AgentEvent(AgentAction.READ, "a:1-3,9-9"),
        AgentEvent(AgentAction.WRITE, "b"),
        AgentEvent(AgentAction.DENIED, "c"),
        AgentEvent(AgentAction.COMMAND, "ls"),
    ]


def test_whatever_goes_wrong_there_is_an_answer() -> None:
    """E7: or the model would wait for ever."""

    def broken() -> ToolResult:
        raise RuntimeError("no")

    told, _, _ = answers(
        Noting(broken),
        asked("tools/call", {"name": "look"}),
        asked("tools/list", server="other"),
        asked("resources/list"),
        {"type": "control_request", "request_id": "r1", "request": {"subtype": "mcp_message"}},
    )
    results = [one["result"] for one in told if "result" in one]
    broke = {"type": "text", "text": "the tool is broken: RuntimeError: no"}
    assert results == [{"content": [broke], "isError": True}]
    words = sorted(one["error"]["message"] for one in told if "error" in one)
    assert words == [
        "there is no such method",
        "there is no such server",
        "there is no such server",
    ]


def test_other_messages_are_not_for_it() -> None:
    """E7: hooks go to the judge; a context that shrinks is heard of."""
    tools = Noting()
    desk = ClaudeDesk(tools, lambda _: None)
    hook = {"type": "control_request", "request": {"subtype": "hook_callback"}}
    shrunk = {"type": "system", "subtype": "compact_boundary"}
    assert not any(desk.take(one, lambda _: None) for one in (hook, {"type": "user"}, shrunk))
    assert tools.notes == ["forget"]
    assert not ClaudeDesk(None, lambda _: None).take(asked("tools/list"), lambda _: None)


def test_only_a_hook_is_answered_by_the_judge(tmp_path: Path) -> None:
    """H6: nothing that we do not know is taken for a look at a tool, and so for a yes."""
    watch = Watch(call(tmp_path), tmp_path, lambda _: None, (LOOK,))
    for subtype in ("can_use_tool", "something_new", "mcp_message"):
        request = {"subtype": subtype, "input": {"tool_name": LOOK}}
        said = watch.see({"type": "control_request", "request_id": "r", "request": request})
        assert json.loads(said)["response"]["subtype"] == "error"


@pytest.mark.parametrize(
    ("given", "good"),
    [
        ({"read": ["a.py", "b.py:1-3"], "outline": ["src"]}, True),
        ({"read": "a.py"}, True),
        ({"read": ["a.py", "../b.py:3"]}, False),
        ({"read": "/etc/passwd:1"}, False),
        ({"outline": ["/etc"]}, False),
        ({"edits": [{"path": "a.py"}, {"path": "../a.py"}]}, False),
        ({"edits": [{"path": 7}, 8], "read": [9, None]}, True),
        ({"read": ["link/a.py"]}, False),
    ],
)
def test_the_judge_knows_lists(tmp_path: Path, given: Json, good: bool) -> None:
    """H6: a fence of its own before the tools' own."""
    (tmp_path / "link").symlink_to("/etc")
    answer = judge(LOOK, given, Access.READ_ONLY, tmp_path.resolve(), (LOOK,))
    assert bool(answer.reason) is not good
    assert judge("Read", {}, Access.READ_ONLY, tmp_path, (LOOK,)).reason
    assert judge(LOOK, {}, Access.READ_ONLY, tmp_path).reason
    listed = (LOOK, "mcp__s__change", "mcp__s__run")
    for tool in listed[1:]:
        assert judge(tool, {}, Access.READ_ONLY, tmp_path, listed).reason
        assert not judge(tool, {}, Access.WORKTREE, tmp_path, listed).reason


def test_none_of_the_client_s_tools_beside_ours(tmp_path: Path) -> None:
    """E7: the flag without a name, and ours as the only ones that need no question."""
    setup = Setup(Path("/c"), "2", tmp_path, Login(LoginKind.API_KEY, "k"))
    line = argv(setup, call(tmp_path), (LOOK,))
    assert "--tools=" in line
    assert f"--allowedTools={LOOK}" in line
    assert '--mcp-config={"mcpServers":{"s":{"type":"sdk","name":"s","alwaysLoad":true}}}' in line
    assert '"sdkMcpServers": ["s"]' in opening(call(tmp_path), (LOOK,)).decode()
    assert not any("mcp-config=" in one for one in argv(setup, call(tmp_path)))
    assert b"sdkMcp" not in opening(call(tmp_path))
    assert (tools_of(Access.WORKTREE, (LOOK,)), rules_of(Access.WORKTREE, tmp_path, (LOOK,))) == (
        (),
        (LOOK,),
    )


def test_who_is_offered_them(tmp_path: Path) -> None:
    """E7: readers and writers apart, writers by their model; a ping sees them and uses none."""
    tools = Noting()

    def make(_: AgentCall) -> OwnTools:
        return tools

    offer = ToolOffer(make, readers=False, writers=frozenset({"claude-sonnet-5"}))
    writer, reader = call(tmp_path), call(tmp_path, access=Access.READ_ONLY)
    assert offer.of(writer) is tools
    assert offer.of(reader) is None
    assert offer.of(call(tmp_path, model="other")) is None
    assert ToolOffer().of(writer) is None
    silent = muted(offer).of(writer)
    assert silent is not None
    assert silent.specs == tools.specs
    assert silent.answer("look", {}).failed
    assert tools.notes == []
