"""One whole run in which much goes wrong: nothing is lost, nothing is hidden, nobody is stuck.

A task that its agent does not do, a helper whose change turns the checks red, and deeper tests
that the code does not meet at first. Covers: D4, D5, C9, C10, C11, A6
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.engine.built import SATISFIED, Built, build, task, turn
from tests.terminal import Said

TASKS = task("1", "One", "one.txt") + task("2", "Two", "two.txt") + task("3", "Three", "a.txt", "2")
CHECK = """#!/bin/sh
test ! -f broken.txt || { echo "FAIL: test_whole (t.T)"; exit 1; }
test ! -f tests/deep.txt || grep -q deep one.txt || { echo "FAIL: test_deep (t.T)"; exit 1; }
"""
HELP = """
[[turn]]
role = "code-simplifier"
reply = "shorter"
[[turn.edit]]
path = "broken.txt"
text = "x"

[[turn]]
role = "test-deepener"
prompt = "phase A"
reply = "- Borders: one.txt goes deep"

[[turn]]
role = "test-deepener"
prompt = "one.txt goes deep"
reply = "Divergences: one.txt is not deep"
[[turn.edit]]
path = "tests/deep.txt"
text = "asks for more"

[[turn]]
role = "implementer"
prompt = "one.txt is not deep"
reply = "## Fix summary\\nIt is deep now."
[[turn.edit]]
path = "one.txt"
text = "deep"
"""
SCRIPT = turn("1", {"one.txt": "1"}) + turn("2", {}, "I looked around.") + HELP + SATISFIED
FILES = {"Makefile": "test:\n\t@sh check.sh\n", "check.sh": CHECK}
ASSISTANTS = "code-simplifier,test-deepener"
NEEDS_YOU = 2


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("HOME", str(tmp_path_factory.mktemp("home")))
        yield tmp_path_factory.mktemp("building")


@pytest.fixture(scope="module")
def stopped(folder: Path) -> tuple[Built, Said]:
    built = build(folder, TASKS, SCRIPT, FILES)
    return built, built.sparing("run", SPARING_FLOW__ASSISTANTS=ASSISTANTS)


@pytest.fixture(scope="module")
def ended(stopped: tuple[Built, Said]) -> Built:
    built, _ = stopped
    assert built.sparing("approve", "1").code == 0
    said = built.sparing("run", SPARING_FLOW__ASSISTANTS=ASSISTANTS)
    assert said.code == NEEDS_YOU, said.err
    return built


def test_without_anybody_to_ask_it_tries_once_more_and_stops(stopped: tuple[Built, Said]) -> None:
    """D4: with words that say what to do."""
    built, said = stopped
    assert said.code == NEEDS_YOU
    text = " ".join(said.err.split())
    assert "task 2 is not done: nothing was changed" in text
    assert "sparing approve 001" in said.err
    asked = [one for one in built.told() if one.kind == "asks"]
    assert [one.role for one in asked] == ["implementer"] * 3


def test_what_is_left_out_shows_in_the_log_and_at_the_gate(ended: Built) -> None:
    """D4"""
    log = ended.log()
    assert "## Task 2: Two\n- **Files changed:** none\n" in log
    assert (
        "left out: nothing was changed, and the report does not say that it was already complete"
        in log
    )
    assert "- done: 1; skipped: 2; blocked: 3" in log
    shown = ended.sparing("show", "1").out
    assert "task 2 was left out" in " ".join(shown.split())


def test_help_counts_only_if_the_checks_say_so(ended: Built) -> None:
    """D5, C11: put back, and told; everybody who helps is fresh."""
    assert "broken.txt" not in ended.tree
    told = [one.text for one in ended.told() if one.kind == "warning"]
    assert any(one.startswith("what code-simplifier changed is put back") for one in told)
    asks = [one for one in ended.told() if one.kind == "asks"]
    assert {one.data["way"] for one in asks if "reviewer" not in one.role} <= {
        "compose", "plain", "reference",
    }  # fmt: skip


def test_code_is_changed_to_meet_deeper_tests_and_then_reviewed(ended: Built) -> None:
    """D5, C9, C10: outlines, tests, the fix with the report at hand, the reviewers."""
    asks = [one.role for one in ended.told() if one.kind == "asks"]
    assert asks[3:] == [
        "code-simplifier", "test-deepener", "test-deepener", "implementer",
        "implementation-reviewer", "code-quality-reviewer", "security-reviewer",
    ]  # fmt: skip
    assert ended.git("show", f"{ended.row.feature.branch}:one.txt") == "deep"
    assert "tests/deep.txt" in ended.tree
