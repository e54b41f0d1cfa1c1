"""Small tasks in one session: each with its own commit, log entry and proof, whatever dies.

Covers: E13, D1, I1, H3
"""

from __future__ import annotations

import sqlite3
from pathlib import Path

import pytest

from sparing.dispatch_policy import Lever, off
from tests.engine.built import SATISFIED, Built, build, task, turn

TASKS = (
    task("1", "One", "one.txt")
    + task("2", "Two", "one.txt", after="1")
    + task("3", "Three", "one.txt", after="2")
)
LINES = {"1": "1\n", "2": "1\n2\n", "3": "1\n2\n3\n"}
TURNS = {number: turn(number, {"one.txt": text}) for number, text in LINES.items()}
SCRIPT = "base_tokens = 4000\n" + "".join(TURNS.values()) + SATISFIED
AT_A_GATE, KILLED = 2, -9


@pytest.fixture(autouse=True)
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HOME", str(tmp_path))


def ways(built: Built) -> list[tuple[str, int, str, str]]:
    """Of each task's dispatches: iteration, way, session."""
    (database,) = (built.folder / "state").rglob("sparing.db")
    connection = sqlite3.connect(database)
    rows = connection.execute(
        "select task, iteration, way, session from ledger where task != '' and reply is not null"
        " order by started, attempt"
    ).fetchall()
    connection.close()
    return rows


def commits(built: Built) -> list[str]:
    said = built.git("log", "--reverse", "--format=%T %s", built.row.feature.branch).splitlines()
    return [line for line in said if " task " in line]


def test_a_chain_that_is_killed_ends_as_one_that_is_not(tmp_path: Path) -> None:
    """E13, I1, H3: one session, three commits, three entries; the same trees as task by task."""
    killed = build(tmp_path / "killed", TASKS, SCRIPT)
    for point in ("prepare:end@2", "call:end@1", "commit:end@1"):
        said = killed.sparing("run", SPARING_ENGINE__CRASH_AT=point)
        assert said.code == KILLED, f"{point}: {said.err}"
    assert killed.sparing("run").code == AT_A_GATE
    paid = dict.fromkeys((number, way) for number, _, way, _ in ways(killed))
    assert [*paid] == [("1", "compose"), ("2", "resume"), ("3", "resume")]
    assert len(ways(killed)) == len(LINES), "what was paid for before a crash is not paid again"
    assert len({session for *_, session in ways(killed)}) == 1
    headings = [line for line in killed.log().splitlines() if line.startswith("## Task")]
    assert headings == [f"## Task {n}" for n in ("1: One", "2: Two", "3: Three")]
    alone = build(tmp_path / "alone", TASKS, SCRIPT, economy__levers=["all", off(Lever.CHAIN)])
    assert alone.sparing("run").code == AT_A_GATE
    assert [way for _, _, way, _ in ways(alone)] == ["compose"] * 3
    assert commits(killed) == commits(alone)
    assert len(commits(killed)) == len(LINES) * 2


def test_a_chained_task_that_is_not_done_is_tried_by_itself(tmp_path: Path) -> None:
    """E13, D4: with what was missing; whoever comes after it begins by itself too."""
    lazy = turn("2", {}, "## Implemented\nI looked around.\n").replace(
        'role = "implementer"', 'role = "implementer"\niteration = 1'
    )
    script = SCRIPT.replace(TURNS["2"], lazy + TURNS["2"])
    built = build(tmp_path / "lazy", TASKS, script)
    assert built.sparing("run").code == AT_A_GATE
    assert [row[:3] for row in ways(built)] == [
        ("1", 1, "compose"), ("2", 1, "resume"), ("2", 2, "compose"), ("3", 1, "compose"),
    ]  # fmt: skip
    assert "- done: 1, 2, 3; skipped: none; blocked: none" in built.log()
