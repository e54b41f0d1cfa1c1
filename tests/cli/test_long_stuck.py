"""A feature that is stuck, repaired by a person, finished, merged by hand and cleaned up.

Only what the screen suggests is typed. The agent plays the script of docs/scripts.md.

Covers: A6, K1, K2, K4
"""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import NamedTuple

import pytest

from sparing.cli.main import main
from sparing.finding import Verdict
from sparing.review.verdict import read_verdict
from tests.repositories import git, make_repository
from tests.terminal import sparing
from tests.typed import Typed

PAGE = Path(__file__).parents[2] / "docs" / "scripts.md"
BRANCH = "feature/001-greet-by-name"
MERGE = f"git merge --no-ff -m 'Merge {BRANCH}: Greet by name' {BRANCH}"
MAKE = (
    "test:\n\t@if [ -f greeting.txt ]; then echo looking for Grace; grep Grace greeting.txt; fi\n"
)


def scripts() -> list[str]:
    return re.findall(r"```toml\n(.*?)```", PAGE.read_text("utf-8"), re.DOTALL)


class Work(NamedTuple):
    path: Path
    environ: dict[str, str]
    capture: pytest.CaptureFixture[str]

    def say(self, *words: str) -> str:
        """Asked in this process: what only looks needs none of its own."""
        assert main(words) == 0
        return self.capture.readouterr().out


@pytest.fixture
def work(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> Work:
    script = tmp_path / "script.toml"
    script.write_text(scripts()[0])
    environ = {"SPARING_AGENT__BACKEND": "scripted", "SPARING_AGENT__SCRIPT": str(script)}
    path = make_repository(tmp_path / "sample", {"Makefile": MAKE})
    monkeypatch.chdir(path)
    return Work(path, environ, capsys)


def test_from_red_checks_to_a_merged_branch(work: Work) -> None:
    started = ("start", "Greet by name", "--tier", "L1", "--yes")
    said = sparing(work.path, *started, environ=work.environ)
    assert said.code == 2, said.err
    assert "implement is stuck" in said.err
    watched = work.say("watch", "1")
    assert "    sparing " in watched.partition("nothing is running here")[2]
    assert "looking for Grace" in work.say("show", "1", "checks")
    typed = Typed(work.path, "run", "1", environ=work.environ)
    _repair(work, typed)
    _last_gate(typed)
    assert typed.end() == 0, typed.screen
    assert "lean naive on the same client" in typed.screen, "the bill, with its baseline"
    _merged_by_hand(work)


def _repair(work: Work, typed: Typed) -> None:
    """The check is named with what it printed; an approval is not on offer, and not promised."""
    shown = typed.wait_for("[later]: ")
    assert "001 implement is stuck" in shown
    assert "the check test is red" in shown
    assert "| looking for Grace" in shown
    assert "approve" not in shown
    typed.type("edit\n")
    words = typed.wait_for("press Enter ").split()
    tree = next(Path(word) for word in words if word.endswith("001-greet-by-name"))
    (tree / "greeting.txt").write_text("Hello, Grace.\n")
    typed.type("\n")
    assert "resume   run the checks again" in typed.wait_for("[later]: ")
    typed.type("resume\n")


def _last_gate(typed: Typed) -> None:
    """A6: all code against its base, though no stage before has shown any."""
    shown = typed.wait_for("[later]: ")
    assert "the repository's checks: test passed" in shown
    assert "against main: 1 file changed, +1 -0\n    greeting.txt +1 -0" in shown
    assert "(.meta.json: completed)" in shown
    assert "if you approve: nothing is merged; you get the command to merge into main" in shown
    typed.type("diff\n")
    assert "+Hello, Grace." in typed.wait_for("[later]: ")
    typed.type("approve\n")


def _merged_by_hand(work: Work) -> None:
    """It is not forgotten before it is merged; afterwards nothing says that it is not."""
    for words in ((), ("run", "1"), ("show", "1")):
        assert MERGE in work.say(*words)
    ready = json.loads(work.say("status", "--json"))["finished"]
    assert [(one["id"], one["home"]) for one in ready] == [("001", "ready to be merged")]
    git(work.path, "merge", "--quiet", "--no-ff", "-m", "merged", BRANCH)
    meta = git(work.path, "show", "main:docs/features/001-greet-by-name/.meta.json")
    assert '"status": "completed"' in meta
    for words in (("run", "1"), ("show", "1")):
        shown = work.say(*words)
        assert f"{BRANCH} is merged into main" in shown
        assert "ready" not in shown
    assert "sparing clean" in work.say()
    assert "its worktree was removed" in work.say("clean")
    assert "sparing clean" not in work.say()


def test_the_page_s_verdict_is_one() -> None:
    """K4"""
    found = read_verdict("any-reviewer", scripts()[1].partition("reply = '")[2].rpartition("'")[0])
    assert isinstance(found, Verdict)
    assert found.approved
