"""A person's word on single tasks: how it is read, and what the next author is told.

Covers: A11
"""

from __future__ import annotations

from dataclasses import replace

import pytest

from sparing.artifact import ArtifactName
from sparing.flow.advance import begin
from sparing.flow.flows import FEATURE
from sparing.job import JobResult
from sparing.stages.moves import Happened, Next, StageRules
from sparing.stages.place import Place
from sparing.stages.task_orders import DROPPED, TaskCommand, read_order, undone
from sparing.task_progress import TaskProgress
from sparing.turn import StageStep, Turn

RULES = StageRules(3, frozenset(FEATURE.names), headless=False)
LEFT = JobResult(left=(("2", "conflict"),), reply="what stays of it")


@pytest.mark.parametrize(
    ("text", "order"),
    [
        ("redo 6, 7: use the old parser", TaskCommand("redo", ("6", "7"))),
        ("drop 3", TaskCommand("drop", ("3",))),
        ("split 2,: in halves", TaskCommand("split", ("2",))),
        ("repeat 2", None),
        ("redo", None),
    ],
)
def test_an_order_is_a_verb_and_numbers(text: str, order: TaskCommand | None) -> None:
    assert read_order(text) == order


def taken_off(result: JobResult, *, done: tuple[str, ...], skipped: tuple[str, ...]) -> Next:
    building = TaskProgress(
        waves=(("1", "2", "3"),), done=done, skipped=tuple((one, DROPPED) for one in skipped),
        undo=("2",),
    )  # fmt: skip
    place = Place(begin("feature", "implement", frozenset(ArtifactName)), "base")
    return undone(replace(place, building=building), Happened((result,)), RULES, 1.0)


def test_what_could_not_be_taken_off_is_told_to_whoever_comes_next() -> None:
    found = taken_off(LEFT, done=("1",), skipped=("2",))
    assert found.place.step is StageStep.TASKS
    assert found.place.building.told == (("3", "what stays of it"),)
    assert found.place.building.undo == ()


@pytest.mark.parametrize(
    ("result", "skipped"), [(JobResult(), ("2",)), (LEFT, ())], ids=["all gone", "redone"]
)
def test_nobody_is_told_of_what_is_gone_or_done_again(
    result: JobResult, skipped: tuple[str, ...]
) -> None:
    found = taken_off(result, done=("1",), skipped=skipped)
    assert (found.place.step, found.place.building.told) == (StageStep.TASKS, ())


def test_if_no_task_follows_its_rest_is_taken_off_by_an_agent() -> None:
    found = taken_off(LEFT, done=("1", "3"), skipped=("2",))
    assert [job.turn for job in found.jobs] == [Turn.REDO]
    assert found.place.feedback == "what stays of it"
