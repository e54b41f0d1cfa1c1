"""A document on which nothing can be built: its author is told once, then a person decides.

Covers: A1, A3
"""

from __future__ import annotations

import pytest

from sparing.artifact import ArtifactName
from sparing.flow.advance import advance, begin
from sparing.flow.flows import FEATURE
from sparing.flow.state import Do, FlowState, Outcome, OutcomeKind, Position
from sparing.job import JobResult
from sparing.stages.moves import DocumentProblems, Happened, Next, StageRules
from sparing.stages.place import Place
from sparing.stages.stage import next_move
from sparing.turn import Turn

RULES = StageRules(3, frozenset(FEATURE.names), headless=False)
GOOD = DocumentProblems()
STUB = DocumentProblems(("design.md has 16 characters, fewer than 100",), (), "what it is told")
BARE = DocumentProblems((), ("plan.md has none of the sections `## Steps`",))
WHY = "design.md has 16 characters, fewer than 100"


def written(place: Place, document: DocumentProblems = GOOD) -> Next:
    result = JobResult(commit="c1", reply="reply")
    return next_move(place, Happened((result,), document=document), RULES, 100.0)


def at_author(stage: str) -> Place:
    """Its author has been asked for the document."""
    place = Place(begin("feature", stage, frozenset(ArtifactName)), "base")
    return next_move(place, Happened((JobResult(commit="c0"),)), RULES, 100.0).place


def test_a_stub_goes_back_to_its_author_with_the_complaint() -> None:
    """A3: before any reviewer, and before the next stage is paid for."""
    found = written(at_author("create-plan"), STUB)
    assert [(job.role, job.turn) for job in found.jobs] == [("plan-author", Turn.REDO)]
    assert found.jobs[0].feedback == "what it is told"
    assert found.notes == (("plan-author", f"{WHY}: asked once to repair it"),)


def test_a_second_stub_goes_to_a_person() -> None:
    """A3"""
    found = written(written(at_author("create-plan"), STUB).place, STUB)
    assert (found.do, found.jobs) == (Do.WAIT, ())
    assert (found.place.state.position, found.place.state.reason) == (Position.STUCK, WHY)


def test_an_author_that_mends_nothing_is_no_reason_the_stub_is() -> None:
    """A3: the person is told what is wrong with the document, not that nothing changed."""
    place = written(at_author("create-plan"), STUB).place
    left = JobResult(failure="nothing changed", detail="plan-author left no change", reply="reply")
    found = next_move(place, Happened((left,), document=STUB), RULES, 100.0)
    assert (found.place.state.position, found.place.state.reason) == (Position.STUCK, WHY)


def test_what_was_mended_is_reviewed() -> None:
    """A3"""
    found = written(written(at_author("create-plan"), STUB).place)
    assert [job.turn for job in found.jobs] == [Turn.REVIEW]
    assert found.place.repairs == 0


def test_a_section_that_is_only_expected_is_told_and_goes_on() -> None:
    """A3"""
    found = written(at_author("create-plan"), BARE)
    assert [job.turn for job in found.jobs] == [Turn.REVIEW]
    assert found.notes == (("plan-author", BARE.warnings[0]),)


def waiting(stage: str, position: Position = Position.GATE) -> FlowState:
    have = frozenset(ArtifactName)
    return FlowState("feature", stage, position, have=have, acceptable=True)


UNFIT = ((ArtifactName.DESIGN, WHY),)


@pytest.mark.parametrize(
    ("stage", "outcome"),
    [
        ("design", Outcome(OutcomeKind.APPROVE, unfit=UNFIT)),
        ("specify", Outcome(OutcomeKind.SKIP, target="create-plan", unfit=UNFIT)),
        ("create-tasks", Outcome(OutcomeKind.BACK, target="create-plan", unfit=UNFIT)),
    ],
    ids=lambda one: getattr(one, "kind", one),
)
def test_no_way_leads_into_a_stage_whose_document_is_unfit(stage: str, outcome: Outcome) -> None:
    """A1: a person may have emptied it at a gate."""
    move = advance(waiting(stage), outcome)
    assert (move.do, move.note) == (Do.REFUSE, f"create-plan needs a valid design.md: {WHY}")


def test_other_stages_don_t_care() -> None:
    """A1"""
    outcome = Outcome(OutcomeKind.APPROVE, unfit=((ArtifactName.PRD, "prd.md has no sections"),))
    assert advance(waiting("design"), outcome).do is Do.RUN


def test_a_person_can_t_accept_a_stub_that_stands_there() -> None:
    """A3: what is stuck is not taken as it is while nothing can be built on it."""
    move = advance(waiting("design", Position.STUCK), Outcome(OutcomeKind.APPROVE, unfit=UNFIT))
    assert (move.do, move.note) == (Do.REFUSE, f"{WHY}: the next stage can't build on it")


def test_the_gate_says_why_it_still_asks() -> None:
    """A1: an approval that was given beforehand."""
    place = Place(waiting("design"), "c1")
    answer = Outcome(OutcomeKind.APPROVE, unfit=UNFIT)
    found = next_move(place, Happened(answer=answer), RULES, 100.0)
    assert found.do is Do.REFUSE
    assert found.place.state.reason == f"create-plan needs a valid design.md: {WHY}"
