"""A hint repairs where a stage of tasks stops: the document is opened by what the message names.

Covers: A3, K1, D2, H8
"""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.engine.built import SATISFIED, Built, build, task, turn
from tests.terminal import Said

pytestmark = pytest.mark.long

ONE, TWO = task("1", "Make one", "one.txt"), task("2", "Make two", "two.txt", after="1")
SCRIPT = turn("1", {"one.txt": "1\n"}) + turn("2", {"two.txt": "2\n"}) + SATISFIED
HEAD = "# Tasks\n\nWhat has to be done, one after the other, each in a file of its own.\n\n"


def saved(built: Built, text: str) -> dict[str, str]:
    """An editor in which a person leaves this text."""
    file = built.folder / "typed.md"
    file.write_text(text)
    return {"EDITOR": f"cp {file}"}


def next_command(built: Built) -> str:
    return str(built.sparing("show", "1", "--json").json["next_command"])


def typed(built: Built, command: str, **environ: str) -> Said:
    assert command.startswith("sparing ")
    return built.sparing(*command.split()[1:], **environ)


def position(built: Built) -> tuple[str, str]:
    shown = built.sparing("show", "1", "--json").json
    return shown["stage"], shown["position"]


def edited_and_resumed(built: Built, tasks: str) -> None:
    """Only what is named first, each time: it leads to the gate behind the tasks."""
    assert next_command(built) == "sparing edit 001 tasks"
    assert typed(built, next_command(built), **saved(built, tasks)).code == 0
    assert next_command(built) == "sparing resume 001"
    resumed = typed(built, next_command(built))
    assert typed(built, resumed.out.splitlines()[-1].strip()).code == 2
    assert position(built) == ("implement", "gate")


def test_a_document_without_tasks(tmp_path: Path) -> None:
    """A3"""
    built = build(tmp_path, "Nothing is numbered here.\n", SCRIPT)
    said = built.sparing("run", "1")
    assert "tasks.md holds no tasks" in said.err
    assert "number each task, as in `### Task 1.1: Title`: sparing edit 001 tasks" in said.err
    edited_and_resumed(built, HEAD + ONE)


def test_a_task_that_names_a_file_outside(tmp_path: Path) -> None:
    """H2"""
    built = build(tmp_path, task("1", "Make one", "../one.txt"), SCRIPT)
    said = built.sparing("run", "1")
    named = "name files inside it: sparing edit 001 tasks, then: sparing resume 001"
    assert f"task 1 names ../one.txt: outside the repository: {named}" in said.err
    edited_and_resumed(built, HEAD + ONE)


def test_a_task_that_somebody_has_taken_out(tmp_path: Path) -> None:
    """A3: while the feature waited for a cap, before the task had begun."""
    built = build(tmp_path, ONE + TWO, SCRIPT)
    assert built.sparing("run", "1", SPARING_CAPS__FEATURE_TOKENS="3000100").code == 3
    other = task("9", "Another", "nine.txt")
    assert built.sparing("edit", "1", "tasks", **saved(built, HEAD + ONE + other)).code == 0
    assert built.sparing("resume", "1").code == 0
    said = built.sparing("run", "1")
    named = "put it back: sparing edit 001 tasks, then: sparing resume 001"
    assert f"tasks.md no longer has a task 2: {named}" in said.err
    edited_and_resumed(built, HEAD + ONE + TWO)
    assert built.git("show", f"{built.row.feature.branch}:two.txt") == "2"


def test_a_secret_in_an_edit(tmp_path: Path) -> None:
    """H8: it is neither committed nor left in the worktree, and the message opens it again, also
    where another document is edited than the stage's own; an editor that fails says the same."""
    built = build(tmp_path, ONE, SCRIPT)
    assert built.sparing("run", "1").code == 2
    secret = "ghp_" + "aB3dE6gH9jK2mN5pQ8sT1vW4xY7zC0fR5bL3"
    refused = built.sparing("edit", "1", "tasks", **saved(built, f"{HEAD}{ONE}{secret}\n"))
    assert refused.complaint[1] == "fix: remove them: sparing edit 001 tasks"
    (tree,) = (tmp_path / "state").rglob("worktrees/001-write-files")
    assert secret not in (tree / "docs/features/001-write-files/tasks.md").read_text()
    failed = built.sparing("edit", "1", "tasks", EDITOR="false")
    assert failed.complaint[1] == "fix: sparing edit 001 tasks"
    take_out = f"sed -i s/{secret}/none/"
    assert typed(built, "sparing edit 001 tasks", EDITOR=take_out).code == 0
    shown = built.git("show", f"{built.row.feature.branch}:docs/features/001-write-files/tasks.md")
    assert shown.endswith("none")


def test_a_check_that_is_red_after_an_edit(tmp_path: Path) -> None:
    """K1: its output is where the line below says."""
    built = build(tmp_path, ONE, SCRIPT, {"Makefile": "test:\n\ttest ! -e broken || echo why\n"})
    assert built.sparing("run", "1").code == 2
    (tree,) = (tmp_path / "state").rglob("worktrees/001-write-files")
    (tree / "Makefile").write_text("test:\n\t@echo why; test ! -e one.txt\n")
    assert built.sparing("edit", "1").code == 0
    assert built.sparing("approve", "1").code == 0
    said = built.sparing("run", "1")
    assert "output: sparing show 001 checks" in said.err
    shown = typed(built, "sparing show 001 checks")
    assert shown.code == 0
    assert "why" in shown.out
