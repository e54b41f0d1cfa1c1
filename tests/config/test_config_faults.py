"""A wrong file or variable is two lines: what is wrong, what repairs it. Never a traceback.

Covers: K1
"""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from sparing.config.load import load
from sparing.config.sources import SettingsFile, Sources, read_sources
from sparing.errors import ConfigError

USER = Path("/u/config.toml")
HOME = {"HOME": "/h"}
LIST = '"sparing config show" lists all settings'
STAGES = (
    "default, brainstorm, specify, design, create-plan, create-tasks, implement, finish, "
    "design_review, plan, code_review, verify, done, decompose"
)


def two_lines(act: Callable[[], object]) -> tuple[str, str]:
    with pytest.raises(ConfigError) as caught:
        act()
    lines = caught.value.what, caught.value.repair
    assert all(line and line.isprintable() for line in lines)
    return lines


WRONG_FILES = [
    # unknown names
    ("review.capp = 3", "there is no setting review.capp", f"did you mean review.cap? {LIST}"),
    ("reveiw.cap = 3", "there is no setting reveiw.cap", f"did you mean review.cap? {LIST}"),
    ("agent.cap = 3", "there is no setting agent.cap", f"did you mean review.cap? {LIST}"),
    ("cap = 3", "there is no setting cap", f"did you mean review.cap? {LIST}"),
    ("[colours]", "there is no setting colours", LIST),
    ("[colours]\nsky = 1", "there is no setting colours.sky", LIST),
    ('"review.cap" = 3', 'there is no setting "review.cap"', f"did you mean review.cap? {LIST}"),
    ('review."x\\ny z" = 3', 'there is no setting review."x\\ny z"', LIST),
    ('"\\u202e" = 3', 'there is no setting "\\u202e"', LIST),
    # wrong forms and values
    (
        "review = 3",
        "review = 3 is not a table",
        "write [review] on its own line and the settings below it",
    ),
    (
        "review.cap = 99",
        "review.cap = 99 is not a whole number from 1 to 10",
        "correct it, or remove it to get 3",
    ),
    (
        "review.cap = true",
        "review.cap = true is not a whole number from 1 to 10",
        "correct it, or remove it to get 3",
    ),
    (
        "review.cap = 2.0",
        "review.cap = 2.0 is not a whole number from 1 to 10",
        "correct it, or remove it to get 3",
    ),
    (
        "review.cap = 0x" + "f" * 5000,
        "review.cap = a huge number is not a whole number from 1 to 10",
        "correct it, or remove it to get 3",
    ),
    (
        "[review.cap]\nx = 1",
        "review.cap = {…} is not a whole number from 1 to 10",
        "correct it, or remove it to get 3",
    ),
    (
        'review.policy = "cheap\\u001b[31m"',
        'review.policy = "cheap\\x1b[31m" is not one of adaptive, seed, fresh, naive',
        'correct it, or remove it to get "adaptive"',
    ),
    (
        "engine.poll_seconds = 0",
        "engine.poll_seconds = 0 is not a number of seconds above 0 and up to 3600",
        "correct it, or remove it to get 0.1",
    ),
    (
        "engine.poll_seconds = nan",
        "engine.poll_seconds = nan is not a number of seconds above 0 and up to 3600",
        "correct it, or remove it to get 0.1",
    ),
    (
        "engine.poll_seconds = true",
        "engine.poll_seconds = true is not a number of seconds above 0 and up to 3600",
        "correct it, or remove it to get 0.1",
    ),
    (
        "caps.feature_usd = 0",
        "caps.feature_usd = 0 is not an amount of US dollars above 0 and up to 1000000",
        "correct it, or remove it to get 40.0",
    ),
    (
        'models.prices = ["my-model 3 15"]',
        'models.prices = ["my-model 3 15"] is not a list of lines such as '
        '"my-model 3 15 0.30 3.75 6"',
        "correct it, or remove it to get []",
    ),
    (
        'flow.gates = ["plan", "implemnt"]',
        f'flow.gates = ["plan", "implemnt"] is not a list of {STAGES}',
        'correct it, or remove it to get ["default"]',
    ),
    (
        'flow.gates = "plan"',
        f'flow.gates = "plan" is not a list of {STAGES}',
        'correct it, or remove it to get ["default"]',
    ),
    (
        'flow.gates = [["plan"], {}, 1]',
        f"flow.gates = [[…], {{…}}, 1] is not a list of {STAGES}",
        'correct it, or remove it to get ["default"]',
    ),
    (
        'state.folder = "state"',
        'state.folder = "state" is not an absolute path, or one that starts with ~/',
        'correct it, or remove it to get ""',
    ),
    (
        f'models.cheap = "{"x" * 300}"',
        f"models.cheap = \"{'x' * 78}… is not a model's name",
        'correct it, or remove it to get "claude-haiku-4-5"',
    ),
    *(
        (
            f'workspace.copy = ["{pattern}"]',
            f'workspace.copy = ["{pattern}"] is not a list of file patterns inside the repository, '
            "such as .env or **/.env",
            "correct it, or remove it to get []",
        )
        for pattern in ("**.env", "config/**.local", "a**/b", "***", "/etc/hosts", "../.env")
    ),
    (
        "models.cheap = 1979-05-27",
        "models.cheap = 1979-05-27 is not a model's name",
        'correct it, or remove it to get "claude-haiku-4-5"',
    ),
]


@pytest.mark.parametrize(("text", "what", "repair"), WRONG_FILES)
def test_a_wrong_setting_in_a_file(text: str, what: str, repair: str) -> None:
    found = Sources(user=SettingsFile(USER, text), environ=HOME)
    assert two_lines(lambda: load(found, {})) == (f"user file {USER}: {what}", repair)


BROKEN_FILES = [
    ("[review]\ncap = \n", ", line 2: not TOML: Invalid value", "correct line 2 of that file"),
    ("a = 1\nb", ", line 2: not TOML: Expected '=' after a key in a key/value pair", "line 2"),
    ("review.cap = 1\nreview.cap = 2", ", line 2: not TOML: Cannot overwrite a value", "line 2"),
    ("\n\n<<<<<<< HEAD\n", ", line 3: not TOML: Invalid statement", "correct line 3"),
    ("\n" + "a." * 30_000 + "a = 1", ", line 2: more than 250 dots on a line", "correct line 2"),
    ("a = " + "[" * 9000, " can't be read as a settings file: nested too deeply", "replace it"),
    ("a = " + "9" * 9000, " can't be read as a settings file: a number with too", "replace it"),
    ("#" * 70_000, " can't be read as a settings file: more than 64 KiB", "replace it"),
]


@pytest.mark.parametrize(("text", "what", "repair"), BROKEN_FILES)
def test_a_file_that_is_no_toml(text: str, what: str, repair: str) -> None:
    found = Sources(user=SettingsFile(USER, text), environ=HOME)
    lines = two_lines(lambda: load(found, {}))
    assert lines[0].startswith(f"{USER}{what}")
    assert repair in lines[1]


WRONG_VARIABLES = [
    (
        {"SPARING_REVIEW__CAP": "many"},
        'environment SPARING_REVIEW__CAP: review.cap = "many" is not a whole number from 1 to 10',
        "correct it, or remove it to get 3",
    ),
    (
        {"SPARING_REVIEW__CAP": "٣"},
        'environment SPARING_REVIEW__CAP: review.cap = "٣" is not a whole number from 1 to 10',
        "correct it, or remove it to get 3",
    ),
    (
        {"SPARING_ENGINE__POLL_SECONDS": "inf"},
        'environment SPARING_ENGINE__POLL_SECONDS: engine.poll_seconds = "inf" '
        "is not a number of seconds above 0 and up to 3600",
        "correct it, or remove it to get 0.1",
    ),
    (
        {"SPARING_STATE__FOLDER": "/\udcff"},
        'environment SPARING_STATE__FOLDER: state.folder = "/\\udcff" '
        "is not an absolute path, or one that starts with ~/",
        'correct it, or remove it to get ""',
    ),
    (
        {"SPARING_REVIEW__CAPS": "3"},
        "environment SPARING_REVIEW__CAPS: there is no setting of that name",
        f"did you mean SPARING_REVIEW__CAP? {LIST}",
    ),
    (
        {"SPARING_STATE__DATABASE": "postgresql://ada:hunter2@db/x"},
        'environment SPARING_STATE__DATABASE: state.database = "postgresql://ada:…@db/x" is not '
        "the address of a Postgres database, postgresql://user@host/name, without the password: "
        "put that into ~/.pgpass",
        'correct it, or remove it to get ""',
    ),
    (
        {"SPARING_REVIEW_CAP": "3"},
        "environment SPARING_REVIEW_CAP: there is no setting of that name",
        f"did you mean SPARING_REVIEW__CAP? {LIST}",
    ),
    (
        {"SPARING_review__cap": "3"},
        "environment SPARING_review__cap: there is no setting of that name",
        f"did you mean SPARING_REVIEW__CAP? {LIST}",
    ),
    (
        {"SPARING_COLOURS__SKY": "3"},
        "environment SPARING_COLOURS__SKY: there is no setting of that name",
        LIST,
    ),
]


@pytest.mark.parametrize(("environ", "what", "repair"), WRONG_VARIABLES)
def test_a_wrong_variable(environ: dict[str, str], what: str, repair: str) -> None:
    assert two_lines(lambda: load(Sources(environ=HOME | environ), {})) == (what, repair)


WRONG_FLAGS: list[tuple[dict[str, object], str, str]] = [
    ({"review.capp": 1}, "flag: there is no setting review.capp", "did you mean review.cap? "),
    ({"review.cap": 0}, "flag: review.cap = 0 is not a whole number from 1 to 10", "correct it"),
    ({"review.cap": "0"}, 'flag: review.cap = "0" is not a whole number from 1 to 10', "correct"),
    ({"a\nb": 1}, "flag: there is no setting a\\nb", LIST),
]


@pytest.mark.parametrize(("flags", "what", "repair"), WRONG_FLAGS)
def test_a_wrong_flag(flags: dict[str, object], what: str, repair: str) -> None:
    lines = two_lines(lambda: load(Sources(environ=HOME), flags))
    assert lines[0] == what
    assert lines[1].startswith(repair)


def test_two_project_files() -> None:
    files = (
        SettingsFile(Path("/r/sparing.toml"), ""),
        SettingsFile(Path("/r/pyproject.toml"), "[tool.sparing]"),
    )
    assert two_lines(lambda: load(Sources(project=files, environ=HOME), {})) == (
        "both /r/sparing.toml and [tool.sparing] in /r/pyproject.toml have settings",
        "move them into one of the two",
    )


@pytest.mark.parametrize("table", ["tool.sparing", "tool.sparing.review"])
def test_our_part_of_pyproject_is_a_table(table: str) -> None:
    file = SettingsFile(Path("/r/pyproject.toml"), f"{table} = 3")
    assert two_lines(lambda: load(Sources(project=(file,), environ=HOME), {})) == (
        f"project file /r/pyproject.toml: {table} = 3 is not a table",
        f"write [{table}] on its own line and the settings below it",
    )


@pytest.mark.parametrize("environ", [{}, {"HOME": ""}, {"HOME": "relative"}])
def test_no_home(environ: dict[str, str]) -> None:
    assert read_sources(environ, None).user is None
    assert two_lines(lambda: load(Sources(environ=environ), {})) == (
        "HOME is not an absolute path, so there is no default folder for state",
        "set HOME, or SPARING_STATE__FOLDER to an absolute path",
    )


@pytest.mark.parametrize("place", ["10.0.0.1:5432", "db.example:5432", "127.0.0.1:65536"])
def test_a_server_elsewhere_is_lent_to_nobody(place: str) -> None:
    """H4: checks may reach servers of this machine alone, at a port that there is."""
    file = SettingsFile(USER, f'workspace.services = ["{place}"]')
    said = two_lines(lambda: load(Sources(user=file, environ=HOME), {}))
    assert "a list of servers on this machine" in said[0]
