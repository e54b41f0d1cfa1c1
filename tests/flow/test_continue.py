"""What was interrupted goes on where it was; nothing else can be continued. Covers: A6, E3."""

from __future__ import annotations

from dataclasses import replace

import pytest

from sparing.flow.advance import advance, begin
from sparing.flow.state import Cause, Do, FlowState, Outcome, OutcomeKind, Position


def failed(state: FlowState, cause: Cause = Cause.BUDGET) -> FlowState:
    move = advance(state, Outcome(OutcomeKind.FAILED, reason="budget: money", cause=cause))
    assert move.do is Do.WAIT
    return move.state


@pytest.mark.parametrize("cause", [Cause.BUDGET, Cause.LOOP, Cause.FAILED])
def test_a_stuck_stage_says_what_kind_of_reason_it_has(cause: Cause) -> None:
    state = failed(begin("feature", "design"), cause)
    assert (state.position, state.cause, state.held) == (Position.STUCK, cause, Position.TODO)


def test_a_stage_that_was_interrupted_goes_on() -> None:
    """E3: the same stage, with all that is known of it."""
    before = replace(begin("feature", "design"), rejects=(("design", 2),))
    move = advance(failed(before), Outcome(OutcomeKind.CONTINUE))
    assert (move.do, move.state.stage, move.state.position) == (Do.RUN, "design", Position.TODO)
    assert (move.state.rejects, move.state.reason) == (before.rejects, "")


def test_a_handover_that_failed_is_tried_again() -> None:
    before = replace(begin("feature", "finish"), position=Position.HANDOVER)
    move = advance(failed(before, Cause.FAILED), Outcome(OutcomeKind.CONTINUE))
    assert (move.do, move.state.position) == (Do.HAND_OVER, Position.HANDOVER)


def test_open_findings_are_no_interruption() -> None:
    """A person decides about them: they can't be waved through by going on."""
    capped = advance(begin("feature", "design"), Outcome(OutcomeKind.CAPPED_BLOCKERS)).state
    move = advance(capped, Outcome(OutcomeKind.CONTINUE))
    assert (move.do, move.state) == (Do.REFUSE, capped)


def test_an_earlier_interruption_is_forgotten_at_the_next_stop() -> None:
    again = advance(failed(begin("feature", "design")), Outcome(OutcomeKind.CONTINUE)).state
    capped = advance(again, Outcome(OutcomeKind.CAPPED_WARNINGS)).state
    assert (capped.cause, capped.held) == (Cause.NONE, None)


def test_a_gate_is_not_continued() -> None:
    gate = advance(begin("feature", "design"), Outcome(OutcomeKind.PASSED)).state
    assert advance(gate, Outcome(OutcomeKind.CONTINUE)).do is Do.REFUSE


def test_states_of_an_earlier_version_are_read() -> None:
    """I4: a place that was stored before has neither."""
    old = begin("feature", "design").dump()
    del old["cause"], old["held"]
    assert FlowState.load(old) == begin("feature", "design")
    stuck = failed(begin("feature", "design"))
    assert FlowState.load(stuck.dump()) == stuck
