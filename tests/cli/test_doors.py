"""What a person meets besides a run: init, a look ahead, a bundle, notifications.

Covers: K1, K2, E5
"""

from __future__ import annotations

import json
import re
import sys
import zipfile
from pathlib import Path

import pytest

from sparing.cli.run.notify import desktop, notify
from sparing.config.notify import NotifySettings
from tests.conftest import UserRepository
from tests.guard import Guard
from tests.repositories import make_repository
from tests.terminal import sparing
from tests.typed import Typed

FILES = {"Makefile": "setup:\n\ttrue\ntest:\n\ttrue\n", "CLAUDE.md": "Be brief.\n"}


def test_init_shows_and_writes_only_after_a_yes(tmp_path: Path, guard: Guard) -> None:
    path = make_repository(tmp_path / "sample", FILES)
    asked = sparing(path, "init")
    assert asked.code == 2
    assert "make setup (Makefile)" in asked.out
    assert not (path / "sparing.toml").exists()
    said = sparing(path, "init", "--yes", "--json").json
    assert (said["rules"], said["setup"]) == (["CLAUDE.md"], ["make setup"])
    assert (said["set_up"], said["written"]) == (True, "sparing.toml")
    text = (path / "sparing.toml").read_text()
    assert 'base_branch = "main"\nsetup = ["make setup"]\n' in text
    guard.watch(path)
    again = sparing(path, "init", "--yes")
    assert again.code == 0
    assert "already has settings" in again.err


def test_a_look_ahead_starts_nothing(user_repository: UserRepository) -> None:
    """E5: stages, the first prompt, a forecast and the cap; no agent has to be set up."""
    path = user_repository({"AGENTS.md": "Use tabs.\n"})
    sparing(path, "start", "Add rate limiting", "--tier", "L2", "--json")
    ahead = sparing(path, "run", "1", "--dry-run", "--json").json["features"][0]
    assert ahead["stages"] == ["brainstorm", "plan", "implement", "verify", "done"]
    forecast = ahead["forecast"]
    assert forecast["low_usd"] < forecast["median_usd"] < forecast["high_usd"]
    assert forecast["origin"] == "estimated"
    assert ahead["cap"] == "$40.00 or 60.00M tokens"
    assert sum(block.count("Use tabs.") for block in ahead["first_prompt"]) == 1
    shown = sparing(path, "run", "1", "--dry-run")
    assert "nothing was started" in shown.out
    assert sparing(path, "status", "--json").json["features"][0]["status"] == "planned"


def test_the_status_of_one_feature_is_what_show_says(user_repository: UserRepository) -> None:
    """K1: a number after `status` is no mistake."""
    path = user_repository()
    sparing(path, "start", "Add rate limiting", "--tier", "L2", "--json")
    assert sparing(path, "status", "1").out == sparing(path, "show", "1").out
    assert sparing(path, "status", "1", "--json").json == sparing(path, "show", "1", "--json").json
    unknown = sparing(path, "status", "7")
    assert (unknown.code, "no feature '7'" in unknown.err) == (1, True)


def test_what_has_not_begun_is_not_under_way(user_repository: UserRepository) -> None:
    """K8: "under way" above "not started" contradicts itself."""
    path = user_repository()
    for title in ("Add rate limiting", "Add paging"):
        sparing(path, "start", title, "--tier", "L1", "--json")
    script = path.parent / "script.toml"
    script.write_text('[[turn]]\nrole = "*"\nreply = "Done."\n')
    agent = {"SPARING_AGENT__BACKEND": "scripted", "SPARING_AGENT__SCRIPT": str(script)}
    sparing(path, "run", "1", "--no-input", environ=agent)
    shown = sparing(path, "status").out
    assert "under way" not in shown
    assert "\nnot started\n002  Add paging\n" in shown


@pytest.mark.parametrize("columns", [60, 100, 160])
def test_lines_are_broken_between_words(user_repository: UserRepository, columns: int) -> None:
    """K1: on any screen; what can be copied is left to the terminal, which joins it again."""
    path = user_repository()
    typed = Typed(path, "doctor", environ={"COLUMNS": str(columns)}, keep_colours=True)
    typed.end()
    lines = [line for line in typed.screen.splitlines() if "\x1b[36m" not in line]
    plain = [re.sub(r"\x1b\[[0-9;]*m", "", line) for line in lines]
    words = [line for line in plain if max(map(len, line.split()), default=0) < columns // 2]
    long = [line for line in words if len(line) > columns]
    assert long == []
    assert any("sandbox" in line for line in plain)


def test_a_bundle_holds_nothing_private(user_repository: UserRepository, tmp_path: Path) -> None:
    path = user_repository()
    title, words = "Secret squirrel plan", "tell nobody of Redis"
    sparing(path, "start", title, "--json", environ={"SPARING_AGENT__SCRIPT": "/private/x.toml"})
    sparing(path, "say", "1", words)
    target = tmp_path / "bundle.zip"
    assert sparing(path, "diagnose", "--to", str(target)).code == 0
    with zipfile.ZipFile(target) as archive:
        texts = {name: archive.read(name).decode() for name in archive.namelist()}
    assert json.loads(texts["features.json"])[0]["status"] == "planned"
    everything = "".join(texts.values())
    for private in (title, "squirrel", words, "/private", str(path), str(Path.home())):
        assert private not in everything
    again = sparing(path, "diagnose", "--to", str(target))
    assert (again.code, len(again.complaint)) == (64, 2)


def test_no_color(user_repository: UserRepository) -> None:
    """K1: not even on a terminal."""
    path = user_repository()
    sparing(path, "start", "Add rate limiting", "--json")
    plain = Typed(path, environ={"NO_COLOR": "1"}, keep_colours=True)
    bright = Typed(path, keep_colours=True)
    assert (plain.end(), bright.end()) == (0, 0)
    assert "\x1b[" not in plain.screen
    assert "\x1b[" in bright.screen


def test_a_command_of_the_users_own_is_told(tmp_path: Path) -> None:
    script = tmp_path / "tell.py"
    script.write_text("import sys\nopen(sys.argv[1], 'w').write('|'.join(sys.argv[2:]))\n")
    command = f"{sys.executable} {script} {tmp_path / 'told'}"
    notify(NotifySettings(ways=(), command=command), "sparing: 001", "plan waits; $HOME `x`")
    assert (tmp_path / "told").read_text() == "sparing: 001|plan waits; $HOME `x`"


@pytest.mark.parametrize("command", ["/no/such/program", "unclosed '", "false"])
def test_a_message_that_can_not_be_shown_is_no_failure(command: str) -> None:
    notify(NotifySettings(command=command), "title", "text")


@pytest.mark.parametrize("name", ["notify-send", "osascript"])
def test_what_shows_a_message(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, name: str) -> None:
    (tmp_path / name).write_text("#!/bin/sh\n")
    (tmp_path / name).chmod(0o755)
    monkeypatch.setenv("PATH", str(tmp_path))
    assert desktop("title", "-text")[0] == name
    assert desktop("title", "-text")[-2:] == ("title", "-text")
