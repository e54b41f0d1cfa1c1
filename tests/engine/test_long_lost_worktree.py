"""Between an agent's reply and its commit nothing that was paid for can be lost.

Covers: I1, E3
"""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from sparing.records import ledger
from tests.engine.built import SATISFIED, build, task, turn
from tests.repositories import git

TASKS = task("1.1", "Write one", "one.txt")
SCRIPT = turn("1.1", {"one.txt": "1\n"}) + SATISFIED


@pytest.mark.parametrize("point", ["commit:begin", "call:end"])
def test_a_turn_outlives_its_worktree_and_is_paid_once(tmp_path: Path, point: str) -> None:
    """I1, E3: killed after a turn, the worktree deleted: it goes on with what was paid for."""
    built = build(tmp_path, TASKS, SCRIPT)
    assert built.sparing("run", SPARING_ENGINE__CRASH_AT=point).code == -9
    worktrees = next((tmp_path / "state").glob("*/worktrees"))
    shutil.rmtree(worktrees / built.row.feature.name)
    said = built.sparing("run")
    assert "left no change" not in said.err
    assert built.git("show", f"{built.row.feature.branch}:one.txt") == "1"
    with built.database().read() as connection:
        rows = ledger.of_feature(connection, built.row.feature.key)
    assert [row.number for row in rows if row.attempt.role == "implementer"] == [1]
    assert git(built.repository, "for-each-ref", "refs/sparing/turns") == ""
