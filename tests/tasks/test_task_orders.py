"""Single tasks are done again, left out or split; the others are kept.

Covers: A11
"""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.engine.built import SATISFIED, Built, build, task, turn
from tests.engine.killed import KILLED

pytestmark = pytest.mark.long

TASKS = "".join(
    (
        task("1", "Write one", "one.txt"),
        task("2", "Write two", "two.txt"),
        task("3", "Write three", "three.txt", after="Task 2"),
    )
)
AGAIN = turn("2", {"two.txt": "two, better\n"}).replace(
    'task = "2"', 'task = "2"\nprompt = "make it better"'
)
PARTS = "".join(
    (
        task("1", "Write one", "one.txt"),
        task("2.1", "Write two", "two.txt"),
        task("3", "Write three", "three.txt", after="Task 2.1"),
        task("2.2", "Write two more", "more.txt"),
    )
)
SPLITS = f"""
[[turn]]
role = "tasks-author"
prompt = "Split task 2 of tasks.md"
reply = "Task 2 has two parts now."
[[turn.edit]]
path = "{{folder}}/tasks.md"
text = '''# Tasks

{PARTS}'''
"""
SCRIPT = (
    AGAIN
    + SPLITS
    + turn("2.1", {"two.txt": "two, again\n"})
    + turn("2.2", {"more.txt": "more\n"})
    + "".join(
        turn(str(n), {f"{w}.txt": f"{w}\n"}) for n, w in enumerate(("one", "two", "three"), 1)
    )
    + SATISFIED
)


@pytest.fixture
def built(tmp_path: Path) -> Built:
    """All three tasks done, at the gate of the stage."""
    found = build(tmp_path, TASKS, SCRIPT)
    said = found.sparing("run", "--no-input")
    assert said.code == 2, said.err
    return found


def files(built: Built) -> list[str]:
    listed = built.git("ls-tree", "-r", "--name-only", built.row.feature.branch).splitlines()
    return [name for name in listed if name.endswith(".txt")]


def dispatched(built: Built) -> int:
    return sum(one.kind == "commit" and one.role == "implementer" for one in built.told())


def test_one_task_again_and_the_others_kept(built: Built) -> None:
    """A11: its work is taken back first, your words reach it, and nobody else is asked again."""
    before = dispatched(built)
    said = built.sparing("tasks", "1", "make it better", "--redo", "2")
    assert said.code == 0, said.err
    assert "  kept: 1, 3\n  reverted: the code of task 2\n" in said.err
    assert "built on 2 and kept as it is: 3" in said.err
    ran = built.sparing("run", "--no-input")
    assert ran.code == 2, ran.err
    assert dispatched(built) == before + 1
    branch = built.row.feature.branch
    assert built.git("show", f"{branch}:two.txt") == "two, better"
    assert "take back task 2" in built.git("log", "--format=%s", branch).lower()
    assert files(built) == ["one.txt", "three.txt", "two.txt"]


def test_a_task_is_dropped_with_what_it_made(built: Built) -> None:
    """A11, I1: nobody is paid for that; log and list say so, also if it is killed in its midst."""
    before = dispatched(built)
    assert built.sparing("tasks", "1", "--drop", "1").code == 0
    died = built.sparing("run", "--no-input", SPARING_ENGINE__CRASH_AT="undo:end")
    assert died.code == KILLED, died.err
    ran = built.sparing("run", "--no-input")
    assert ran.code == 2, ran.err
    assert (files(built), dispatched(built)) == (["three.txt", "two.txt"], before)
    listed = built.sparing("tasks", "1").out
    assert listed.splitlines()[0].strip() == "- 1 Write one: left out (dropped by you)"
    assert "left out: dropped by you" in built.log()
    assert "skipped: 1" in built.log()


def test_orders_that_make_no_sense_are_refused(built: Built) -> None:
    """A11: in two lines, and nothing is written."""
    unknown = built.sparing("tasks", "1", "--redo", "9")
    assert unknown.complaint == ("error: there is no task '9'", "fix: its tasks: 1, 2, 3")
    two = built.sparing("tasks", "1", "--redo", "1", "--drop", "2")
    assert two.complaint[0] == "error: use only one of --redo, --drop and --split"
    several = built.sparing("tasks", "1", "--split", "1,2")
    assert several.complaint == (
        "error: only one task can be split at a time",
        "fix: sparing tasks 001 --split 1",
    )
    assert built.sparing("approve", "1").code == 0


def test_a_task_is_split_and_only_its_parts_are_done(built: Built) -> None:
    """A11: the author of the tasks writes the parts; what is done and unchanged stays done."""
    before = dispatched(built)
    said = built.sparing("tasks", "1", "--split", "2")
    assert said.code == 0, said.err
    ran = built.sparing("run", "--no-input")
    assert ran.code == 2, ran.err
    assert dispatched(built) == before + 2
    assert files(built) == ["more.txt", "one.txt", "three.txt", "two.txt"]
    states = {
        one["number"]: one["state"] for one in built.sparing("tasks", "1", "--json").json["tasks"]
    }
    assert states == {"1": "done", "2.1": "done", "3": "done", "2.2": "done"}
