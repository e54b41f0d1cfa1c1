"""The commands and their words. Covers: K1, A6."""

from __future__ import annotations

from importlib import import_module
from pathlib import Path

import click
import pytest

from sparing.cli.main import COMMANDS, MODULES, app
from tests.conftest import UserRepository
from tests.terminal import sparing


@pytest.mark.parametrize("name", COMMANDS)
def test_the_list_of_commands_says_what_each_one_says(name: str) -> None:
    """The list is written down so that help loads nothing; it must not differ."""
    module = import_module(f"sparing.cli.{MODULES.get(name, name)}")
    command: click.Command = getattr(module, f"{name.replace('-', '_')}_command")
    assert command.help
    assert command.help.split("\n\n")[0] == COMMANDS[name]


@pytest.mark.parametrize("name", COMMANDS)
def test_every_command_has_help(name: str, tmp_path: Path) -> None:
    context = click.Context(app, **app.context_settings)
    command = app.get_command(context, name)
    assert command is not None
    assert command.get_help(click.Context(command, info_name=name, parent=context))


def test_help_lists_all_commands(tmp_path: Path) -> None:
    said = sparing(tmp_path, "--help")
    assert said.code == 0
    assert all(f"  {name} " in said.out for name in COMMANDS)


def test_alone_it_says_what_waits(user_repository: UserRepository) -> None:
    path = user_repository()
    assert "Nothing is running here." in sparing(path).out
    sparing(path, "start", "Add rate limiting")
    said = sparing(path)
    assert "001  Add rate limiting" in said.out
    assert "sparing run 001" in said.out


def test_start_gives_numbers_in_order(user_repository: UserRepository) -> None:
    """A4: highest + 1, three digits."""
    path = user_repository()
    first = sparing(path, "start", "Add rate limiting", "--json").json
    second = sparing(path, "start", "Log slow queries", "--json", "--flow", "L2").json
    assert (first["feature"], second["feature"]) == ("001", "002")
    assert second["branch"] == "feature/002-log-slow-queries"
    listed = sparing(path, "list", "--json").json["features"]
    assert [(f["id"], f["flow"], f["status"]) for f in listed] == [
        ("001", "feature", "planned"),
        ("002", "L2", "planned"),
    ]


def test_settings_with_their_origin(user_repository: UserRepository) -> None:
    said = sparing(
        user_repository(), "config", "show", "--json", environ={"SPARING_REVIEW__CAP": "2"}
    )
    assert said.json["settings"]["review.cap"] == {
        "value": 2,
        "origin": "environment SPARING_REVIEW__CAP",
    }


def test_doctor_finds_a_healthy_repository(user_repository: UserRepository, tmp_path: Path) -> None:
    script = tmp_path / "script.toml"
    scripted = {"SPARING_AGENT__BACKEND": "scripted", "SPARING_AGENT__SCRIPT": str(script)}
    path = user_repository()
    said = sparing(path, "doctor", "--json", environ=scripted)
    (found,) = (one for one in said.json["findings"] if not one["good"])
    assert (said.code, found["name"]) == (1, "agent")
    assert "can't be read" in found["words"]
    script.write_text("")
    said = sparing(path, "doctor", "--json", environ=scripted)
    assert (said.code, said.json["good"]) == (0, True)
    names = [finding["name"] for finding in said.json["findings"]]
    assert names == [
        *("python", "engine", "git", "sandbox", "settings", "client", "login", "codex"),
        *(
            "codex login",
            "api",
            "api keys",
            "opencode",
            "gemini",
            "agent",
            "levers",
            "tools",
            "repository",
            "state",
            "disk",
            "roles",
        ),
    ]


def test_doctor_outside_of_a_repository(tmp_path: Path) -> None:
    said = sparing(tmp_path, "doctor")
    assert said.code == 1
    assert "✗ repository" in said.out
