"""A script is written by a person: whatever is wrong with it is said in two lines.

Covers: K1
"""

from __future__ import annotations

import os
from collections.abc import Callable
from importlib.resources import files
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from sparing.agents.scripted.script import (
    DOTS_LIMIT,
    SIZE_LIMIT,
    Edit,
    Script,
    ScriptedTurn,
    read_script,
)
from sparing.errors import ScriptError
from sparing.failure import Failure

AGAIN = "then run the same command again"
OTHER = "name another one: SPARING_AGENT__SCRIPT=PATH"


def complaint(path: Path) -> tuple[str, str]:
    with pytest.raises(ScriptError) as caught:
        read_script(path)
    assert len(str(caught.value).splitlines()) == 2
    return caught.value.what, caught.value.repair


@pytest.fixture
def script(tmp_path: Path) -> Path:
    return tmp_path / "script.toml"


def test_a_script(script: Path) -> None:
    script.write_text(
        'base_tokens = 100\n[[turn]]\nrole = "spec-author"\nfail = "quota"\nread = ["a", "b"]\n'
        '[[turn.edit]]\npath = "x"\ntext = "y"\n'
    )
    turn = ScriptedTurn(
        role="spec-author", fail=Failure.QUOTA, read=("a", "b"), edit=(Edit(path="x", text="y"),)
    )
    assert read_script(script) == Script(base_tokens=100, turn=(turn,))


def test_an_empty_script_has_no_turns(script: Path) -> None:
    script.write_text("")
    assert read_script(script) == Script()


def test_a_script_saved_with_a_byte_order_mark(script: Path) -> None:
    script.write_text("base_tokens = 7", "utf-8-sig")
    assert read_script(script).base_tokens == 7


def test_the_demos_own_script() -> None:
    """It stays far below the limits."""
    sample = Path(str(files("sparing.cli") / "sample" / "script.toml"))
    assert len(read_script(sample).turn) > 10
    assert sample.stat().st_size < SIZE_LIMIT / 10


WRONG = {
    "unknown key": ("[[turn]]\nrolle = 'x'", "is wrong at turn.0.rolle: Extra inputs are not"),
    "unknown table": ("[[turns]]\nrole = 'x'", "is wrong at turns: Extra inputs are not"),
    "unknown failure": ("[[turn]]\nfail = 'tired'", "is wrong at turn.0.fail: Input should be"),
    "wrong type": ("[[turn]]\niteration = 'one'", "is wrong at turn.0.iteration: Input should be"),
    "too slow": ("[[turn]]\ndelay_seconds = 1e9", "is wrong at turn.0.delay_seconds: Input should"),
    "not a number": ("[[turn]]\ndelay_seconds = nan", "is wrong at turn.0.delay_seconds: Input"),
    "no path": ("[[turn]]\n[[turn.edit]]\ntext = ''", "is wrong at turn.0.edit.0.path: Field req"),
    "negative": ("base_tokens = -1", "is wrong at base_tokens: Input should be greater"),
    "bad TOML": ("[[turn]\n", "is not TOML: "),
    "half a string": ('reply = "', "is not TOML: "),
    "twice": ("base_tokens = 1\nbase_tokens = 2", "is not TOML: Cannot overwrite a value"),
    "line break in a key": ('"a\\nb\\u001b[2J" = 1', "is wrong at a\ufffdb\ufffd[2J: Extra"),
    "a huge number": ("base_tokens = " + "9" * 10_000, "is not TOML: Exceeds the limit"),
}


@pytest.mark.parametrize("name", WRONG)
def test_a_mistake_in_a_script(script: Path, name: str) -> None:
    """K1: where it is, and what it is."""
    text, expected = WRONG[name]
    script.write_text(text)
    what, repair = complaint(script)
    assert what.startswith(f"the script {script} {expected}")
    assert repair == f"correct {script}, {AGAIN}"


def test_bytes_that_are_no_text(script: Path) -> None:
    """K1"""
    script.write_bytes(b'reply = "\xff"')
    assert complaint(script)[0].startswith(f"the script {script} is not TOML: 'utf-8' codec")


UNREADABLE: dict[str, tuple[Callable[[Path], object], str]] = {
    "missing": (lambda path: None, "No such file or directory"),
    "a folder": (lambda path: path.mkdir(), "it is not a file"),
    "a pipe": (os.mkfifo, "it is not a file"),
    "a link to itself": (lambda path: path.symlink_to(path), "Too many levels of symbolic links"),
    "10 MB": (lambda path: path.write_bytes(b"#" * 10**7), "it has more than 512 KiB"),
}


@pytest.mark.parametrize("name", UNREADABLE)
def test_a_script_that_can_not_be_read(script: Path, name: str) -> None:
    """K1"""
    make, why = UNREADABLE[name]
    make(script)
    assert complaint(script) == (f"the script {script} can't be read: {why}", OTHER)


PARTS = ".".join("a" * (DOTS_LIMIT + 2))
BOMBS = {
    "deeply nested arrays": "x = " + "[" * 100_000,
    "deeply nested tables": "x = " + "{a=" * 50_000,
    "a dotted key": f"{PARTS} = 1",
    "a dotted table": f"base_tokens = 1\n[{PARTS}]",
    "a quoted dotted key": '"a"' + '."a"' * 60_000 + " = 1",
    "dotted keys line by line": f"{PARTS} = 1\n" * 2000,
}


@pytest.mark.parametrize("name", BOMBS)
def test_a_script_that_would_fill_the_memory(script: Path, name: str) -> None:
    """K1: refused at once, whatever its parser would have made of it."""
    script.write_text(BOMBS[name])
    what, repair = complaint(script)
    assert "nested too deeply" in what or f"more than {DOTS_LIMIT} dots on line" in what
    assert repair == f"correct {script}, {AGAIN}"


def test_the_largest_script_is_still_read_soon(script: Path) -> None:
    """As many dotted keys as the limits allow."""
    parts = ".".join("a" * DOTS_LIMIT)
    line = f"k%d.{parts[2:]} = 1\n"
    script.write_text("".join(line % number for number in range(SIZE_LIMIT // 220)))
    assert complaint(script)[0].endswith("Extra inputs are not permitted")


@settings(deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(text=st.one_of(st.text(), st.text("[]{}=\"'.#\\\n abc1", max_size=60)))
def test_whatever_stands_there_is_a_script_or_two_lines(script: Path, text: str) -> None:
    """K1"""
    script.write_bytes(text.encode("utf-8", "surrogatepass"))
    said = ""
    try:
        read_script(script)
    except ScriptError as error:
        said = str(error)
    assert len(said.splitlines()) in (0, 2)
