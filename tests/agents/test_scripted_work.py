"""Scripted agents that look around as drawn ones do. Covers: E4, E7, G1."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from sparing.agents.backend import Access, AgentReply
from sparing.agents.scripted.backend import ScriptedBackend
from sparing.agents.scripted.script import Script
from sparing.double.agent.repository import module_files
from sparing.double.agent_kinds import FILE_TOKENS, REPOSITORY_FILES
from sparing.segment import estimate_tokens
from tests.agents.backends import call, run

SCRIPT: dict[str, Any] = {
    "base_tokens": 2200,
    "look_tokens": 900,
    "agents": "typical",
    "turn": [{"reply": "done"}],
}


@pytest.fixture
def project(cwd: Path) -> Path:
    for path, text in module_files("library").items():
        target = cwd / path
        target.parent.mkdir(exist_ok=True)
        target.write_text(text)
    return cwd


def look(folder: Path, project: Path, *, own: bool = False, **changed: Any) -> AgentReply:
    backend = ScriptedBackend(Script.model_validate(SCRIPT), folder, own_readers=own)
    return run(backend, replace(call(project, access=Access.READ_ONLY), **changed))


def test_a_repository_of_the_size_that_agents_expect() -> None:
    """E4: 40 modules of 1,200 to 3,000 tokens."""
    sizes = [estimate_tokens(text) for text in module_files("library").values()]
    least, most = FILE_TOKENS
    assert len(sizes) == REPOSITORY_FILES
    assert all(0.9 * least <= size <= 1.2 * most for size in sizes)


def test_a_reviewer_opens_real_files_call_by_call(tmp_path: Path, project: Path) -> None:
    """E4: as many calls as typical reviews have, and the same for the same turn."""
    asked: dict[str, Any] = {"role": "spec-reviewer", "stage": "specify"}
    reply = look(tmp_path / "a", project, **asked)
    assert 5 <= len(reply.calls) <= 17
    assert reply.files_read
    assert all((project / path).is_file() for path in reply.files_read)
    assert look(tmp_path / "b", project, **asked).usage == reply.usage


def test_tools_of_ours_open_several_at_once(tmp_path: Path, project: Path) -> None:
    """E7: fewer calls, the same files, a shorter base; what each call asked for is told."""
    asked: dict[str, Any] = {"role": "spec-reviewer", "stage": "specify"}
    client = look(tmp_path / "a", project, **asked)
    ours = look(tmp_path / "b", project, own=True, **asked)
    assert set(ours.files_read) == set(client.files_read)
    assert 2 * len(ours.calls) < len(client.calls)
    assert ours.usage.input < client.usage.input
    assert [one.asked for one in client.calls] == [0] * len(client.calls)
    assert max(one.asked for one in ours.calls) >= 4


def test_what_a_session_has_seen_is_not_opened_again(tmp_path: Path, project: Path) -> None:
    """E4: nor what its prompt gives; a new session opens it."""
    first = look(tmp_path, project, role="spec-reviewer", stage="specify")
    asked: dict[str, Any] = {"role": "spec-reviewer", "stage": "specify", "iteration": 2}
    resumed = look(tmp_path, project, resume=first.session, id="again", **asked)
    fresh = look(tmp_path, project, id="anew", **asked)
    assert not set(resumed.files_read) & set(first.files_read)
    assert set(fresh.files_read) & set(first.files_read)
    assert len(resumed.calls) < len(fresh.calls)


def test_a_turn_may_keep_to_its_script(tmp_path: Path, project: Path) -> None:
    """C11: who is to know only the documents looks at nothing else."""
    quiet = {**SCRIPT, "turn": [{"reply": "done", "looks": False}]}
    backend = ScriptedBackend(Script.model_validate(quiet), tmp_path)
    reply = run(backend, call(project, access=Access.READ_ONLY))
    assert (len(reply.calls), reply.files_read) == (1, ())
