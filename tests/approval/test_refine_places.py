"""Wherever a feature waits a change can be followed, and it waits there again.

Covers: A12
"""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.approval.scene import (
    NEW_REQUIREMENT,
    SCRIPT,
    SPEC,
    TASK,
    TASKS,
    WANTED,
    asked,
    begun,
    edited,
    waiting,
    without_change,
)
from tests.engine.built import Built, task, turn

pytestmark = pytest.mark.nightly

LAST = "implement,finish"


def on(built: Built, gates: str) -> str:
    said = built.sparing("run", "--no-input", SPARING_FLOW__GATES=gates)
    assert said.code in (2, 75), said.err  # a person, or a quota
    return said.err


def position(built: Built) -> tuple[str, str]:
    row = built.sparing("list", "--json").json["features"][0]
    return row["stage"], row["position"]


def test_at_the_last_gate(tmp_path: Path) -> None:
    """A12: the feature is taken up again; its code and its last stage are looked at anew."""
    there = waiting(tmp_path, gates=LAST)
    assert there.sparing("approve", "1").code == 0
    on(there, LAST)
    assert position(there) == ("finish", "gate")
    before = asked(there)
    assert there.sparing("refine", "1", WANTED, "--yes").code == 0
    on(there, LAST)
    assert position(there) == ("implement", "gate")
    assert "implementer 1" not in asked(there)[len(before) :]
    assert there.sparing("approve", "1").code == 0
    on(there, LAST)
    assert position(there) == ("finish", "gate")
    assert there.git("show", f"{there.row.feature.branch}:sort.txt") == "by count"
    # Where nothing depends on what changed in the end, the last gate asks again about that commit.
    (tmp_path / "script.toml").write_text(without_change(SCRIPT, "spec-author"))
    before = asked(there)
    assert there.sparing("refine", "1", WANTED, "--yes").code == 0
    on(there, LAST)
    assert position(there) == ("finish", "gate")
    assert asked(there)[len(before) :] == ["spec-author", "spec-reviewer", "phase-reviewer"]
    assert there.sparing("approve", "1").code == 0
    assert there.sparing("run", "--no-input").code == 0


def test_at_the_gate_of_a_document(tmp_path: Path) -> None:
    """A12: the design waits and the spec above it changes: the design alone is asked again."""
    there = begun(tmp_path, SCRIPT, gates="design")
    on(there, "design")
    assert there.sparing("refine", "1", "shorter", "--document", "tasks").complaint == (
        "error: feature 001 has no tasks.md yet",
        "fix: sparing show 001",
    )
    before = asked(there)
    edited(there, SPEC.replace("Words are sorted by name.", NEW_REQUIREMENT))
    said = there.sparing("refine", "1", "--yes")
    assert "to be redone: design.md § C2: Sorter" in said.err
    on(there, "design")
    assert asked(there)[len(before) :] == ["design-author", "design-reviewer", "phase-reviewer"]
    assert position(there) == ("design", "gate")
    # An approval is for what stands there: nothing is unseen any more.
    assert there.sparing("approve", "1").code == 0
    said = there.sparing("run", "--no-input")
    assert (said.code, "depends on it" in said.err) == (0, False), said.err


def test_tasks_that_come_and_go(tmp_path: Path) -> None:
    """A12: a task that the document has no more is taken back; a new one is done; one stays."""
    new = TASKS.replace("### Task 2: Write the sorter", "### Task 3: Write the index")
    new = new.replace("sort.txt", "index.txt")
    find, _ = TASK
    whole = SCRIPT.replace(f"find = '''{find}'''", "find = '''# Tasks'''", 1)
    script = turn("3", {"index.txt": "an index\n"}) + whole
    there = waiting(tmp_path, script, gates="implement")
    edited(there, new, "tasks")
    said = there.sparing("refine", "1", "--yes")
    assert "to be redone: new: task 3; reverted: the code of task 2" in said.err, said.err
    before = asked(there)
    on(there, "implement")
    assert [one for one in asked(there)[len(before) :] if one.startswith("implementer")] == [
        "implementer 3"
    ]
    files = there.git("ls-tree", "--name-only", there.row.feature.branch).split()
    assert ("count.txt" in files, "sort.txt" in files, "index.txt" in files) == (True, False, True)


def test_while_the_tasks_are_under_way(tmp_path: Path) -> None:
    """A12: a feature that stopped at a task follows the change; what was done stays done."""
    script = SCRIPT.replace('task = "2"\nreply', 'task = "2"\nfail = "quota"\nreply', 1)
    there = begun(tmp_path, script, gates="implement")
    on(there, "implement")
    assert position(there) == ("implement", "stuck")
    edited(there, SPEC.replace("Words are sorted by name.", NEW_REQUIREMENT))
    assert there.sparing("refine", "1", "--yes").code == 0
    (tmp_path / "script.toml").write_text(SCRIPT)
    before = asked(there)
    on(there, "implement")
    done = [one for one in asked(there)[len(before) :] if one.startswith("implementer")]
    assert done == ["implementer 2"]
    assert position(there) == ("implement", "gate")


def test_a_task_without_names_rests_on_all(tmp_path: Path) -> None:
    """A12: of tasks that name no section nobody knows what they rest on: too much is asked."""
    plain = task("1", "Write the counter", "count.txt") + task("2", "Write the sorter", "sort.txt")
    there = waiting(tmp_path, SCRIPT.replace(TASKS, f"# Tasks\n\n{plain}"), gates="implement")
    said = there.sparing("refine", "1", WANTED, "--dry-run")
    assert "to be redone: the code of tasks 1, 2" in said.err
