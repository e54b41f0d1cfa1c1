"""A changed document is followed from stage to stage, and then the feature waits as before.

Covers: A10
"""

from __future__ import annotations

from dataclasses import replace

import pytest

from sparing.artifact import ArtifactName
from sparing.flow.advance import begin
from sparing.flow.flows import FEATURE
from sparing.flow.state import Do
from sparing.job import JobResult
from sparing.stages.moves import Happened, Next, StageRules
from sparing.stages.place import Place, Refining, Resting
from sparing.stages.refine import RefineOrder, onward, read_order, traced
from sparing.task_progress import TaskProgress
from sparing.turn import StageStep

RULES = StageRules(3, frozenset(FEATURE.names), headless=False)
DONE = TaskProgress(waves=(("1", "2"),), done=("1",))


def at(stage: str) -> Place:
    return Place(begin("feature", stage, frozenset(ArtifactName)), "base")


def following(stage: str, *, waited_at: str) -> Place:
    resting = Resting(at(waited_at).state, StageStep.AUTHOR)
    return replace(at(stage), refining=Refining(resting, head="base"), building=DONE)


def after(before: Place, stage: str) -> Next:
    """The stage has ended well and the flow would go on with the next one."""
    return onward(before, Happened(), Next(Do.RUN, replace(at(stage), refining=before.refining)))


@pytest.mark.parametrize(
    ("text", "order"),
    [
        ("refine spec.md: also in French", RefineOrder(ArtifactName.SPEC, rewrites=True)),
        ("follow plan.md", RefineOrder(ArtifactName.PLAN, rewrites=False)),
        ("refine novel.md: longer", None),
        ("rewrite spec.md", None),
        ("", None),
    ],
)
def test_an_order_names_a_document_that_there_is(text: str, order: RefineOrder | None) -> None:
    assert read_order(text) == order


def test_the_next_stage_is_looked_at_before_it_is_asked() -> None:
    found = after(following("specify", waited_at="create-plan"), "design")
    assert (found.place.step, found.place.building) == (StageStep.TRACE, DONE)
    assert found.place.refining is not None


@pytest.mark.parametrize(
    ("stage", "then", "waited_at"),
    [
        ("create-plan", "create-tasks", "create-plan"),
        ("create-tasks", "implement", "design"),
        ("implement", "finish", "finish"),
    ],
)
def test_what_was_not_done_before_is_done_as_usual(stage: str, then: str, waited_at: str) -> None:
    """So it is after the stage at which it waited, and after code was changed."""
    found = after(following(stage, waited_at=waited_at), then)
    assert found.place.refining is None
    assert found.place.step is not StageStep.TRACE


def resumed(stage: str) -> Place:
    """Nothing else depends on the change, and the feature was at work on this stage."""
    found = traced(following("specify", waited_at=stage), Happened((JobResult(),)), RULES, 1.0)
    assert (found.place.state.stage, found.place.refining) == (stage, None)
    return found.place


def test_a_stage_in_progress_begins_with_what_it_had() -> None:
    """Tasks that are done stay done; before there is code nothing is to be kept."""
    assert resumed("implement").building.done == ("1",)
    assert resumed("create-plan").keeping is None
