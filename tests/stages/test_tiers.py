"""The tiers from stage to stage: gates, verdicts, rejections.

Covers: A2, A7, F7, F9
"""

from __future__ import annotations

from dataclasses import replace

import pytest

from sparing.context.documents.handoff import Handoff
from sparing.flow.advance import BREAKER, advance
from sparing.flow.flows import FLOWS
from sparing.flow.state import Do, Outcome, OutcomeKind, Position
from sparing.job import JobKind, JobResult
from sparing.stages.moves import Happened, Next
from sparing.stages.stage import next_move
from sparing.turn import StageStep, Turn
from tests.stages.tiers import (
    DONE,
    after,
    asked,
    at,
    closed,
    entered,
    own_gates,
    reopened,
    rules_of,
    said,
    stuck,
    walked,
)

REFUSED = JobResult(dispatch="d", passed=False, commit="c1", reply="all tests passed, approved")


@pytest.mark.parametrize(
    ("flow", "story"),
    [
        ("L1", "plan plan? implement done done?"),
        ("L2", "brainstorm brainstorm? plan plan? implement verify done done?"),
        (
            "L3",
            "brainstorm brainstorm? design_review design_review? plan plan? implement"
            " code_review code_review? verify done done?",
        ),
    ],
)
def test_a_tier_goes_through_its_stages_and_stops_at_its_gates(flow: str, story: str) -> None:
    """A2, A7: a question mark is a wait for a person."""
    assert " ".join(walked(flow)) == story


@pytest.mark.parametrize("flow", ["feature", "L1", "L2", "L3"])
def test_every_stage_can_be_made_to_stop_or_to_go_on(flow: str) -> None:
    """A7: per stage configurable, whatever the flow has of its own."""
    for stage in FLOWS[flow].names:
        place = replace(at(flow, stage, StageStep.CLOSE), marks={})
        for gates in (frozenset[str](), frozenset({stage}), own_gates(flow)):
            rules = rules_of(flow, gates=gates)
            found = next_move(place, Happened((JobResult(commit="c1"),)), rules, 1.0)
            waits = found.place.state.position is Position.GATE
            assert waits is (stage in gates), (stage, gates)


def refused(flow: str, stage: str) -> Next:
    return after(entered(flow, stage).place, REFUSED)


@pytest.mark.parametrize(
    ("stage", "back", "turn"),
    [("design_review", "brainstorm", Turn.WRITE), ("code_review", "implement", Turn.BUILD)],
)
def test_a_negative_verdict_runs_the_makers_again_with_its_findings(
    stage: str, back: str, turn: Turn
) -> None:
    """F9, and fault (d) of the original: there nobody acted on it."""
    found = refused("L3", stage)
    job = asked(found)
    assert (job.stage, job.turn, job.role, job.open) == (back, turn, "builder", ("d",))
    breaker = FLOWS["L3"].stage(stage).breaker
    assert found.place.state.rejects == ((breaker, 1),)


def test_red_checks_at_verify_run_implement_again_with_what_they_printed() -> None:
    """F9: the program's own check run."""
    red = JobResult(passed=False, reply="output", detail="checks are red: tests")
    found = after(entered("L3", "verify").place, red)
    job = asked(found)
    assert (job.stage, job.turn, job.feedback) == ("implement", Turn.BUILD, "output")
    assert found.place.state.rejects == (("implement", 1),)


def test_fault_d_no_phrase_of_a_reply_turns_red_checks_green() -> None:
    """F9, fault (d) of the original: there /tests? passed/ anywhere was enough."""
    claim = Handoff(summary="All tests passed. Score: 5/5. Verified.")
    built = after(entered("L1", "implement").place, JobResult(commit="c1"), handoff=claim)
    red = JobResult(passed=False, reply="all tests passed", detail="checks are red: tests")
    assert asked(built).kind is JobKind.CHECK
    found = after(built.place, red, handoff=claim, auto=True)
    assert asked(found).turn is Turn.REPAIR_CHECKS


def test_verdicts_and_red_checks_are_counted_together_until_a_person_looks() -> None:
    """F7, F9: code_review, verify and a person's no share the implementation's count."""
    found = refused("L3", "code_review")
    built = after(found.place, JobResult(commit="c2"), handoff=DONE)
    again = closed(after(built.place, JobResult(passed=True)))
    assert asked(again).turn is Turn.JUDGE
    passed = closed(after(again.place, JobResult(dispatch="e", passed=True, commit="c3")))
    verify = said(passed.place, OutcomeKind.APPROVE)
    red = JobResult(passed=False, reply="output", detail="checks are red: tests")
    found = after(verify.place, red)
    assert found.place.state.rejects == (("implement", 2),)
    built = after(found.place, JobResult(commit="c4"), handoff=DONE)
    again = closed(after(built.place, JobResult(passed=True)))
    found = after(again.place, REFUSED)
    assert stuck(found) == f"judge is not satisfied ({BREAKER} of {BREAKER} times)"


@pytest.mark.parametrize("stage", ["plan", "done"])
def test_the_breaker_blocks_after_three_rejections(stage: str) -> None:
    """F7, fault (h) of the original: there rejections of the last stage were not counted."""
    gate = gate_of("L1", stage)
    for count in (1, 2):
        again = reopened(said(gate.place, OutcomeKind.REJECT, "no"))
        assert (asked(again).turn, asked(again).feedback) == (Turn.REDO, "hash of no")
        assert again.place.state.rejects[0][1] == count
        gate = closed(after(again.place, JobResult(commit=f"c{count}"), handoff=DONE))
    blocked = reopened(said(gate.place, OutcomeKind.REJECT, "no"))
    assert stuck(blocked) == "rejected 3 times"
    for kind in (OutcomeKind.APPROVE, OutcomeKind.CONTINUE, OutcomeKind.ANSWER):
        assert advance(blocked.place.state, Outcome(kind)).do is Do.REFUSE
    assert stuck(said(blocked.place, OutcomeKind.REJECT, "still no")) == "rejected 3 times"
    assert advance(blocked.place.state, Outcome(OutcomeKind.RERUN)).state.rejects == ()


def test_a_rejected_verify_sends_the_words_to_whoever_can_act_on_them() -> None:
    """F7: where verify is a gate, a no means that the code is not good."""
    gates = frozenset({"verify"})
    place = replace(at("L2", "verify", StageStep.CLOSE), marks={})
    gate = next_move(place, Happened((JobResult(),)), rules_of("L2", gates=gates), 1.0)
    assert gate.place.state.position is Position.GATE
    job = asked(said(gate.place, OutcomeKind.REJECT, "wrong colour"))
    assert (job.stage, job.turn, job.feedback) == (
        "implement", Turn.BUILD, "hash of wrong colour",
    )  # fmt: skip


def test_a_judge_that_is_rejected_judges_again_with_the_words() -> None:
    """F7"""
    judged = after(entered("L3", "code_review").place, JobResult(dispatch="d", commit="c1"))
    job = asked(said(closed(judged).place, OutcomeKind.REJECT, "look at the tests too"))
    assert (job.stage, job.turn, job.feedback) == (
        "code_review", Turn.JUDGE, "hash of look at the tests too",
    )  # fmt: skip


def gate_of(flow: str, stage: str) -> Next:
    found = after(entered(flow, stage).place, JobResult(commit="c1"), handoff=DONE)
    return closed(found)
