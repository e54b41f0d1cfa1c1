"""H10, K1: no command lets foreign text act on the terminal it is shown on.

One feature is brought to its end by agents that put control sequences wherever words of theirs are
shown; then every command that shows something is run over it.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path
from typing import NamedTuple

import pytest

from sparing.printable import printable
from tests.repositories import make_repository
from tests.terminal import Said, sparing
from tests.typed import Typed

SEQUENCES = (
    *("\x1b]52;c;ZXZpbA==\x07", "\x1b[2J", "\x1b[8m", "\x9b31m", "\x90q", "\u202e", "\u2066"),
    *("\u200b", "\rgone", "[red]x[/red]", "\x1b[1A", "\x1b[2K", "\x1b[?1049h", "\x1b[?25l"),
    *("\x1b]0;title\x07", "\x1b]8;;http://x\x1b\\here\x1b]8;;\x1b\\", "\x1b[6n", "\x1b[21t"),
    *("\x1b[5n", "\x1bc", "\x1b7\x1b8", "\x1bP$q\x1b\\", "\x1b_G\x1b\\", "\x1b^x\x1b\\"),
    *("\x1b]1337;File=x\x07", "\x1b]50;f\x07", "\x1b[?2004h", "\x1b#8", "\x1b(0", "\x9d0;t\x9c"),
    *("\x9f", "\x84", "\x08\x08\x08", "\x07", "\x0b", "\x0c", "\x0e", "\x7f", "\u061c", "\u2028"),
    *(
        "\x1b]8;id=a;file:///x\x07x\x1b]8;;\x07",
        "\x1b]52;p;?\x07",
        "\x1bP+q544e\x1b\\",
        "\x1b]10;?\x07",
    ),
    *(
        "\x1b]7;file:///x\x07",
        "\x1b]9;x\x07",
        "\x1b]777;notify;a;b\x07",
        "\x1b]133;A\x07",
        "\x1b[3J",
    ),
    *(
        "\x1b[?1003h",
        "\x1b[5i",
        "\x1b[200~x\x1b[201~",
        "\x1b[!p",
        "\x1b[?7l",
        "\x1b[>c",
        "\x1bM",
        "\x1bZ",
    ),
    *("\x9d52;c;eA==\x9c", "\x98x\x9c", "\x9ex\x9c", "\x85", "\x8d", "\xc2\x9b31m", "\x05", "\x1a"),
    *("\u2067\u2068\u2069", "\u202a\u202c", "\u200e\u200f", "\ufeff", "\u180e", "\u3164", "\u115f"),
    *(
        "\ufff9\ufffb",
        "\u2029",
        "e" + "\u0301" * 20,
        "z" + "\u0489" * 20,
    ),
)
EVIL = "".join(SEQUENCES)
QUIET = "\u202e\u2066\u200b[red]xe" + "\u0301" * 20
"""What a title and a file's name may hold where control characters are refused."""


def toml(text: str) -> str:
    return json.dumps(text)


PLAN = f"# Plan {EVIL}\n\n## Goal\nOne {EVIL}.\n\n## Steps\n1. Do.\n\n## Done When\nIt is.\n"
FINDING = {
    "severity": "blocker",
    "text": f"Too {EVIL}",
    "location": f"a{EVIL}.py:3",
    "suggestion": EVIL,
}
SUMMARY = f"# Summary {EVIL}\n\n## What changed\n" + "Nothing that a person could see. " * 4
BLOCK = "\n\n### HANDOFF\n- **Status**: completed\n"
REPLY = json.dumps({"approved": False, "findings": [FINDING], "summary": EVIL})
SCRIPT = f"""
[[turn]]
role = "*-reviewer"
iteration = 1
reply = {toml(REPLY)}

[[turn]]
role = "*-reviewer"
reply = '{{"approved": true, "findings": [], "summary": "Fine. No external claims."}}'

[[turn]]
role = "builder"
stage = "plan"
reply = {toml(f"The plan {EVIL}{BLOCK}")}
[[turn.edit]]
path = "{{folder}}/plan.md"
text = {toml(PLAN)}

[[turn]]
role = "builder"
stage = "implement"
reply = {toml(f"Done {EVIL}{BLOCK}")}
[[turn.edit]]
path = "greet.txt"
text = {toml(EVIL)}
[[turn.edit]]
path = "{{folder}}/implementation.md"
text = {toml(f"# Implementation {EVIL}")}

[[turn]]
reply = {toml(EVIL + BLOCK)}
[[turn.edit]]
path = "{{folder}}/summary.md"
text = {toml(SUMMARY)}
"""
MAKEFILE = (
    "test:\n\t@printf 'red \\033]52;c;eA==\\007 \\302\\233 \\342\\200\\256 \\rover\\n'; false\n"
)


class Shown(NamedTuple):
    repository: Path
    environ: Mapping[str, str]

    def sparing(self, *words: str) -> Said:
        return sparing(self.repository, *words, environ=self.environ)


def acts(text: str) -> list[str]:
    """What a terminal would act on, apart from line ends."""
    found = [letter for letter in text.replace("\n", "") if printable(letter) != letter]
    return found or [text] * (printable(text) != text)


@pytest.fixture(scope="module")
def shown(tmp_path_factory: pytest.TempPathFactory) -> Shown:
    return make_shown(tmp_path_factory.mktemp("hostile"))


def make_shown(folder: Path) -> Shown:
    repository = make_repository(
        folder / "sample", {"README.md": f"# Sample {EVIL}\n", "Makefile": MAKEFILE}
    )
    (folder / "script.toml").write_text(SCRIPT)
    environ = {
        "SPARING_STATE__FOLDER": str(folder / "state"),
        "SPARING_AGENT__BACKEND": "scripted",
        "SPARING_AGENT__SCRIPT": str(folder / "script.toml"),
        "NO_COLOR": "1",
    }
    found = Shown(repository, environ)
    begun = found.sparing("start", f"Greet {QUIET} by name", "--tier", "L1", "--json")
    assert begun.code == 0, begun.err
    found.sparing("run", "1")
    found.sparing("approve", "1")
    ran = found.sparing("run", "1")
    assert acts(ran.err) == []
    return found


COMMANDS: tuple[tuple[str, ...], ...] = (
    *(("show", "1", name) for name in ("plan", "summary", "checks", "nothing\x1b[2J")),
    *(("show", "1"), ("show", "reviews", "1"), ("show", "prompt", "builder")),
    *((), ("status",), ("list",), ("watch",), ("report", "1"), ("report",), ("cost",)),
    *(("cost", "1"), ("cost", "--csv"), ("cost", "--by", "role"), ("run", "1"), ("rule", "1")),
    *(("answer", "1"), ("trust",), ("doctor",), ("config", "show"), ("init",), ("project",)),
    *(("show", "9\u202e"), ("no\x1b[2Jthing",), ("start", "a\x1b[2J"), ("clean",)),
    *(("run", "--script\x9b"), ("abandon", "1"), ("reject", "1")),
)


@pytest.mark.parametrize(
    "words",
    COMMANDS,
    ids=lambda words: "-".join(words).encode("ascii", "replace").decode() or "alone",
)
def test_no_command_shows_what_a_terminal_acts_on(shown: Shown, words: tuple[str, ...]) -> None:
    """H10, K1: on both streams, whatever the command answers; JSON too."""
    said = shown.sparing(*words)
    assert (acts(said.out), acts(said.err)) == ([], [])
    assert "Traceback" not in said.err


@pytest.mark.parametrize(
    "words", [("show", "1", "plan"), ("show", "1"), ("status",), ("list",), ("report", "1")]
)
def test_json_is_safe_too(shown: Shown, words: tuple[str, ...]) -> None:
    """H10: and it still says what was said, to the letter."""
    said = shown.sparing(*words, "--json")
    assert acts(said.out) == []
    assert "\u202e" in json.dumps(said.json, ensure_ascii=False)


def test_a_document_is_shown_not_dropped(shown: Shown) -> None:
    """H10: a reader sees that something was there."""
    assert r"\x1b]52;c;ZXZpbA==\x07\x1b[2J" in shown.sparing("show", "1", "plan").out
    assert r"\x9b" in shown.sparing("show", "1", "checks").out


def test_a_gate_shows_no_more_than_text(shown: Shown) -> None:
    """H10: the title, the diff that goes through a pager, and the question itself."""
    typed = Typed(shown.repository, "run", "1", environ=shown.environ, keep_colours=True)
    typed.wait_for("[later]: ")
    typed.type("diff\n")
    typed.wait_for("ZXZpbA==")
    typed.wait_for("[later]: ")
    typed.type("later\n")
    typed.end()
    assert acts(typed.screen) == []
