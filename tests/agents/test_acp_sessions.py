"""Agents of the Agent Client Protocol: their session folders, who is installed, who is refused.

Covers: C3, G1, G3, H6
"""

from __future__ import annotations

import json
import os
from pathlib import Path

import pytest

from sparing import backend_name as names
from sparing.agents.acp.custom import custom_agent
from sparing.agents.acp.gemini import LONG_AGO, once, resumed
from sparing.agents.acp.here import agent_here, keys_here
from sparing.agents.acp.homes import Homes
from sparing.agents.acp.opencode import OPENCODE
from sparing.agents.acp.options import provider_of
from sparing.errors import ConfigError


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


def test_a_gemini_session_is_loaded_under_another_name(tmp_path: Path) -> None:
    """C3: in the minute in which it began the client would write over it."""
    chats = tmp_path / ".gemini" / "tmp" / "work" / "chats"
    chats.mkdir(parents=True)
    for name, size in (("aaaaaaaa", 9), ("bbbbbbbb", 50)):
        (chats / f"session-2026-11-17T10-40-{name}.jsonl").write_text("x" * size)
    (chats / "session-2026-11-17T10-41-aaaaaaaa.jsonl").write_text("x" * 90)
    resumed(tmp_path, "aaaaaaaa-1111")
    assert [one.name for one in chats.iterdir()] == [f"{LONG_AGO}aaaaaaaa.jsonl"]
    assert (chats / f"{LONG_AGO}aaaaaaaa.jsonl").read_text() == "x" * 90 + "\n"


def test_what_a_tool_answered_is_loaded_once() -> None:
    """C3: Gemini CLI writes it down twice; whatever else there is stays."""
    answer = {"functionResponse": {"id": "c1", "response": {"output": "x"}}}
    called = json.dumps({"type": "gemini", "toolCalls": [{"id": "c1", "result": [answer]}]})
    twice = json.dumps({"type": "user", "content": [answer]})
    alone = json.dumps({"type": "user", "content": [{"functionResponse": {"id": "c2"}}]})
    said = json.dumps({"type": "user", "content": [{"text": "go on"}]})
    lines = [called, twice, alone, said, "{half", '{"content": []}', '{"content": "one"}']
    assert list(once(lines)) == [called, *lines[2:]]
    whole = json.dumps({"$set": {"messages": [json.loads(one) for one in (called, twice, said)]}})
    (kept,) = once([whole])
    assert json.loads(kept)["$set"]["messages"] == [json.loads(called), json.loads(said)]


def test_an_agent_that_can_not_be_confined_is_refused() -> None:
    """H6: in words, with what would help; nothing is started."""
    environ = {"PATH": os.defpath}
    with pytest.raises(ConfigError, match="no agent is named"):
        custom_agent((), (), environ)
    with pytest.raises(ConfigError, match="sh can't be confined") as refused:
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
