"""Agents of the Agent Client Protocol: their session folders, who is installed, who is refused.

Covers: C3, G1, G3, H6
"""

from __future__ import annotations

import asyncio
import json
import os
from pathlib import Path
from typing import Any

import pytest

from sparing import backend_name as names
from sparing.agents.acp.custom import custom_agent
from sparing.agents.acp.detection import agent_here, keys_here
from sparing.agents.acp.gemini import LONG_AGO, kept, resumed
from sparing.agents.acp.homes import Homes
from sparing.agents.acp.opencode import OPENCODE
from sparing.agents.acp.options import provider_of
from sparing.agents.acp.tool_calls import ToolCalls
from sparing.agents.own_tools import ToolDesk
from sparing.errors import ConfigError
from sparing.tool import ToolResult

Json = dict[str, Any]


def test_a_turn_can_be_taken_back(tmp_path: Path) -> None:
    """C3, G3: a session changes when a turn has ended well, and at no other time."""
    homes = Homes(tmp_path / "agent")
    session = "0" * 32
    first = homes.begin()
    (first / "said").write_text("one")
    homes.keep(first, session, "ses_1")
    second = homes.begin(session)
    (second / "said").write_text("two")
    homes.drop(second)
    third = homes.begin(session)
    assert (homes.name_of(session), (third / "said").read_text()) == ("ses_1", "one")
    (third / "said").write_text("three")
    homes.keep(third, session, "ses_1")
    assert (homes.begin(session) / "said").read_text() == "three"
    assert [homes.name_of(one) for one in ("", "x", "../" * 9, "1" * 32)] == ["", "", "", ""]


def test_a_gemini_session_is_loaded_as_it_was_sent(tmp_path: Path) -> None:
    """C3: whatever the client wrote down itself, which has answers twice and steps as one; under a
    name that it would not write over within the minute; without what it says before each."""
    chats = tmp_path / ".gemini" / "tmp" / "work" / "chats"
    chats.mkdir(parents=True)
    head = {"sessionId": "aaaaaaaa-1111", "projectHash": "h"}
    for minute, name in ((40, "aaaaaaaa"), (41, "aaaaaaaa"), (42, "bbbbbbbb")):
        file = chats / f"session-2026-11-17T10-{minute}-{name}.jsonl"
        file.write_text(f"{json.dumps(head)}\n{{half")
    (chats.parent.parent / "another").mkdir()
    asks: Json = {"role": "user", "parts": [{"text": "Do it."}]}
    calls = [
        {"role": "model", "parts": [{"functionCall": {"id": f"c{n}"}, "thoughtSignature": "x"}]}
        for n in range(2)
    ]
    answers = [{"role": "user", "parts": [{"functionResponse": {"id": f"c{n}"}}]} for n in range(2)]
    steps = [calls[0], answers[0], calls[1], answers[1]]
    context = {"text": "<session_context>\nToday's date is …"}
    sent = {"contents": [{**asks, "parts": [context, *asks["parts"]]}, *steps]}
    kept(tmp_path, json.dumps(sent).encode(), "Done.")
    resumed(tmp_path, "aaaaaaaa-1111")
    (file,) = chats.iterdir()
    assert file.name == f"{LONG_AGO}aaaaaaaa.jsonl"
    first, *said = map(json.loads, file.read_text().splitlines())
    assert first == head
    ended = {"role": "model", "parts": [{"text": "Done."}]}
    assert [(one["type"], one["content"]) for one in said] == [
        ("gemini" if one["role"] == "model" else "user", one["parts"])
        for one in (asks, *steps, ended)
    ]
    assert len({one["id"] for one in said}) == len(said)
    assert [one.name for one in chats.parent.parent.iterdir()] == ["work"]


def test_files_where_an_agent_stands_are_those_of_the_worktree() -> None:
    """G2: opencode tells its model that it works in the empty folder in which it stands."""
    tools = Noted()
    calls = ToolCalls(ToolDesk(tools, lambda _: None), told="/state/desk", meant="/sparing/work")

    def ask(name: str, **given: object) -> object:
        params = {"name": name, "arguments": given}
        body = {"id": 1, "method": "tools/call", "params": params}
        asyncio.run(calls.answer(json.dumps(body).encode()))
        return tools.given[-1]

    assert ask("look", read=["/state/desk/a.py", "b.py"], lines=3) == {
        "read": ["/sparing/work/a.py", "b.py"],
        "lines": 3,
    }
    assert ask("run", command="cd /state/desk && ls") == {"command": "cd /sparing/work && ls"}
    edit = {"path": "/state/desk/c.md", "create": "see /state/desk"}
    placed = {"path": "/sparing/work/c.md", "create": "see /state/desk"}
    assert ask("change", edits=[edit]) == {"edits": [placed]}


class Noted:
    """Tools that take down what they are asked."""

    specs = ()

    def __init__(self) -> None:
        self.given: list[Json] = []

    def begin(self, session: str) -> None: ...

    def answer(self, name: str, given: Json) -> ToolResult:
        self.given.append(given)
        return ToolResult("")

    def forget(self) -> None: ...

    def keep(self, session: str) -> None: ...

    def end(self) -> None: ...


def test_an_agent_that_can_not_be_confined_is_refused() -> None:
    """H6: in words, with what would help; nothing is started."""
    environ = {"PATH": os.defpath}
    with pytest.raises(ConfigError, match="no agent is named"):
        custom_agent((), (), environ)
    with pytest.raises(ConfigError, match="sh can't be used safely") as refused:
        custom_agent(("sh", "-c", "true"), ("A_KEY={key}",), environ)
    assert "agent.acp_environment" in refused.value.repair
    with pytest.raises(ConfigError, match="no-such-agent is not installed"):
        custom_agent(("no-such-agent",), ("URL={address}",), environ)


def test_what_is_installed_and_which_keys_there_are() -> None:
    """G2: what is missing is said with the command that helps; a model's name says whose it is."""
    with pytest.raises(ConfigError, match="opencode is not installed") as missing:
        agent_here(names.OPENCODE, {"PATH": "/nowhere"})
    assert missing.value.repair == "npm install -g opencode-ai@1.18.33"
    with pytest.raises(ConfigError, match="no API key for OpenAI"):
        keys_here(OPENCODE, "gpt-5.5", {"ANTHROPIC_API_KEY": "sk"})
    found = keys_here(OPENCODE, "openai/o9", {"OPENAI_API_KEY": "sk", "GEMINI_API_KEY": "g"})
    assert set(found) == {names.API_OPENAI, names.API_GOOGLE, names.API_SERVER}
    assert provider_of("claude-sonnet-5") == names.API_ANTHROPIC
    assert provider_of("gemini-3.8-flash") == names.API_GOOGLE
    assert provider_of("qwen3-coder") == names.API_SERVER
