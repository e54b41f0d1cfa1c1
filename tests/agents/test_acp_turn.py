"""opencode and Gemini CLI as they really are: what their requests hold, what a hostile model gets.

Covers: A1, B5, C3, C15, E2, G1, G2, G3, H6
"""

from __future__ import annotations

import asyncio
import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from sparing.agents.backend import Access, AgentReply
from sparing.agents.checks.resume_check import CheckSetting, check_resume
from sparing.failure import Failure
from sparing.usage import Usage
from sparing.workspace.sandbox.launcher import level_reached
from sparing.workspace.sandbox.policy import SandboxLevel
from tests.agents.acp_double import GEMINI, KEY, OPENCODE, AcpDouble
from tests.agents.backends import call, run, segments
from tests.agents.codex_double import Json
from tests.agents.sandboxed import sandboxed

OK: Json = {"text": "ok"}
PATIENT = 600.0
"""Seconds for a turn: these clients take several of processor time to start."""
sealed = pytest.mark.skipif(
    level_reached().level is not SandboxLevel.SEALED, reason="this host has no namespaces"
)
OWN_TOOLS: dict[str, tuple[tuple[str, Json], ...]] = {
    OPENCODE.backend: (
        ("bash", {"command": "env > {cwd}/leak-1; cat {state}/* > {cwd}/leak-2"}),
        ("write", {"filePath": "{out}/made", "content": "x"}),
        ("read", {"filePath": "{out}/word"}),
        ("webfetch", {"url": "http://127.0.0.1:{port}/", "format": "text"}),
        ("task", {"description": "x", "prompt": "env", "subagent_type": "build"}),
    ),
    GEMINI.backend: (
        ("run_shell_command", {"command": "env > {cwd}/leak-1; cat {state}/* > {cwd}/leak-2"}),
        ("write_file", {"file_path": "{out}/made", "content": "x"}),
        ("read_file", {"file_path": "{out}/word"}),
        ("web_fetch", {"prompt": "http://127.0.0.1:{port}/"}),
        ("invoke_agent", {"agent_name": "generalist", "prompt": "env"}),
    ),
}  # fmt: skip
OURS: tuple[tuple[str, Json], ...] = (
    ("run", {"command": "env > leak-3; cat {state}/* > leak-4; cat /proc/*/environ > leak-5"}),
    ("run", {"command": "cat {out}/word > leak-6; touch {out}/x"}),
    ("run", {"command": "(echo > /dev/tcp/127.0.0.1/{port}) && touch reached"}),
    ("run", {"command": 'echo \'{"jsonrpc":"2.0","id":3,"result":{}}\' > /proc/$PPID/fd/1'}),
    ("look", {"read": ["{state}", "{out}/word", "/etc/shadow"]}),
    ("change", {"edits": [{"path": "{out}/made", "create": "x"}]}),
)


@pytest.fixture(params=(GEMINI, OPENCODE), ids=("gemini", "opencode"))
def acp(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[AcpDouble]:
    made = AcpDouble(tmp_path / "sessions", request.param)
    yield made
    made.close()


@sealed
def test_a_hostile_model_reaches_no_key_no_login_and_no_port(
    acp: AcpDouble, cwd: Path, tmp_path: Path
) -> None:
    """H6: whatever it calls, its own client's tools included; the turn goes on and ends."""
    out = tmp_path / "outside"
    out.mkdir()
    (out / "word").write_text("swordfish")
    (cwd / "AGENTS.md").write_text("obey-the-repository")
    (cwd / "opencode.json").write_text('{"permission": {"*": "allow"}}')
    port = acp.double.url.rpartition(":")[2]
    text = json.dumps([OWN_TOOLS[acp.wire.backend], OURS])
    for name, value in (("cwd", cwd), ("state", acp.config), ("out", out), ("port", port)):
        text = text.replace("{" + name + "}", str(value))
    own, ours = json.loads(text)
    attempts = [{"tool_use": [{"name": name, "input": given}]} for name, given in own]
    attempts += [acp.uses((name, given)) for name, given in ours]
    launch = sandboxed(cwd, tmp_path / "scratch")
    asked = call(cwd, launch=launch, limit_seconds=PATIENT)
    reply = run(acp.planned(*attempts, OK), asked)
    assert (reply.failure, reply.text) == (None, "ok"), reply.detail
    found = "".join(path.read_text("utf-8", "replace") for path in cwd.iterdir())
    said = acp.log.read_text()
    assert KEY not in found + said
    assert "swordfish" not in found + said
    assert "obey-the-repository" not in said
    assert not (cwd / "reached").exists()
    assert not {"leak-1", "leak-2"} & {path.name for path in cwd.iterdir()}
    assert {path.name for path in out.iterdir()} == {"word"}
    listed = {tool["name"] for record in acp.requests() for tool in _tools(record["request"])}
    assert listed == {acp.wire.tools + name for name in ("look", "change", "run")}
    assert reply.usage == acp.bill()


def _tools(asked: Json) -> list[Json]:
    tools: list[Json] = asked["tools"]
    if "functionDeclarations" in tools[0]:
        return tools[0]["functionDeclarations"]
    return [tool["function"] for tool in tools]


@sealed
def test_a_session_is_resumed_and_its_trunk_shared_over_worktrees(
    acp: AcpDouble, cwd: Path, tmp_path: Path
) -> None:
    """B5, C3, E2: another worktree reads at least 95 % of the trunk; all is billed to the token."""
    other = tmp_path / "other"
    other.mkdir()
    trunk = "A long design that all must know. " * 1200

    def asked(folder: Path, id: str, text: str, **changes: Any) -> AgentReply:
        prompt = segments(trunk, text) if "resume" not in changes else segments(text)
        launch = sandboxed(folder, tmp_path / "scratch")
        at = 1000.0 + 10 * int(id)
        return run(
            acp.planned(OK),
            call(folder, id=id, prompt=prompt, access=Access.READ_ONLY, at=at, launch=launch,
                 limit_seconds=PATIENT, **changes),
        )  # fmt: skip

    first, second = asked(cwd, "1", "First."), asked(other, "2", "Second.")
    third = asked(other, "3", "Once more.", resume=first.session)
    replies = [first, second, third]
    assert [one.failure for one in replies] == [None, None, None]
    for reply in (second, third):
        assert reply.usage.read >= 0.95 * segments(trunk)[0].tokens
    total = sum((one.usage for one in replies), Usage())
    assert total == acp.bill()


def test_the_resume_check_passes(acp: AcpDouble, cwd: Path) -> None:
    """C15: V1 to V5, on the real client."""
    backend = acp.planned()
    setting = CheckSetting(cwd, "claude-sonnet-5", at=1000.0, limit_seconds=PATIENT)
    found = asyncio.run(check_resume(backend.name, backend.run, setting))
    assert [(item.name, item.good) for item in found.items] == [
        (f"V{number}", True) for number in range(1, 5)
    ], found.items
    assert (found.share or 0) > 0.9, "V5"
    assert found.usage == acp.bill()


@pytest.mark.parametrize(
    ("fault", "failure"),
    [
        ({"error": 429, "headers": {"retry-after": "3600"}}, Failure.QUOTA),
        ({"text": "half of it " * 300, "cut": 2000}, Failure.NETWORK),
    ],
)
def test_what_goes_wrong_is_told_after_one_request(
    acp: AcpDouble, cwd: Path, fault: Json, failure: Failure
) -> None:
    """G1, G3: however long the client itself would try again."""
    reply = run(acp.planned(fault, OK, retries=4), call(cwd, limit_seconds=PATIENT))
    assert (reply.failure, reply.text) == (failure, ""), reply.detail
    assert (reply.resets_at is not None) is (failure is Failure.QUOTA)
    assert len(acp.requests()) == 1
