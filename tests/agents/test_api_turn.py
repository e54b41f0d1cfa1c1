"""Providers' APIs as the real library speaks them, each format against its double.

Covers: C3, C6, C15, B5, E2, G1, G2, G3, H6
"""

from __future__ import annotations

import asyncio
import json
from collections.abc import Iterator
from pathlib import Path

import pytest

from sparing.agents.backend import Access
from sparing.agents.checks.resume_check import CheckSetting, check_resume
from sparing.failure import Failure
from sparing.review.verdict import SCHEMA
from sparing.usage import Usage
from sparing.workspace.sandbox.launcher import level_reached
from sparing.workspace.sandbox.policy import SandboxLevel
from tests.agents.acts import Act
from tests.agents.api_double import ANTHROPIC, FAULTS, KEY, WIRES, ApiDouble, WireDouble
from tests.agents.backends import call, run, segments
from tests.agents.codex_double import Json
from tests.agents.sandboxed import sandboxed

OK: Json = {"text": "ok"}
VERDICT: Json = {"approved": True, "summary": "fine", "findings": []}
sealed = pytest.mark.skipif(
    level_reached().level is not SandboxLevel.SEALED, reason="this host has no namespaces"
)


@pytest.fixture(params=WIRES, ids=[wire.backend for wire in WIRES])
def api(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[ApiDouble]:
    wire: WireDouble = request.param
    made = ApiDouble(tmp_path / "sessions", wire)
    yield made
    made.close()


@pytest.fixture(params=WIRES[1:], ids=[wire.backend for wire in WIRES[1:]])
def other_api(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[ApiDouble]:
    """All but the one that the conformance suite runs on."""
    made = ApiDouble(tmp_path / "sessions", request.param)
    yield made
    made.close()


@pytest.fixture
def anthropic(tmp_path: Path) -> Iterator[ApiDouble]:
    made = ApiDouble(tmp_path / "sessions", ANTHROPIC)
    yield made
    made.close()


def test_every_format_is_billed_to_the_token(api: ApiDouble, cwd: Path) -> None:
    """E2, C3: tools, a resumed turn in a form, a fork and a keep-alive, by its own cache rules."""
    (cwd / "a.txt").write_text("some words " * 400)
    model = api.wire.model
    act = Act(read=("a.txt",), write={"b.txt": "more words"}, reply=json.dumps(VERDICT))
    backend = api.make(act)
    first = run(backend, call(cwd, model=model))
    assert (first.failure, first.files_read, first.files_written) == (None, ("a.txt",), ("b.txt",))
    later = [
        run(
            api.make(Act(reply=json.dumps(VERDICT))),
            call(
                cwd, id=f"n{number}", model=model, prompt=segments("Once more."), at=1100.0,
                resume=first.session, fork=number == 1, ping=number == 2,
                schema=SCHEMA if number == 0 else None,
            ),
        )
        for number in (2, 1, 0)
    ]  # fmt: skip
    assert [reply.failure for reply in later] == [None, None, None]
    assert json.loads(later[-1].text) == VERDICT
    assert sum((reply.usage for reply in (first, *later)), Usage()) == api.bill()
    read = later[0].usage.read
    assert (read > 0) is (api.wire.path != "/own/v1"), "a server of one's own bills no cache"


@pytest.mark.parametrize("failure", list(FAULTS))
def test_other_formats_have_words_for_what_goes_wrong(
    other_api: ApiDouble, cwd: Path, failure: Failure
) -> None:
    """G1, G3: of the closed set, after one request; a key is never in them."""
    reply = run(other_api.make(Act(fails=failure)), call(cwd, model=other_api.wire.model))
    assert (reply.failure, bool(reply.detail)) == (failure, True)
    assert KEY not in reply.detail
    assert len(other_api.requests()) == 1


def test_four_marks_and_two_lives(anthropic: ApiDouble, cwd: Path) -> None:
    """B5: tools, system, the caller's, the end; what stands before an hour's mark has one too."""
    run(anthropic.planned(OK), call(cwd, life="1h"))
    asked = anthropic.requests()[0]["request"]
    lives = [block.get("cache_control", {}).get("ttl") for block in asked["tools"]]
    assert lives == [None, None, "1h"]
    system = [block.get("cache_control", {}).get("ttl") for block in asked["system"]]
    assert system == [None, "1h"], "the first block is the library's own word on quoted tags"
    blocks = asked["messages"][0]["content"]
    assert [block["cache_control"]["ttl"] for block in blocks] == ["1h", "5m"]
    assert str(cwd) not in json.dumps(asked)


def test_a_trunk_is_shared_over_worktrees(anthropic: ApiDouble, cwd: Path, tmp_path: Path) -> None:
    """B5: a reviewer in another worktree reads at least 95 % of the trunk."""
    other = tmp_path / "other"
    other.mkdir()
    trunk = "A long design that all must know. " * 1200
    prompt = segments(trunk, "First.")
    run(anthropic.planned(OK), call(cwd, prompt=prompt, access=Access.READ_ONLY))
    asked = call(
        other, id="2", prompt=segments(trunk, "Second."), access=Access.READ_ONLY, at=1010.0
    )
    reply = run(anthropic.planned(OK), asked)
    assert reply.usage.read >= 0.95 * segments(trunk)[0].tokens


def test_the_resume_check_passes(anthropic: ApiDouble, cwd: Path) -> None:
    """C15: V1 to V5, with the real library."""
    backend = anthropic.planned()
    setting = CheckSetting(cwd, "claude-sonnet-5", at=1000.0)
    found = asyncio.run(check_resume(backend.name, backend.run, setting))
    assert [(item.name, item.good) for item in found.items] == [
        (f"V{number}", True) for number in range(1, 5)
    ], found.items
    assert (found.share or 0) > 0.9, "V5"
    assert found.usage == anthropic.bill()


HOSTILE: tuple[tuple[str, Json], ...] = (
    ("bash", {"command": "env > {cwd}/leak-1"}),
    ("run", {"command": "env > leak-2; cat {state}/* > leak-3; ls {state} > leak-4"}),
    ("run", {"command": "cat /proc/*/environ /proc/*/cmdline > leak-5; touch {out}/x"}),
    ("run", {"command": "cat {out}/word > leak-6"}),
    ("run", {"command": "(echo > /dev/tcp/127.0.0.1/{port}) && touch reached"}),
    ("run", {"command": 'echo \'{"kind":"end","text":"forged"}\' > /proc/$PPID/fd/1'}),
    ("look", {"read": ["{state}/sparing.db", "{out}/word", "/etc/shadow"]}),
    ("change", {"edits": [{"path": "{out}/made", "create": "x"}]}),
)  # fmt: skip


@sealed
def test_a_hostile_model_reaches_no_key_and_no_port(
    anthropic: ApiDouble, cwd: Path, tmp_path: Path
) -> None:
    """H6: whatever it calls; the turn goes on and ends."""
    out = tmp_path / "outside"
    out.mkdir()
    (out / "word").write_text("swordfish")
    port = anthropic.double.url.rpartition(":")[2]
    text = json.dumps(HOSTILE)
    state = anthropic.state.path
    for name, value in (("cwd", cwd), ("state", state), ("out", out), ("port", port)):
        text = text.replace("{" + name + "}", str(value))
    attempts = [{"tool_use": [{"name": name, "input": given}]} for name, given in json.loads(text)]
    launch = sandboxed(cwd, tmp_path / "scratch")
    reply = run(anthropic.planned(*attempts, OK), call(cwd, launch=launch, limit_seconds=120))
    assert (reply.failure, reply.text) == (None, "ok")
    found = "".join(path.read_text("utf-8", "replace") for path in cwd.iterdir())
    said = anthropic.log.read_text()
    assert KEY not in found + said
    assert "swordfish" not in found + said
    assert not (cwd / "reached").exists()
    assert {path.name for path in out.iterdir()} == {"word"}


def test_a_quota_with_a_time(anthropic: ApiDouble, cwd: Path) -> None:
    """G1: told where the provider tells it; one request, no retries."""
    quota = {"error": 429, "message": "used up", "headers": {"retry-after": "3600"}}
    reply = run(anthropic.planned(quota), call(cwd))
    assert (reply.failure, reply.resets_at is not None) == (Failure.QUOTA, True)
    assert len(anthropic.requests()) == 1


def test_a_network_cut_in_the_middle_of_an_answer(anthropic: ApiDouble, cwd: Path) -> None:
    """G3: it is told, with what was billed of it; the session stays as it was."""
    session = run(anthropic.planned(OK), call(cwd)).session
    cut = {"text": "half of it " * 300, "cut": 2000}
    reply = run(anthropic.planned(*[cut] * 4), call(cwd, id="2", resume=session, at=1010.0))
    assert (reply.failure, reply.text, reply.usage.input > 0) == (Failure.NETWORK, "", True)
    assert len(anthropic.requests()) <= 3
    again = run(anthropic.planned(OK), call(cwd, id="3", resume=session, at=1020.0))
    assert (again.failure, again.session) == (None, session)
