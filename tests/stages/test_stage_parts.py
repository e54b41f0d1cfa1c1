"""What surrounds the author of a document: those who look around before, and its own parts.

Covers: A1, A8, C1, C11
"""

from __future__ import annotations

from dataclasses import replace

import pytest

from sparing import codec
from sparing.artifact import ArtifactName
from sparing.failure import Failure
from sparing.flow.advance import begin
from sparing.flow.flows import FEATURE, FLOWS, RESEARCH
from sparing.flow.state import Do, Outcome, OutcomeKind, Position
from sparing.job import BUDGET, Job, JobKind, JobResult
from sparing.roles.load import RoleClass, shipped
from sparing.stages.moves import Happened, Next, StageRules
from sparing.stages.place import Place
from sparing.stages.stage import next_move
from sparing.turn import StageStep, Turn

RULES = StageRules(3, frozenset(FEATURE.names), headless=False, assistants=frozenset(RESEARCH))


def at(stage: str, flow: str = "feature") -> Place:
    return Place(begin(flow, stage, frozenset(ArtifactName)), "base")


def after(place: Place, *results: JobResult, rules: StageRules = RULES) -> Next:
    return next_move(place, Happened(results), rules, 100.0)


def answered(place: Place, kind: OutcomeKind, feedback: str = "") -> Next:
    return next_move(place, Happened(answer=Outcome(kind), feedback=feedback), RULES, 100.0)


def asked(found: Next) -> list[tuple[str, Turn]]:
    return [(job.role, job.turn) for job in found.jobs]


def found_by(role: str, reply: str = "hash") -> JobResult:
    return JobResult(role=role, reply=reply)


@pytest.mark.parametrize("stage", ["brainstorm", "design"])
def test_two_look_around_side_by_side_before_the_author(stage: str) -> None:
    """A1"""
    found = after(at(stage), JobResult(commit="c0"))
    assert asked(found) == [(role, Turn.RESEARCH) for role in RESEARCH]
    found = after(found.place, *(found_by(role, f"of {role}") for role in RESEARCH))
    assert asked(found) == [(FEATURE.stage(stage).author, Turn.WRITE)]
    assert found.jobs[0].research == tuple((role, f"of {role}") for role in RESEARCH)
    assert codec.load(Job, codec.dump(found.jobs[0])) == found.jobs[0]
    assert Place.load(found.place.dump()) == found.place


@pytest.mark.parametrize("role", RESEARCH)
def test_they_only_read_and_never_remember(role: str) -> None:
    """C11, B3: no documents, no session."""
    known = shipped(role)
    assert (known.role_class, known.artifacts, known.always_fresh) == (
        RoleClass.RESEARCHER, (), True,
    )  # fmt: skip


def test_one_that_found_nothing_or_failed_is_left_out() -> None:
    """A1: it never holds the author up."""
    found = after(at("design"), JobResult(commit="c0"))
    found = after(found.place, found_by("researcher", ""), found_by("codebase-explorer"))
    assert asked(found) == [("design-author", Turn.WRITE)]
    assert found.jobs[0].research == (("codebase-explorer", "hash"),)


def test_who_is_not_wanted_is_not_asked() -> None:
    """A1"""
    one = RULES._replace(assistants=frozenset({"researcher"}))
    assert asked(after(at("design"), JobResult(commit="c0"), rules=one)) == [
        ("researcher", Turn.RESEARCH)
    ]
    none = RULES._replace(assistants=frozenset())
    assert asked(after(at("design"), JobResult(commit="c0"), rules=none)) == [
        ("design-author", Turn.WRITE)
    ]
    assert asked(after(at("specify"), JobResult(commit="c0"))) == [("spec-author", Turn.WRITE)]


@pytest.mark.parametrize("failure", [BUDGET, Failure.QUOTA.value])
def test_what_stops_everybody_stops_them_and_only_the_rest_is_asked_again(failure: str) -> None:
    """A1"""
    found = after(at("design"), JobResult(commit="c0"))
    found = after(found.place, found_by("codebase-explorer"), JobResult(failure=failure))
    assert found.place.state.position is Position.STUCK
    found = answered(found.place, OutcomeKind.CONTINUE)
    assert asked(found) == [("researcher", Turn.RESEARCH)]
    # What was there before is counted with what came.
    found = after(found.place, *found.place.done, found_by("researcher"))
    assert [role for role, _ in found.jobs[0].research] == list(RESEARCH)


def written(stage: str) -> Next:
    none = RULES._replace(assistants=frozenset())
    found = after(at(stage), JobResult(commit="c0"), rules=none)
    return after(found.place, JobResult(commit="c1", reply="first"))


def test_a_design_is_written_in_two_turns() -> None:
    """A1: architecture, then interface, then the reviewers."""
    none = RULES._replace(assistants=frozenset())
    first = after(at("design"), JobResult(commit="c0"), rules=none)
    assert [(job.turn, job.part) for job in first.jobs] == [(Turn.WRITE, "architecture")]
    second = after(first.place, JobResult(commit="c1", reply="first"))
    assert [(job.turn, job.part, job.head, job.iteration) for job in second.jobs] == [
        (Turn.PART, "interface", "c1", 1)
    ]
    third = after(second.place, JobResult(commit="c2", reply="second"))
    assert asked(third) == [("design-reviewer", Turn.REVIEW)]
    assert third.place.head == "c2"
    assert third.place.turn == 1, "a revision is still the second iteration"


def test_a_part_that_adds_nothing_goes_on() -> None:
    """A1"""
    found = after(written("design").place, JobResult(commit="c1", changed=False))
    assert asked(found) == [("design-reviewer", Turn.REVIEW)]
    assert found.place.idle == 0


def test_other_documents_have_no_parts() -> None:
    assert asked(written("specify")) == [("spec-reviewer", Turn.REVIEW)]


def test_a_rejected_design_is_neither_researched_nor_cut_again() -> None:
    """A1"""
    place = replace(at("design"), step=StageStep.CLOSE)
    gate = replace(place, state=replace(place.state, position=Position.GATE))
    found = answered(gate, OutcomeKind.REJECT, "feedback")
    assert asked(found) == [("design-author", Turn.REDO)]
    found = after(found.place, JobResult(commit="c5"))
    assert asked(found) == [("design-reviewer", Turn.REVIEW)]


def test_run_again_from_its_beginning_a_stage_is_researched_again() -> None:
    place = replace(at("design"), step=StageStep.CLOSE, part=1)
    gate = replace(place, state=replace(place.state, position=Position.GATE))
    found = answered(gate, OutcomeKind.RERUN)
    assert asked(found) == [(role, Turn.RESEARCH) for role in RESEARCH]
    assert found.place.part == 0


@pytest.mark.parametrize(("stage", "cap"), [("brainstorm", 3), ("specify", 5)])
def test_a_brainstorm_has_three_looks_at_most(stage: str, cap: int) -> None:
    """A1, C1: whatever the settings allow."""
    rules = RULES._replace(cap=5, assistants=frozenset())
    place = after(at(stage), JobResult(commit="c0"), rules=rules).place
    assert place.loop is not None
    assert place.loop.cap == cap


def test_a_project_is_a_prd_then_a_proposal_then_a_gate() -> None:
    """A8: nothing of it begins before a person has agreed."""
    assert FLOWS["project"].names == ("brainstorm", "decompose")
    rules = RULES._replace(gates=frozenset(FLOWS["project"].names))
    found = after(at("decompose", "project"), JobResult(commit="c0"), rules=rules)
    assert asked(found) == [("decomposer", Turn.PROPOSE)]
    found = after(found.place, JobResult(commit="c1"), rules=rules)
    assert [job.kind for job in found.jobs] == [JobKind.CLOSE]
    found = after(found.place, JobResult(commit="c2"), rules=rules)
    assert (found.do, found.place.state.position) == (Do.WAIT, Position.GATE)
    found = answered(found.place, OutcomeKind.APPROVE)
    assert [job.kind for job in found.jobs] == [JobKind.HANDOVER]


def test_what_a_feature_begins_with_is_given_to_its_first_job_alone() -> None:
    """A1, A5"""
    place = replace(at("specify"), given=(("prd.md", "hash"),))
    found = next_move(place, Happened(), RULES, 100.0)
    assert found.jobs[0].given == (("prd.md", "hash"),)
    assert Place.load(found.place.dump()) == found.place
    found = after(found.place, JobResult(commit="c0"))
    assert (found.place.given, found.jobs[0].given) == ((), ())


def test_places_and_jobs_of_an_earlier_version_are_read() -> None:
    """Rows and replays of before have none of it."""
    new = ("part", "research", "given")
    place = {key: one for key, one in at("design").dump().items() if key not in new}
    assert Place.load(place) == at("design")
    job = Job(JobKind.OPEN, "design", "c0", "open")
    assert (
        codec.load(Job, {key: one for key, one in codec.dump(job).items() if key not in new}) == job
    )
