"""Lines on a narrow terminal break between words, and a command is never broken.

Covers: K1
"""

from __future__ import annotations

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sparing.cli.line_breaks import filled, folded

COMMAND = "\x1b[36msparing run 001 --backend claude-double\x1b[0m"


def test_a_command_stands_on_a_line_of_its_own() -> None:
    line = f"  agent     or try it here for free, with a stand-in for the model: {COMMAND}"
    assert folded(line, 60).split("\n") == [
        "  agent     or try it here for free, with a stand-in for the",
        "            model:",
        f"            {COMMAND}",
    ]


def test_a_command_that_fits_nowhere_is_left_to_the_terminal() -> None:
    """K8: on a line of its own, which the terminal joins again when it is copied."""
    assert folded(f"  {COMMAND}", 38) == f"  {COMMAND}"
    assert folded(f"            or for free: {COMMAND} --yes", 40).split("\n") == [
        "            or for free:",
        f"    {COMMAND} --yes",
    ]


@pytest.mark.parametrize(
    ("line", "columns", "lines"),
    [
        (
            "fix: sparing config set --project workspace.base_branch develop",
            60,
            ["fix:", "sparing config set --project workspace.base_branch develop"],
        ),
        (
            "✓ settings     0 set, the rest by default (sparing config show)",
            60,
            ["✓ settings     0 set, the rest by default", " " * 15 + "(sparing config show)"],
        ),
        (
            "            or CLAUDE_CODE_OAUTH_TOKEN, from `claude setup-token`",
            60,
            ["            or CLAUDE_CODE_OAUTH_TOKEN, from", "            `claude setup-token`"],
        ),
        (
            "stopped; nothing is lost: sparing run continues from here",
            40,
            ["stopped; nothing is lost: sparing run", "continues from here"],
        ),
        (
            "fix: it has 600 s; more: sparing config set workspace.setup_seconds 1200; then: x",
            60,
            [
                "fix: it has 600 s; more:",
                "sparing config set workspace.setup_seconds 1200; then: x",
            ],
        ),
    ],
)
def test_a_command_within_words_stays_whole(line: str, columns: int, lines: list[str]) -> None:
    """K8: half a command would run when it is pasted."""
    assert folded(line, columns).split("\n") == lines


def test_filled_text_breaks_no_command_and_no_size() -> None:
    """K1, K8: what the gate says is broken like every other line."""
    text = "summary.md, 28 lines; against main: 2 files changed, +9 -0"
    assert filled(text, 58, "  ").splitlines()[-1].strip() == "+9 -0"
    hint = "the branch has moved; to bring it in: sparing sync 001 --dry-run"
    assert filled(hint, 58, "  ").splitlines()[-1].strip() == "sparing sync 001 --dry-run"


def test_a_hint_in_words_breaks_between_words() -> None:
    """K1: only what is a command from its first word on is left to the terminal."""
    hint = "set ANTHROPIC_API_KEY; or CLAUDE_CODE_OAUTH_TOKEN, from `claude setup-token`"
    assert folded(f"      \x1b[36m{hint}\x1b[0m", 60).split("\n") == [
        "      \x1b[36mset ANTHROPIC_API_KEY; or CLAUDE_CODE_OAUTH_TOKEN,",
        "      from `claude setup-token`\x1b[0m",
    ]


def test_a_size_stays_whole() -> None:
    """K1: lines added and removed are one figure."""
    line = "    docs/features/001-list-the-most-frequent/words.md +9 -0"
    assert folded(line, 57).splitlines()[-1].strip() == "+9 -0"


def test_words_stay_under_a_mark_and_its_label() -> None:
    line = "✓ settings     0 set, the rest by default (sparing config show), as ever"
    assert folded(line, 60).split("\n") == [
        "✓ settings     0 set, the rest by default",
        "               (sparing config show), as ever",
    ]


def test_a_figure_comes_closer_to_its_label() -> None:
    """K1: at 60 columns the bill showed `s` and `imulated` on two lines."""
    wide = "this run" + " " * 43 + "$0.059  simulated, 6 % more"
    assert folded(wide, 60) == "this run" + " " * 25 + "$0.059  simulated, 6 % more"
    label = "lean naive on the same client, 5.4k base"
    assert folded(f"{label}           $0.055  simulated", 60) == f"{label}   $0.055  simulated"


@given(st.lists(st.text("abcdefgh-", min_size=1, max_size=12), min_size=1), st.integers(40, 120))
def test_no_word_is_lost_or_broken(words: list[str], columns: int) -> None:
    lines = folded("  " + " ".join(words), columns).split("\n")
    assert re.split(r"\s+", " ".join(lines).strip()) == words
    assert all(len(line) <= columns for line in lines)


def test_words_beside_a_command_break_below_themselves() -> None:
    """K1: at 60 columns a hint of `sparing` ended in `wit` and `hout this one`."""
    line = (
        "     \x1b[36msparing skip 001   \x1b[0m   continue with the next stage, without this one"
    )
    assert folded(line, 60).split("\n") == [
        "     \x1b[36msparing skip 001   \x1b[0m   continue with the next stage,",
        "                           without this one",
    ]
    assert folded(line, 44).split("\n") == [
        "     \x1b[36msparing skip 001   \x1b[0m",
        "       continue with the next stage, without",
        "       this one",
    ]
