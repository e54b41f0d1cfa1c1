"""Codex as it really is: what its requests hold, and what goes wrong.

Covers: C3, C6, C15, B5, E2, G1, G2, G3
"""

from __future__ import annotations

import json
from pathlib import Path

from tests.agents.backends import call, run
from tests.agents.codex_double import CodexDouble
from tests.agents.doubled_client import Json

OK: Json = {"text": "ok"}


def test_nothing_stands_before_the_prompt_but_what_is_ours(codex: CodexDouble, cwd: Path) -> None:
    """B5: no text and no tool of the client's own, no folder, no date."""
    run(codex.planned(OK), call(cwd))
    asked = codex.requests()[0]["request"]
    assert [tool["name"] for tool in asked["tools"]] == ["look", "change", "run"]
    roles = [(item["role"], item["content"][0]["text"][:10]) for item in asked["input"]]
    assert roles == [("developer", "You are a "), ("user", "The design")]
    assert str(cwd) not in json.dumps(asked["input"])


def test_a_ping_keeps_the_source_s_key(codex: CodexDouble, cwd: Path) -> None:
    """C6: providers sort requests by it, so a keep-alive must bring the same one."""
    first = run(codex.planned(OK), call(cwd))
    ping = run(codex.planned(OK), call(cwd, id="p", resume=first.session, ping=True, at=1010.0))
    assert (ping.failure, ping.session) == (None, "")
    keys = {record["request"]["prompt_cache_key"] for record in codex.requests()}
    assert keys == {first.session}
