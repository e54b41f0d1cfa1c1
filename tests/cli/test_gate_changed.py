"""A gate that somebody else changes while it is on the screen.

Covers: A6, K1
"""

from __future__ import annotations

import re
import sys
from pathlib import Path

import pytest

from sparing.cli.gate.gate import unquoted
from tests.first_hour import EDITOR, settings
from tests.repositories import make_repository
from tests.terminal import sparing
from tests.typed import Typed

SLOW_EDITOR = """import subprocess, sys
path, quick = sys.argv[2], sys.argv[1]
sheet = open(path).read()
open(path, "w").write(sheet.replace("> 2. Run the checks.", "> 2. Run the checks.\\nWhich ones?"))
subprocess.run([sys.executable, "-m", "sparing", "edit", "1"], env={**__import__("os").environ,
    "EDITOR": f"{sys.executable} {quick}"}, check=True)
"""


@pytest.mark.parametrize(
    ("typed", "said"),
    [
        ("'say which'", "say which"),
        ('"say which"', "say which"),
        ("'keep it 'short''", "keep it 'short'"),
        ("'don't say it'", "don't say it"),
        ("'a' is not 'b'", "'a' is not 'b'"),
        ('"limit", not "cap"', '"limit", not "cap"'),
        ("'", "'"),
        ("the 'cap'", "the 'cap'"),
    ],
)
def test_quotes_around_feedback_are_not_part_of_it(typed: str, said: str) -> None:
    """A6: those of words in it are."""
    assert unquoted(typed) == said


def test_a_gate_is_shown_again_when_it_changes(tmp_path: Path) -> None:
    """A6, K1: an edit from another terminal shows the gate as it stands now, and an answer counts
    for that; a text that came too late is kept and named; `reject` takes it on its line."""
    repository, environ = make_repository(tmp_path / "sample"), settings(tmp_path)
    quick, slow = tmp_path / "quick.py", tmp_path / "slow.py"
    quick.write_text(EDITOR)
    slow.write_text(SLOW_EDITOR)
    sparing(repository, "start", "Greet by name", "--tier", "L1", environ=environ)
    words = {**environ, "EDITOR": f"{sys.executable} {slow} {quick}"}
    last = Typed(repository, "run", "1", environ=words)
    last.wait_for("[later]: ")
    edited = {**environ, "EDITOR": f"{sys.executable} {quick}"}
    assert sparing(repository, "edit", "1", environ=edited).code == 0
    last.wait_for("changed elsewhere; this is how it stands now")
    assert "plan.md, 13 lines" in last.wait_for("[later]: ")
    last.type("reject\n")
    said = last.wait_for("changed elsewhere").replace("\r\n", "")
    kept = re.search(r"is now at plan; your text is in (\S+\.md)", said)
    assert kept, said
    assert "Which ones?" in Path(kept[1]).read_text()
    last.wait_for("[later]: ")
    last.type("approve 1\n")
    assert "what follows reject is your feedback" in last.wait_for("[later]: ")
    last.type("rej 'keep it 'short''\n")
    last.wait_for("» rejected (terminal): keep it 'short'")
    last.close()
    last.process.wait(120)
