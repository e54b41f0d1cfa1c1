"""Chains of small neighbouring tasks. Covers: E13."""

from __future__ import annotations

from dataclasses import replace

from sparing.flow.chains import MOST_CHARS, MOST_TASKS, chains
from sparing.flow.waves import waves
from sparing.task import Task


def task(number: str, *files: str, after: tuple[str, ...] = ()) -> Task:
    return Task(number, f"Task {number}", "", 1, depends_on=after, files=files)


def found(*tasks: Task, width: int = 1) -> tuple[tuple[str, str], ...]:
    return chains(tuple(waves(tasks, width)))


def test_a_task_follows_the_one_before_it_that_names_a_file_of_its_own() -> None:
    """E13: each with the one before; who names other files begins by itself."""
    tasks = (task("1", "a", "t"), task("2", "./A"), task("3", "b"), task("4", "b", after=("1",)))
    assert found(*tasks) == (("2", "1"), ("4", "3"))


def test_a_task_without_files_follows_nobody() -> None:
    assert found(task("1"), task("2"), task("3", "a")) == ()


def test_a_large_task_has_a_session_of_its_own() -> None:
    """E13: many files or a long text; nobody follows it either."""
    large = task("2", "a", "b", "c", "d", "e")
    assert found(task("1", "a"), large, task("3", "a")) == ()
    long = replace(task("1", "a"), body="x" * (MOST_CHARS + 1))
    assert found(long, task("2", "a")) == ()


def test_a_chain_is_short() -> None:
    """E13: after a few tasks a new session begins."""
    tasks = [task(str(number), "a") for number in range(MOST_TASKS + 2)]
    following = [number for number, _ in found(*tasks)]
    assert following == ["1", "2", "3", "5"]


def test_tasks_side_by_side_are_in_no_chain() -> None:
    """E13: each works in a worktree of its own, where no other session can go on."""
    tasks = (task("1", "a"), task("2", "b"), task("3", "a"), task("4", "a"))
    assert [len(wave) for wave in waves(tasks, 2)] == [2, 1, 1]
    assert found(*tasks, width=2) == (("4", "3"),)
