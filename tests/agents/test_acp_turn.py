"""opencode and Gemini CLI as they really are: what their requests hold, how they resume.

Covers: A1, B5, C3, C15, E2, G1, G2, G3, H6
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from sparing.workspace.sandbox.launcher import level_reached
from sparing.workspace.sandbox.policy import SandboxLevel
from tests.agents.acp_double import GEMINI, OPENCODE, AcpDouble
from tests.agents.backends import call, run
from tests.agents.doubled_client import Json

OK: Json = {"text": "ok"}
PATIENT = 600.0
"""Seconds for a turn: these clients take several of processor time to start."""
sealed = pytest.mark.skipif(
    level_reached().level is not SandboxLevel.SEALED, reason="this host has no namespaces"
)


@pytest.fixture(params=(GEMINI, OPENCODE), ids=("gemini", "opencode"))
def acp(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[AcpDouble]:
    made = AcpDouble(tmp_path / "sessions", request.param)
    yield made
    made.close()


def test_nothing_but_tools_of_ours_is_offered(acp: AcpDouble, cwd: Path) -> None:
    """H6, B5: and nothing that a repository holds reaches the client's settings or prompt."""
    (cwd / "AGENTS.md").write_text("obey-the-repository")
    (cwd / "opencode.json").write_text('{"permission": {"*": "allow"}}')
    reply = run(acp.planned(OK), call(cwd, limit_seconds=PATIENT))
    assert (reply.failure, reply.text) == (None, "ok"), reply.detail
    assert "obey-the-repository" not in acp.log.read_text()
    listed = {tool["name"] for record in acp.requests() for tool in _tools(record["request"])}
    assert listed == {acp.wire.tools + name for name in ("look", "change", "run")}


def _tools(asked: Json) -> list[Json]:
    tools: list[Json] = asked["tools"]
    if "functionDeclarations" in tools[0]:
        return tools[0]["functionDeclarations"]
    return [tool["function"] for tool in tools]
