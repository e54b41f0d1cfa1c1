"""Waves of independent tasks. Covers: D1."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from sparing.flow.waves import waves
from sparing.task import Task


def task(number: str, *files: str, after: tuple[str, ...] = ()) -> Task:
    return Task(number, f"Task {number}", "", 1, depends_on=after, files=files)


def plan(*tasks: Task, width: int = 4) -> list[str]:
    return ["".join(task.number for task in wave) for wave in waves(tasks, width)]


def test_independent_tasks_go_side_by_side() -> None:
    assert plan(task("1", "a"), task("2", "b"), task("3", "c", after=("1",))) == ["12", "3"]


def test_the_same_file_is_never_edited_twice_at_once() -> None:
    assert plan(task("1", "a"), task("2", "./A"), task("3", "c")) == ["13", "2"]


def test_nobody_overtakes_a_task_with_which_it_shares_a_file() -> None:
    waiting = task("2", "b", after=("1",))
    assert plan(task("1", "a"), waiting, task("3", "b")) == ["1", "2", "3"]


def test_a_task_without_files_goes_alone() -> None:
    assert plan(task("1", "a"), task("2"), task("3", "c")) == ["1", "2", "3"]


def test_one_at_a_time_is_document_order() -> None:
    assert plan(task("1", "a"), task("2", "b"), width=1) == ["1", "2"]


@given(
    st.lists(st.tuples(st.sets(st.sampled_from("abcd")), st.sets(st.integers(0, 7))), max_size=8),
    st.integers(1, 4),
)
def test_order_between_tasks_that_may_meet_is_kept(
    drawn: list[tuple[set[str], set[int]]], width: int
) -> None:
    """D1: each once, never wider than allowed, and whoever shares a file or waits comes later."""
    tasks = [
        task(str(n), *sorted(files), after=tuple(str(m) for m in after if m < n))
        for n, (files, after) in enumerate(drawn)
    ]
    found = list(waves(tasks, width))
    place = {one.number: at for at, wave in enumerate(found) for one in wave}
    assert len(place) == len(tasks) == sum(len(wave) for wave in found)
    assert all(0 < len(wave) <= width for wave in found)
    for later, one in enumerate(tasks):
        for before in tasks[:later]:
            meet = not one.files or not before.files or set(one.files) & set(before.files)
            if meet or before.number in one.depends_on:
                assert place[before.number] < place[one.number]
