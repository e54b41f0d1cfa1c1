"""A hint shows what is the matter where a command can't be sandboxed, and which agents there are.

Covers: H6, H7, K1
"""

from __future__ import annotations

from pathlib import Path

import pytest

from sparing.errors import SandboxRefused
from sparing.runtime.own_tools import ToolSources, toolset
from sparing.workspace.checks.run import CheckSandbox, run_check
from tests.agents.backends import call
from tests.cli.person import Person
from tests.payment.spending import surroundings
from tests.repositories import make_repository
from tests.workspace.test_checks import PATH, shell


@pytest.fixture
def person_here(person: Person, tmp_path: Path) -> Person:
    folder = tmp_path / "here"
    person.stands(make_repository(folder), {"SPARING_STATE__FOLDER": str(tmp_path / "state")})
    return person


def sandbox_line(person: Person) -> str:
    (line,) = [one for one in person.types("doctor").out.splitlines() if " sandbox " in one]
    return line


def test_a_check_that_can_not_be_sandboxed(person_here: Person, tmp_path: Path) -> None:
    """H7: nothing runs without it; the named command says how far this system confines."""
    broken = shell("echo 'sandbox: the kernel refuses'; exit 125")
    (tmp_path / "tree").mkdir()
    with pytest.raises(SandboxRefused, match="a check can't be sandboxed: ") as caught:
        run_check(broken, tmp_path / "tree", 60, PATH, CheckSandbox(tmp_path / "scratch"))
    assert caught.value.repair == "sparing doctor"
    line = sandbox_line(person_here)
    assert "agents and checks" in line


def test_an_agent_s_command_without_a_sandbox(person_here: Person, tmp_path: Path) -> None:
    """H6: it is not run, and the named command says how far this system confines."""
    around = surroundings(tmp_path / "work")
    sources = ToolSources(around.folder, around.database, around.repository)
    tools = toolset(call(around.repository.checkout), sources)
    with pytest.raises(SandboxRefused, match="there is no sandbox for a command") as caught:
        tools.answer("run", {"command": "touch made"})
    assert caught.value.repair == "sparing doctor"
    assert not (around.repository.checkout / "made").exists()
    line = sandbox_line(person_here)
    assert "agents and checks" in line
