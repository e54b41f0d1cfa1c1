"""A person splits a task, or has one done again: which stage takes over, and what it is told.

Covers: A11
"""

from __future__ import annotations

from dataclasses import replace

from sparing.artifact import ArtifactName
from sparing.flow.advance import begin
from sparing.flow.flows import FEATURE
from sparing.flow.state import Do, Outcome, OutcomeKind, Position
from sparing.stages.moves import Happened, Next, StageRules
from sparing.stages.place import Place
from sparing.stages.task_orders import asked
from sparing.task_progress import TaskProgress

RULES = StageRules(3, frozenset(FEATURE.names), headless=False)
TASKS = TaskProgress(waves=(("1", "2", "3"),), done=("1", "2"))


def ordered(text: str, stage: str = "implement") -> Next | None:
    state = replace(begin("feature", stage, frozenset(ArtifactName)), position=Position.GATE)
    answer = Outcome(OutcomeKind.TASKS, text)
    return asked(
        replace(Place(state, "base"), building=TASKS),
        Happened(feedback="words"),
        answer,
        RULES,
        1.0,
    )


def test_a_split_goes_to_whoever_writes_tasks_with_the_words() -> None:
    found = ordered("split 2: in halves")
    assert found is not None
    assert (found.do, found.place.state.stage) == (Do.RUN, "create-tasks")
    assert found.place.feedback == "words"
    assert found.place.keeping is not None
    assert (found.place.keeping.done, found.place.keeping.told) == (("1",), ())


def test_a_task_is_done_again_with_the_words_for_its_author_alone() -> None:
    found = ordered("redo 2: use the old parser")
    assert found is not None
    assert (found.do, found.place.state.stage) == (Do.RUN, "implement")
    assert found.place.feedback == ""
    assert found.place.building.done == ("1",)
    assert found.place.building.told == (("2", "words"),)
    assert found.place.building.undo == ("2",)


def test_an_order_that_makes_no_sense_changes_nothing() -> None:
    for text, stage in (("shuffle 2", "implement"), ("redo 2", "specify")):
        found = ordered(text, stage)
        assert found is not None
        assert found.do is Do.REFUSE
