"""What the doctor says of the agent: installed, logged in, which one and why. Covers: G1, G4."""

from __future__ import annotations

import importlib
import sys
from pathlib import Path

import pytest

from sparing.cli.setup.doctor_agent import DoctorLine, agent_findings, online_finding
from sparing.config.load import current
from tests.double.serving import serving

KEY = "sk-ant-a-secret-key"


@pytest.fixture(autouse=True)
def machine(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A client on PATH, a home without a login, nothing set."""
    program = tmp_path / "bin" / "claude"
    program.parent.mkdir()
    program.write_text("#!/bin/sh\necho '2.1.325 (Claude Code)'\n")
    program.chmod(0o755)
    monkeypatch.setenv("PATH", f"{program.parent}:/usr/bin:/bin")
    monkeypatch.setenv("HOME", str(tmp_path))
    for name in ("ANTHROPIC_API_KEY", "CLAUDE_CODE_OAUTH_TOKEN", "CLAUDE_CONFIG_DIR"):
        monkeypatch.delenv(name, raising=False)
    return tmp_path


def look(**flags: str) -> dict[str, DoctorLine]:
    settings = {name.replace("_", ".", 1): value for name, value in flags.items()}
    return {one.name: one for one in agent_findings(current(None, settings))}


def test_auto_takes_the_client_that_is_installed_and_logged_in(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setenv("ANTHROPIC_API_KEY", KEY)
    found = look()
    assert all(one.good for one in found.values())
    assert found["client"].words.startswith("Claude Code 2.1.325")
    assert found["login"].words == "API key from ANTHROPIC_API_KEY (api-key)"
    assert found["agent"].words.startswith("claude: it is installed")
    assert KEY not in repr(found)


def test_a_missing_login_is_told_with_every_way_to_get_one() -> None:
    found = look()
    assert [name for name, one in found.items() if not one.good] == ["login", "agent"]
    assert "not logged in" in found["agent"].words
    for way in ("ANTHROPIC_API_KEY", "claude setup-token", "log in with `claude`"):
        assert way in found["login"].repair


def test_a_client_that_only_came_with_sparing_is_named_by_its_path(
    machine: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """K1: `claude` alone can't be typed where no such command is on the path."""
    bundled = machine / "parts" / "claude_agent_sdk" / "_bundled" / "claude"
    bundled.parent.mkdir(parents=True)
    (machine / "bin" / "claude").rename(bundled)
    (bundled.parent.parent / "__init__.py").write_text("")
    monkeypatch.setattr(sys, "path", [str(bundled.parents[2]), *sys.path])
    importlib.invalidate_caches()
    assert "log in with `~/parts/claude_agent_sdk/_bundled/claude`" in look()["login"].repair


def test_the_user_s_own_login_is_found_and_named(machine: Path) -> None:
    own = machine / ".claude"
    own.mkdir()
    (own / ".credentials.json").write_text("{}")
    found = look()
    assert found["login"].words == f"your own login in {own} (own)"
    assert not look(agent_login="token")["login"].good


def test_a_backend_that_needs_no_login_does_not_miss_it(machine: Path) -> None:
    (machine / "script.toml").write_text("")
    found = look(agent_backend="scripted", agent_script=str(machine / "script.toml"))
    assert all(one.good for one in found.values())
    assert found["agent"].words == f"scripted, set by flag, playing {machine / 'script.toml'}"
    assert "not needed" in found["login"].words


def test_a_script_that_can_t_be_read_is_said_so(machine: Path) -> None:
    (machine / "script.toml").write_text("[[turn]]\nrole = 7\n")
    found = look(agent_backend="scripted", agent_script=str(machine / "script.toml"))["agent"]
    assert (found.good, "is wrong at turn.0.role" in found.words) == (False, True)


def test_a_backend_without_its_script_is_told_how_to_get_one() -> None:
    found = look(agent_backend="scripted")["agent"]
    assert not found.good
    assert "SPARING_AGENT__SCRIPT" in found.repair
    made_up = look(agent_backend="claude-double")["agent"]
    assert made_up.good
    assert made_up.words.endswith("improvising without a script")


def test_the_network_is_looked_at_only_when_it_is_asked_for(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    with serving() as client:
        monkeypatch.setenv("ANTHROPIC_BASE_URL", client.url)
        assert look()
        assert client.state()["requests"] == 0
        assert online_finding().words.endswith("answers (200)")
    gone = online_finding()
    assert (gone.good, gone.repair) == (False, "check your network")
