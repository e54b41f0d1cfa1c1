"""Flows, stages and transitions. Covers: A1, A2, A6, A7, F7, F9."""

from __future__ import annotations

from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sparing.artifact import ArtifactName as A
from sparing.flow.advance import BREAKER, TABLE, advance, begin, needed
from sparing.flow.flows import FEATURE, FLOWS, L1, L2, L3
from sparing.flow.stage import Flow, Stage, StageWork
from sparing.flow.state import TERMINAL, Cause, Do, FlowState, Outcome, OutcomeKind, Position

WORK = (
    OutcomeKind.PASSED,
    OutcomeKind.CAPPED_WARNINGS,
    OutcomeKind.CAPPED_BLOCKERS,
    OutcomeKind.REFUSED,
    OutcomeKind.FAILED,
)


def run(state: FlowState, *outcomes: Outcome | OutcomeKind) -> FlowState:
    for outcome in outcomes:
        given_outcome = outcome if isinstance(outcome, Outcome) else Outcome(outcome)
        state = advance(state, given_outcome).state
    return state


def to_gate(flow: str, stage: str) -> FlowState:
    state = begin(flow)
    while state.stage != stage:
        state = run(state, OutcomeKind.PASSED)
        if state.position is Position.GATE:
            state = run(state, OutcomeKind.APPROVE)
    return run(state, OutcomeKind.PASSED)


def test_stages_of_the_feature_flow_in_order() -> None:
    """A1"""
    assert FEATURE.names == (
        "brainstorm", "specify", "design", "create-plan", "create-tasks", "implement", "finish",
    )  # fmt: skip


def test_stages_of_the_tiers() -> None:
    """A2"""
    assert L1.names == ("plan", "implement", "done")
    assert L2.names == ("brainstorm", "plan", "implement", "verify", "done")
    assert L3.names == (
        "brainstorm", "design_review", "plan", "implement", "code_review", "verify", "done",
    )  # fmt: skip


def test_whoever_sums_up_reads_what_others_made_of_the_work() -> None:
    """A2, F9: the program's verification and the judge's report, where the tier has them."""
    work = (A.PLAN, A.IMPLEMENTATION)
    assert L1.stage("done").reads == work
    assert L2.stage("done").reads == (*work, A.VERIFICATION)
    assert set(L3.stage("done").reads) == {
        *work, A.VERIFICATION, A.CODE_REVIEW,
    }  # fmt: skip


def test_default_gates() -> None:
    """A7: after each document stage and before the merge; the tiers' own five."""
    assert [s.name for s in FEATURE.stages if s.gate] == list(FEATURE.names)
    assert [s.name for s in L3.stages if s.gate] == [
        "brainstorm", "design_review", "plan", "code_review", "done",
    ]  # fmt: skip


@pytest.mark.parametrize(
    ("have", "start", "target", "missing"),
    [
        ({A.SPEC}, "specify", "create-plan", "design.md"),
        ({A.SPEC, A.DESIGN}, "design", "create-tasks", "plan.md"),
        ({A.PRD}, "brainstorm", "implement", "spec.md and tasks.md"),
    ],
)
def test_hard_prerequisites_hold_for_skips(
    have: set[A], start: str, target: str, missing: str
) -> None:
    """A1: create-plan needs design.md, create-tasks plan.md, implement spec.md and tasks.md."""
    state = begin("feature", start, frozenset(have))
    move = advance(state, Outcome(OutcomeKind.SKIP, target))
    assert (move.do, move.state, move.note) == (
        Do.REFUSE,
        state,
        f"{target} needs a valid {missing}",
    )


def test_skipping_is_recorded() -> None:
    """A1"""
    state = run(begin("feature"), Outcome(OutcomeKind.SKIP, "specify"))
    assert state.stage == "specify"
    assert [(s.stage, s.to) for s in state.skipped] == [("brainstorm", "specify")]


def test_going_back_keeps_what_was_made() -> None:
    """A1, A6"""
    state = run(to_gate("feature", "design"), Outcome(OutcomeKind.BACK, "specify"))
    assert (state.stage, state.position) == ("specify", Position.TODO)
    assert A.DESIGN in state.have
    assert advance(state, Outcome(OutcomeKind.BACK, "implement")).do is Do.REFUSE


def test_gate_waits_and_approval_goes_on() -> None:
    state = run(begin("feature"), OutcomeKind.PASSED)
    assert state.position is Position.GATE
    move = advance(state, Outcome(OutcomeKind.APPROVE))
    assert (move.do, move.state.stage) == (Do.RUN, "specify")


def test_rejections_trip_the_breaker_and_a_rerun_resets_it() -> None:
    """F7: after three rejections the feature is blocked."""
    state = run(begin("feature"), OutcomeKind.PASSED)
    for _ in range(BREAKER - 1):
        state = run(state, OutcomeKind.REJECT)
        assert state.position is Position.TODO
        state = run(state, OutcomeKind.PASSED)
    state = run(state, OutcomeKind.REJECT)
    assert (state.position, state.reason) == (Position.STUCK, "rejected 3 times")
    assert advance(state, Outcome(OutcomeKind.APPROVE)).do is Do.REFUSE
    assert run(state, OutcomeKind.RERUN).rejects == ()


def test_negative_verdict_goes_back_and_is_counted() -> None:
    """F9: a failed code_review runs implement again; the third one is for a human."""
    state = begin("L3", "code_review", frozenset({A.PLAN}))
    for _ in range(BREAKER - 1):
        state = run(state, OutcomeKind.REFUSED)
        assert (state.stage, state.position) == ("implement", Position.TODO)
        state = run(state, OutcomeKind.PASSED)
        assert state.stage == "code_review"
    assert run(state, OutcomeKind.REFUSED).position is Position.STUCK


def test_cap_with_warnings_asks_a_human_and_goes_on_headless() -> None:
    """A6: headless takes the safe choice: on with recorded concerns, never past a blocker."""
    state = begin("feature", "finish")
    assert run(state, OutcomeKind.CAPPED_WARNINGS).position is Position.STUCK
    on = advance(state, Outcome(OutcomeKind.CAPPED_WARNINGS, headless=True, stops=False))
    assert (on.do, on.state.concerns) == (Do.HAND_OVER, ("finish",))
    assert (
        run(state, Outcome(OutcomeKind.CAPPED_BLOCKERS, headless=True)).position is Position.STUCK
    )


def test_a_human_may_accept_open_findings_but_not_a_failure() -> None:
    capped = run(begin("feature"), OutcomeKind.CAPPED_BLOCKERS, OutcomeKind.APPROVE)
    assert (capped.stage, capped.concerns) == ("specify", ("brainstorm",))
    assert A.PRD in capped.have
    failed = run(begin("feature"), OutcomeKind.FAILED)
    assert advance(failed, Outcome(OutcomeKind.APPROVE)).do is Do.REFUSE


def test_hand_over_ends_or_gets_stuck() -> None:
    state = run(begin("feature", "finish"), OutcomeKind.PASSED, OutcomeKind.APPROVE)
    assert state.position is Position.HANDOVER
    assert run(state, OutcomeKind.PASSED).position is Position.DONE
    assert run(state, Outcome(OutcomeKind.FAILED, reason="conflict")).reason == "conflict"


def test_what_changed_after_the_last_approval_is_asked_about() -> None:
    """A7: also if an earlier hand-over has failed."""
    state = run(begin("feature", "finish"), OutcomeKind.PASSED, OutcomeKind.APPROVE)
    changed = Outcome(OutcomeKind.REFUSED, reason="changed")
    again = run(state, changed)
    assert (again.stage, again.position, again.reason) == ("finish", Position.GATE, "changed")
    assert run(state, OutcomeKind.FAILED, OutcomeKind.CONTINUE, changed) == again


@pytest.mark.parametrize("position", sorted(TERMINAL))
@pytest.mark.parametrize("kind", list(OutcomeKind))
def test_nothing_leaves_a_terminal_place(position: Position, kind: OutcomeKind) -> None:
    state = FlowState("feature", "finish", position)
    assert advance(state, Outcome(kind)).do is Do.REFUSE


outcomes = st.builds(
    Outcome,
    st.sampled_from(list(OutcomeKind)),
    st.sampled_from(["", *sorted({n for f in FLOWS.values() for n in f.names}), "nowhere"]),
    st.booleans(),
)


@given(st.sampled_from(sorted(FLOWS)), st.lists(outcomes, max_size=40))
def test_from_every_reachable_state_there_is_a_way_out(flow: str, happened: list[Outcome]) -> None:
    """A6: whatever happened, a human can finish the feature or give it up."""
    state = begin(flow)
    for outcome in happened:
        state = advance(state, outcome).state
    if state.position in TERMINAL:
        return
    if state.position is not Position.HANDOVER:
        assert run(state, OutcomeKind.ABANDON).position is Position.ABANDONED
    assert _finishes(state)


def _finishes(state: FlowState) -> bool:
    """A patient human: reruns what is stuck, approves what waits; the work succeeds."""
    for _ in range(40):
        if state.position is Position.DONE:
            return True
        kind = {Position.STUCK: OutcomeKind.RERUN, Position.GATE: OutcomeKind.APPROVE}.get(
            state.position, OutcomeKind.PASSED
        )
        move = advance(state, Outcome(kind))
        if move.do is Do.REFUSE:
            first_missing = FLOWS[state.flow].stages[0].name
            move = advance(state, Outcome(OutcomeKind.BACK, first_missing))
        state = move.state
    return False


@given(st.sampled_from(sorted(FLOWS)), st.lists(outcomes, max_size=40))
def test_states_stay_consistent(flow: str, happened: list[Outcome]) -> None:
    state = begin(flow)
    for outcome in happened:
        before, move = state, advance(state, outcome)
        state = move.state
        assert state.stage in FLOWS[flow].names
        assert all(count <= BREAKER for _, count in state.rejects)
        assert before.have <= state.have
        assert FlowState.load(state.dump()) == state
        if move.do is Do.REFUSE:
            assert state == before
            assert move.note


def test_table_knows_every_outcome_of_the_work() -> None:
    assert {kind for position, kind in TABLE if position is Position.TODO} >= set(WORK)


@pytest.mark.parametrize(
    "build",
    [
        lambda: Stage("x", StageWork.DOCUMENT),
        lambda: Stage("x", StageWork.CHECK, cap=0),
        lambda: Flow("x", ()),
        lambda: Flow("x", (Stage("a", StageWork.CHECK, on_fail="b"), Stage("b", StageWork.CHECK))),
    ],
)
def test_a_flow_that_makes_no_sense_is_refused(build: object) -> None:
    assert callable(build)
    with pytest.raises(ValueError, match=r".+"):
        build()


def test_documents_that_a_person_may_have_deleted() -> None:
    """A6: those there are and a later stage reads; while it is stuck, also the one it writes."""
    assert needed(begin("feature")) == frozenset()
    at_gate = to_gate("feature", "design")
    assert needed(at_gate) == {A.SPEC, A.DESIGN}
    stuck = run(at_gate, Outcome(OutcomeKind.APPROVE), OutcomeKind.FAILED)
    assert (stuck.stage, stuck.position) == ("create-plan", Position.STUCK)
    assert needed(stuck) == {A.SPEC, A.DESIGN, A.PLAN}


@pytest.mark.parametrize(
    ("kind", "said"),
    [
        (OutcomeKind.APPROVE, "paused: there is nothing to approve"),
        (OutcomeKind.ANSWER, "paused: nothing was asked"),
    ],
)
def test_a_refusal_names_no_command_that_may_not_be_offered(kind: OutcomeKind, said: str) -> None:
    """A6, K1: what helps depends on why it stopped, and is said by whoever knows that."""
    paused = replace(
        begin("L1"), position=Position.STUCK, held=Position.TODO, cause=Cause.PAUSED,
        reason="paused",
    )  # fmt: skip
    move = advance(paused, Outcome(kind))
    assert (move.do, move.note) == (Do.REFUSE, said)
