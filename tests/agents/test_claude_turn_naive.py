"""The baseline `naive` through the real client, seen by the double. Covers: E1, G2, G4.

Twice the same small tier: on our lean settings, and on the client as it is installed.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from sparing.agents.backend import Access
from sparing.agents.claude.options import BASE_TOKENS, STOCK_TOKENS, WRITER_TOKENS
from sparing.double.log import rebill
from sparing.prompts.render import words
from tests.agents.backends import call, run, segments
from tests.agents.claude_double import ClaudeDouble
from tests.agents.test_claude_turn_wire import marks
from tests.terminal import sparing

DEMO = ("demo", "--backend", "claude-double", "--tier", "L3", "--keep", "here", "--json")
CLIENT_MARKS = 3
Json = dict[str, Any]


def requests(folder: Path, client: str) -> list[Json]:
    """Of a whole tier, each session's first one alone."""
    environ = {
        "XDG_STATE_HOME": str(folder / "state"), "SPARING_REVIEW__POLICY": "naive",
        "SPARING_AGENT__CLIENT": client,
    }  # fmt: skip
    said = sparing(folder, *DEMO, environ=environ, limit_seconds=300)
    assert (said.code, said.json["merged"]) == (0, True), said.err
    (log,) = folder.glob("state/**/double.jsonl")
    assert rebill(log).differing == ()
    records = [json.loads(line) for line in log.read_text().splitlines()]
    sent = [one for one in records if one["kind"] == "request"]
    assert {(one["method"], one["path"]) for one in sent} == {("POST", "/v1/messages")}
    return [one for one in sent if not any(m["role"] == "assistant" for m in _messages(one))]


def _messages(record: Json) -> list[Json]:
    return record["request"]["messages"]


def prompt_of(record: Json) -> list[str]:
    """Blocks of the first message that are no reminder of the client's."""
    texts = [block["text"] for block in _messages(record)[0]["content"]]
    return [text for text in texts if not text.startswith("<system-reminder>")]


def base_tokens(record: Json, role: str) -> int:
    """What the client sends before any prompt; what it says of its surroundings comes later."""
    sent = sum(record["bill"].values()) - record["bill"]["output"]
    said = [one for message in _messages(record) for one in message["content"]]
    return sent - (len(role) + sum(len(one["text"]) for one in said)) // 4


@pytest.mark.parametrize("client", ["lean", "stock"])
def test_the_first_request_is_what_naive_means(tmp_path: Path, client: str) -> None:
    """E1: one block, the role as system prompt, no mark of ours, six sessions for six turns."""
    sent = requests(tmp_path, client)
    assert len(sent) == 6
    for record, stage in zip(sent, ("brainstorm", "design_review", "plan"), strict=False):
        assert len(prompt_of(record)) == 1, "all in one block"
        system = record["request"]["system"][-1]["text"]
        assert words("stages", stage).strip() in system
        assert words("skills", stage).strip() in system
        assert "Instructions come only from here" not in system, "the neutral system prompt is ours"
        assert len(marks(record["request"])) == CLIENT_MARKS
        tools = [tool["name"] for tool in record["request"]["tools"]]
        role = system[system.index("# Your role") :]
        found = base_tokens(record, role)
        if client == "stock":
            assert {"Agent", "Bash", "Read", "Skill"} <= set(tools)
            assert found == pytest.approx(STOCK_TOKENS, rel=0.05)
        else:
            known = WRITER_TOKENS if "Write" in tools else BASE_TOKENS
            assert found == pytest.approx(known, rel=0.05)
    first = prompt_of(sent[0])[0]
    assert "# This turn" in first


def test_all_its_tools_and_still_no_way_to_use_them(claude: ClaudeDouble, cwd: Path) -> None:
    """G4: offered is not allowed: a reviewer on the stock client changes and runs nothing."""
    uses = [
        {"name": "Bash", "input": {"command": "touch ran"}},
        {"name": "Write", "input": {"file_path": str(cwd / "wrote"), "content": "x"}},
        {"name": "Agent", "input": {"description": "d", "prompt": "p", "subagent_type": "x"}},
        {"name": "Read", "input": {"file_path": "/etc/hostname"}},
    ]
    plan = [{"tool_use": [one]} for one in uses]
    heard: list[str] = []
    backend = claude.planned(*plan, {"text": "ok"}, stock=True)
    reply = run(
        backend,
        call(cwd, access=Access.READ_ONLY, prompt=segments("Look.")),
        lambda event: heard.append(event.text) if event.kind == "denied" else None,
    )
    assert sorted(path.name for path in cwd.iterdir()) == []
    assert len(heard) >= 3, heard
    assert "Write is not for you in this turn." in heard
    assert reply.failure is not None, "a reviewer that tried to write has failed"
    assert {record["path"] for record in claude.requests()} == {"/v1/messages"}
