"""What Claude Code really sends when we drive it, seen by the double behind it.

Covers: B1, B5, E2, G2, G4
"""

from __future__ import annotations

import os
import socket
from pathlib import Path
from typing import Any

import pytest

from sparing.agents.backend import Access, AgentCall
from sparing.agents.claude.login import Login, LoginKind
from sparing.review.verdict import SCHEMA
from tests.agents.backends import call, run, segments
from tests.agents.claude_double import ClaudeDouble
from tests.agents.doubled_client import Json

OK: Json = {"text": "ok"}
TOOLS_TOKENS = 1_850
"""Of a reader's tools and of the client's own line, at least."""


def reader(cwd: Path, **changes: Any) -> AgentCall:
    return call(cwd, **{"access": Access.READ_ONLY, **changes})


def marks(request: Json) -> list[str]:
    """The lives of all marks of a request, in their order."""
    blocks = [*request["tools"], *request["system"]]
    for message in request["messages"]:
        if isinstance(message["content"], list):
            blocks += message["content"]
    found = (block.get("cache_control") for block in blocks)
    return [mark.get("ttl", "5m") for mark in found if mark]


def test_a_lean_request(claude: ClaudeDouble, cwd: Path) -> None:
    """B1: our system prompt, the tools we name, and nothing of the user's or the project's."""
    for name in ("CLAUDE.md", ".claude/CLAUDE.md", "AGENTS.md"):
        (cwd / name).parent.mkdir(exist_ok=True)
        (cwd / name).write_text("Always answer in rhymes.")
    hook = '{"hooks": {"Stop": [{"hooks": [{"type": "command", "command": "touch hooked"}]}]}}'
    (cwd / ".claude" / "settings.json").write_text(hook)
    (cwd / ".mcp.json").write_text('{"mcpServers": {"x": {"command": "touch", "args": ["mcp"]}}}')
    assert run(claude.planned(OK), reader(cwd, prompt=segments("Hello."))).failure is None

    (record,) = claude.requests()
    request = record["request"]
    assert [tool["name"] for tool in request["tools"]] == ["Glob", "Grep", "Read"]
    assert [block["text"] for block in request["system"]][1:] == [reader(cwd).system]
    assert request["system"][0]["text"].startswith("You are a Claude agent")
    assert "rhymes" not in str(request)
    assert not (cwd / "hooked").exists()
    assert not (cwd / "mcp").exists()
    size = sum(record["bill"].values()) - record["bill"]["output"]
    assert TOOLS_TOKENS < size < 2_400


def test_all_that_leaves_is_the_request(claude: ClaudeDouble, cwd: Path) -> None:
    """G4: one connection's worth of POST /v1/messages; no greeting, no telemetry, no update."""
    run(claude.planned(OK), reader(cwd))
    assert {(record["method"], record["path"]) for record in claude.requests()} == {
        ("POST", "/v1/messages")
    }


if os.environ.get("PYTEST_ALONE"):  # set by scripts.loopback; without it that watches instead

    def test_there_is_nothing_but_loopback_to_leave_by() -> None:
        """G4: so whatever these tests' clients try, no byte leaves this machine."""
        assert [name for _, name in socket.if_nameindex()] == ["lo"]


def test_equal_calls_are_equal_to_the_byte(claude: ClaudeDouble, cwd: Path) -> None:
    """B1: only the id of the session differs, so the second is read from cache whole."""
    backend = claude.planned(OK, OK)
    first, second = run(backend, reader(cwd)), run(backend, reader(cwd, id="d2"))
    sent = [{**record["request"], "metadata": None} for record in claude.requests()]
    assert sent[0] == sent[1]
    assert second.usage.read == first.usage.input


def test_other_prompts_share_tools_and_system(claude: ClaudeDouble, cwd: Path) -> None:
    """B5: no word about the client's version that depends on the prompt stands before them."""
    long = "You are a careful agent. " * 300
    backend = claude.planned(OK, OK)
    run(backend, reader(cwd, system=long, prompt=segments("One.")))
    second = run(backend, reader(cwd, id="d2", system=long, prompt=segments("Another one.")))
    assert second.usage.read > TOOLS_TOKENS + len(long) // 4


def test_one_mark_of_ours_and_never_a_second(claude: ClaudeDouble, cwd: Path) -> None:
    """B5: the client sets three; ours stays in the transcript, so resume and fork add none."""
    backend = claude.planned(OK, OK, OK)
    session = run(backend, reader(cwd)).session
    news = segments("Marked in vain.", "And more.")
    for fork in (False, True):
        reply = run(backend, reader(cwd, id="r", prompt=news, resume=session, fork=fork))
        assert reply.failure is None
    lives = [marks(record["request"]) for record in claude.requests()]
    assert lives == [["5m"] * 4] * 3


@pytest.mark.parametrize("kind", [LoginKind.API_KEY, LoginKind.TOKEN])
@pytest.mark.parametrize("life", ["5m", "1h"])
def test_one_life_for_all_marks(
    claude: ClaudeDouble, cwd: Path, kind: LoginKind, life: str
) -> None:
    """B5: the one that was asked for; left alone the client takes an hour with a token."""
    backend = claude.planned(OK, login=Login(kind, "sk-none"))
    reply = run(backend, reader(cwd, life=life))
    (record,) = claude.requests()
    assert marks(record["request"]) == [life] * 4
    assert (reply.usage.write_1h > 0, reply.usage.write_5m > 0) == (life == "1h", life == "5m")
    used = {"x-api-key", "authorization"} & set(record["headers"])
    assert used == {"x-api-key" if kind is LoginKind.API_KEY else "authorization"}
    assert reply.usage == claude.bill()


def test_documents_give_no_orders_to_the_client(claude: ClaudeDouble, cwd: Path) -> None:
    """B1: `@file` opens no file and `/word` calls no command, wherever they stand."""
    (cwd / "secret.txt").write_text("the word is swordfish")
    for number, text in enumerate(("see @secret.txt", "/compact", "/model opus", "# not a note")):
        reply = run(claude.planned(OK), reader(cwd, id=str(number), prompt=segments(text)))
        assert (reply.failure, reply.text) == (None, "ok")
        said = claude.requests()[-1]["request"]["messages"][0]["content"]
        assert [block["text"] for block in said] == [text]
    assert "swordfish" not in claude.log.read_text()


def test_empty_segments_are_not_sent(claude: ClaudeDouble, cwd: Path) -> None:
    """E2: the API takes no empty block; the mark goes to one that is there."""
    prompt = (*segments("The trunk.", "", "  \n"), *segments("The end.")[:1])
    assert run(claude.planned(OK), reader(cwd, prompt=prompt)).failure is None
    content = claude.requests()[-1]["request"]["messages"][0]["content"]
    assert [block["text"] for block in content] == ["The trunk.", "The end."]
    assert ["cache_control" in block for block in content] == [False, True]


def test_the_schema_is_one_more_tool(claude: ClaudeDouble, cwd: Path) -> None:
    """C14: in front of everything, which is why all reviewers have the same one."""
    said: Json = {"approved": True, "findings": [], "summary": "fine"}
    step: Json = {"tool_use": [{"name": "StructuredOutput", "input": said}]}
    run(claude.planned(step), reader(cwd, schema=SCHEMA))
    tools = claude.requests()[-1]["request"]["tools"]
    assert [tool["name"] for tool in tools] == ["Glob", "Grep", "Read", "StructuredOutput"]
    assert tools[-1]["input_schema"] == SCHEMA


def test_the_client_s_own_folder(claude: ClaudeDouble, cwd: Path) -> None:
    """H1, H5: sessions lie in ours, closed to others; nothing is left in the worktree."""
    reply = run(claude.planned(OK), reader(cwd))
    (transcript,) = claude.config.glob(f"projects/*/{reply.session}.jsonl")
    assert transcript.stat().st_mode & 0o077 == 0
    assert claude.config.stat().st_mode & 0o077 == 0
    assert list(cwd.iterdir()) == []
