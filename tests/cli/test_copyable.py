"""What a reader can copy from the README and from docs/ works when it is typed.

Covers: K1, K4
"""

from __future__ import annotations

import importlib.util
import re
import shlex
import tomllib
from pathlib import Path
from typing import Any

import click
import pytest

from sparing.cli.main import COMMANDS, app
from sparing.config.load import load
from sparing.config.sources import SettingsFile, Sources
from tests.cli.hint_states import World
from tests.cli.person import Person
from tests.cli.test_hint_states import settle
from tests.copyable import ROOT, Line, in_workflows, inline, inline_other, lines, settings_blocks
from tests.repositories import write_files

KNOWN = tomllib.loads(Path(__file__).with_name("copyable.toml").read_text("utf-8"))
RUN: list[dict[str, Any]] = KNOWN["run"]
REASONS: dict[str, list[str]] = KNOWN["reasons"]
CONFIG_SET = "sparing config set "


@pytest.mark.parametrize("case", RUN, ids=lambda one: one["line"])
def test_a_line_of_the_docs_does_what_it_says(
    case: dict[str, Any], tmp_path: Path, person: Person
) -> None:
    """K4: typed as it stands, in a state in which a reader would type it."""
    if case["world"] == "project":
        where = settle(World.EMPTY, tmp_path, person)
        assert person.types('project new "Payments for clerks"').code in (0, 2)
    else:
        where = settle(World(case["world"]), tmp_path, person)
    write_files(where, case.get("files", {}))
    said = person.types(case["line"].removeprefix("sparing"))
    assert said.code in case.get("code", [0]), said
    assert case.get("shows", "") in said.out + said.err
    assert "Traceback" not in said.err


def test_every_line_is_run_or_has_a_reason() -> None:
    """K4: whoever writes a line that can be copied adds it here."""
    named = [*(one["line"] for one in RUN), *(one for some in REASONS.values() for one in some)]
    assert sorted({line.words for line in lines()}) == sorted(named)


def test_a_test_that_a_reason_names_exists() -> None:
    """K4: whoever moves it says so here."""
    named = {path for reason in REASONS for path in re.findall(r"tests/[\w/.]+", reason)}
    assert named
    assert [path for path in sorted(named) if not (ROOT / path).exists()] == []


def test_targets_and_modules_that_are_named_exist() -> None:
    """K4: in blocks and in running text."""
    targets = set(re.findall(r"^([\w-]+):", (ROOT / "Makefile").read_text("utf-8"), re.MULTILINE))
    for words in (line.words.split() for line in (*lines(), *inline_other())):
        if words[0] == "make":
            assert {one for one in words[1:] if re.fullmatch(r"[a-z-]+", one)} <= targets, words
        if words[0].startswith("python"):
            found = importlib.util.find_spec(words[2])
            assert found
            assert found.origin
            folder = Path(found.origin).parent
            source = "".join(one.read_text("utf-8") for one in folder.rglob("*.py"))
            assert [one for one in words if one.startswith("--") and f'"{one}"' not in source] == []


def of_a_command(line: Line) -> bool:
    return len(line.words.split()) > 1


@pytest.mark.parametrize(
    "line",
    [*(one for one in inline() if of_a_command(one)), *in_workflows()],
    ids=lambda one: one.words,
)
def test_a_command_in_running_text_is_understood(line: Line) -> None:
    """K4: its name, its options, how many arguments it takes, and a value where only some are."""
    words = shlex.split(line.words.partition(" >")[0])
    if "=" in words[0]:
        name, _, value = words.pop(0).partition("=")
        load(Sources(environ={"HOME": "/h", name: value}), {})  # refuses what is no setting
    words.remove("sparing")
    assert words[0] in COMMANDS, line
    context = click.Context(app)
    command = app.get_command(context, words.pop(0))
    if isinstance(command, click.Group):
        command = command.get_command(context, words.pop(0))
    assert command is not None, line
    if words and words != ["--help"]:
        command.make_context(command.name, words)


@pytest.mark.parametrize(
    "words", sorted({one.words for one in (*inline(), *lines()) if CONFIG_SET in one.words})
)
def test_a_setting_that_is_to_be_set_can_be_set(words: str, tmp_path: Path, person: Person) -> None:
    """K4: its key is one, and its value is accepted."""
    settle(World.EMPTY, tmp_path, person)
    said = person.types(words.removeprefix("sparing"))
    assert (said.code, said.err) == (0, "")


@pytest.mark.parametrize("block", settings_blocks(), ids=lambda one: f"{one.page}: {one.words}")
def test_a_block_of_settings_can_be_copied(block: Line) -> None:
    """K4: into the settings file of a user, where every setting may stand."""
    user = SettingsFile(Path("/u.toml"), block.words)
    assert load(Sources(user=user, environ={"HOME": "/h"}), {}).values
