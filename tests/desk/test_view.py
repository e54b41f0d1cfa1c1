"""What a person sees of a feature in every state, and the command that leads on.

Covers: A6, K1
"""

from __future__ import annotations

import pytest

from sparing.desk.features.view import (
    FeatureView,
    feature_view,
    list_views,
    open_rows,
    waiting_gate,
)
from sparing.desk.gates import answers
from sparing.desk.office import Office
from tests.desk.standing import NOW, STATES, answered, standing

APPROVAL = "your approval of plan"
SEEN: dict[str, tuple[str, str, bool, str, str]] = {
    # status, position, running, what is waited for, next command
    "not begun": ("planned", "todo", False, "", "sparing run 001"),
    "under way": ("active", "todo", True, "", "sparing run 001"),
    "at a gate": ("active", "gate", False, APPROVAL, "sparing approve 001"),
    "stuck, acceptable": (
        "active", "stuck", False, "warnings are open at the cap", "sparing approve 001",
    ),
    "stuck": (
        "active", "stuck", False, "checks are red: tests",
        'sparing reject 001 "what should be different"',
    ),
    "done": ("completed", "done", False, "", "sparing show 001"),
    "abandoned": ("abandoned", "abandoned", False, "", "sparing show 001"),
}  # fmt: skip


def words(view: FeatureView) -> tuple[str, str, bool, str, str]:
    return view.status, view.position, view.running, view.waits_for, view.next_command


@pytest.mark.parametrize("name", STATES)
def test_a_feature_in_every_state(office: Office, name: str) -> None:
    """A6"""
    view = feature_view(office, standing(office, name))
    assert words(view) == SEEN[name]
    assert view.answered == ""
    assert (view.id, view.flow, view.stages) == ("001", "L1", 3)
    assert view.branch == f"feature/{view.name}"
    assert view.worktree == str(office.folder.worktree(view.name))


@pytest.mark.parametrize(("name", "done"), [("not begun", 0), ("at a gate", 1), ("done", 3)])
def test_how_many_stages_are_done(office: Office, name: str, done: int) -> None:
    """A6"""
    assert feature_view(office, standing(office, name)).stages_done == done


@pytest.mark.parametrize("name", ["at a gate", "stuck, acceptable", "stuck"])
def test_an_answer_that_waits_for_the_engine(office: Office, name: str) -> None:
    """A6: it is shown, it is no longer asked for, and what leads on is a run."""
    row = standing(office, name)
    gate = waiting_gate(office, row)
    assert gate is not None
    assert (gate.id, gate.stage) == (row.leg_id, "plan")
    answers.reject(office, row, "shorter", "terminal", NOW)
    view = feature_view(office, row)
    assert (view.answered, view.next_command) == ("reject", "sparing run 001")
    assert waiting_gate(office, row) is None


@pytest.mark.parametrize("name", ["at a gate", "stuck, acceptable", "stuck"])
def test_an_answered_feature_whose_leg_has_just_begun(office: Office, name: str) -> None:
    """A6: nothing is asked for again before its first step has said where it stands."""
    view = feature_view(office, answered(office, standing(office, name)))
    assert (view.running, view.waits_for, view.next_command) == (True, "", "sparing run 001")


def test_features_that_can_go_on(office: Office) -> None:
    """A6: all but those that are done or given up, in the order of their numbers."""
    rows = [standing(office, name) for name in STATES]
    assert [view.id for view in list_views(office)] == [row.feature.id for row in rows]
    assert [row.feature.title for row in open_rows(office)] == [
        f"Feature that is {name}" for name in STATES if name not in ("done", "abandoned")
    ]
