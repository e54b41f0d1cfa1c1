"""Main screens at 60, 100 and 160 columns, on a real terminal. Covers: K1, K8."""

from __future__ import annotations

import re
from collections.abc import Mapping
from pathlib import Path

import pytest

from tests.terminal import sparing
from tests.typed import Typed

WIDTHS = (60, 100, 160)
UNFOLDED = 400
"""Wide enough for every table; prose is never wider than what can be read."""
SCREENS = (
    "status",
    "list",
    "show 1",
    "show 1 checks",
    "show reviews 1",
    "cost",
    "cost 1",
    "report 1",
    "doctor",
    "config show",
    'start "Add rate limiting to the public API" --tier L3 --dry-run',
    'start "Add rate limiting to the public API" --dry-run',
    "run 2 --dry-run",
    "show 2",
    "show prompt builder --feature 2 --stage plan",
    "tasks 2",
    "refine 2",
    "nonsense",
    "approve 7",
)
PLAYED = """
import sys
from sparing.cli.main import main
import shlex
for words in sys.argv[1:]:
    sys.stdout.write(f"\\n@@ {words}\\n")
    sys.stdout.flush()
    main(shlex.split(words))
    sys.stdout.flush()
    sys.stderr.flush()
"""
COMMAND = re.compile(
    r"(?:.*: )?\W*(?:sparing|git|gh|make|cd|mv|rm|tail|export|pip|npm|python3?|/)\b"
)
"""Left to the terminal, which joins again what it has broken itself."""


@pytest.fixture(scope="module")
def screens(tmp_path_factory: pytest.TempPathFactory) -> Mapping[int, Mapping[str, str]]:
    """By width and command; of a finished feature, and of one that has not begun."""
    folder = tmp_path_factory.mktemp("widths")
    environ = {"SPARING_STATE__FOLDER": str(folder / "state"), "HOME": str(folder)}
    made = sparing(folder, "demo", "--keep", "kept", "--tier", "L1", environ=environ)
    assert made.code == 0, made.err
    where = folder / "kept" / "wordtally"
    environ |= {"SPARING_AGENT__BACKEND": "scripted"}
    environ |= {"SPARING_AGENT__SCRIPT": str(folder / "kept" / "script.toml")}
    words = ("start", "Count lines and bytes as wc does", "--tier", "L2")
    assert sparing(where, *words, environ=environ).code in (0, 2)
    return {width: shown(where, width, environ) for width in (*WIDTHS, UNFOLDED)}


def shown(where: Path, width: int, environ: Mapping[str, str]) -> Mapping[str, str]:
    at = Typed(where, *SCREENS, environ=environ, columns=width, program=("-c", PLAYED))
    at.end()
    parts = re.split(r"^@@ (.*)\n", at.screen, flags=re.MULTILINE)[1:]
    return dict(zip(parts[::2], parts[1::2], strict=True))


@pytest.mark.parametrize("screen", SCREENS)
@pytest.mark.parametrize("width", WIDTHS)
def test_no_line_is_too_long_and_no_word_is_broken(
    screens: Mapping[int, Mapping[str, str]], width: int, screen: str
) -> None:
    """K1: a line that is longer is a command or one long word; all words are whole."""
    text = screens[width][screen]
    assert text.strip()
    assert "Traceback" not in text
    assert [
        line for line in text.splitlines() if len(line) > width and breakable(line, width)
    ] == []
    assert words_of(text) <= words_of(screens[UNFOLDED][screen])


@pytest.mark.parametrize("screen", SCREENS)
def test_a_wide_screen_is_used(screens: Mapping[int, Mapping[str, str]], screen: str) -> None:
    """K1: what is longer than 100 columns unfolded does not stop at 78 on a wide screen."""
    if longest(screens[UNFOLDED][screen]) > 100:
        assert longest(screens[160][screen]) > 90


def longest(text: str) -> int:
    return max(map(len, text.splitlines()), default=0)


def breakable(line: str, width: int) -> bool:
    """Not if a path or a name takes half of the screen: it may stand behind a label."""
    return not COMMAND.match(line) and max(map(len, line.split())) <= width // 2


def words_of(text: str) -> set[str]:
    """Without rules of tables and figures, which a clock or a narrower table may change."""
    found = {one.rstrip("…") for one in re.findall(r"[^\s│|-]+", text)}
    return {one for one in found if re.search(r"[^\W\d]", one)}
