"""The original workflow's rules, row by row and to the letter. Covers: C6, C7, C8, C9, C10, C11."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sparing.dispatch_policy import Policy, Way
from sparing.economy.choose import MATRIX, Moment, Template, decide_way, row_for
from sparing.economy.predict import Diff, too_long
from sparing.turn_kind import Actor
from tests.economy.offers import inputs

ALL = (Way.COMPOSE, Way.REFERENCE, Way.RESUME)


def moment(
    *,
    actor: Actor = Actor.REVIEWER,
    first: bool = False,
    session: bool = True,
    can_resume: bool = True,
    error: str = "",
    final: bool = False,
    diff: Diff = Diff.CHANGED,
    answers: bool = False,
    delta: int = 500,
) -> Moment:
    """By default: a reviewer that failed, whose delta is short beside a fresh prompt of 2,100."""
    return Moment(actor, first, session, can_resume, error, final, diff, answers, delta, 2_100)


FULL, DELTA, FINAL = Template.FULL, Template.DELTA, Template.FINAL
FALLBACK, FIX, FIX_DELTA = Template.FALLBACK, Template.FIX, Template.FIX_DELTA
FIXER = Actor.FIXER
ROWS = [
    ("first look", moment(first=True, session=False), FULL, False, False),
    ("first look", moment(first=True), FULL, False, False),
    ("failed before, delta fits", moment(), DELTA, False, False),
    ("delta over half of the fresh prompt", moment(delta=1_051), FULL, True, False),
    ("resume failed", moment(error="no conversation"), FALLBACK, True, True),
    ("final validation", moment(final=True), FINAL, False, False),
    ("final validation", moment(final=True, delta=9_000), FINAL, False, False),
    ("final validation", moment(final=True, diff=Diff.EMPTY), FINAL, False, False),
    ("final validation, resume failed", moment(final=True, error="400"), FALLBACK, True, True),
    ("session lost", moment(session=False), FALLBACK, True, True),
    ("commit of its last look lost", moment(diff=Diff.LOST), FALLBACK, True, True),
    ("commit or diff failed", moment(diff=Diff.FAILED), FULL, True, False),
    ("nothing changed, nothing answered", moment(diff=Diff.EMPTY), FULL, True, False),
    ("only answers", moment(diff=Diff.EMPTY, answers=True), DELTA, False, False),
    ("the backend can't resume", moment(can_resume=False), FULL, False, False),
    ("this turn opens a session", moment(actor=Actor.LONE), FULL, False, False),
    ("first fix", moment(actor=FIXER, first=True, session=False), FIX, False, False),
    ("its session continues, delta fits", moment(actor=FIXER), FIX_DELTA, False, False),
    (
        "fix, delta over half of the fresh prompt",
        moment(actor=FIXER, delta=1_051),
        FIX,
        True,
        False,
    ),
    ("fix, resume failed", moment(actor=FIXER, error="no conversation"), FIX, True, True),
    ("fix, session lost", moment(actor=FIXER, session=False), FIX, True, True),
    ("fix, commit of its last turn lost", moment(actor=FIXER, diff=Diff.LOST), FIX, True, True),
    ("fix, commit or diff failed", moment(actor=FIXER, diff=Diff.FAILED), FIX, True, False),
    ("fix, nothing to tell", moment(actor=FIXER, diff=Diff.EMPTY), FIX, True, False),
    ("fix, the backend can't resume", moment(actor=FIXER, can_resume=False), FIX, False, False),
]


@pytest.mark.parametrize(("scenario", "at", "template", "reset", "marker"), ROWS)
def test_each_row_of_the_matrix(
    scenario: str, at: Moment, template: Template, reset: bool, marker: bool
) -> None:
    """C6, C7, C8, C9, C10, C11: the template, what becomes of the session, and the marker."""
    decision = decide_way(Policy.SEED, at, inputs(*ALL))
    way = Way.RESUME if template in (DELTA, FINAL, FIX_DELTA) else Way.REFERENCE
    assert (decision.reason, decision.template, decision.way) == (scenario, template, way)
    assert (decision.reset, decision.marker) == (reset, marker)


def test_no_row_is_left_untried() -> None:
    assert {scenario for scenario, *_ in ROWS} == {row.scenario for row in MATRIX}


@given(
    actor=st.sampled_from(Actor),
    flags=st.tuples(*[st.booleans()] * 6),
    diff=st.sampled_from(Diff),
    delta=st.integers(0, 5_000),
    guarded=st.booleans(),
)
def test_every_dispatch_has_its_row(
    actor: Actor, flags: tuple[bool, ...], diff: Diff, delta: int, guarded: bool
) -> None:
    """C7: whatever happened, there is a row, and nothing is resumed that can't be."""
    first, session, can_resume, error, final, answers = flags
    at = moment(
        actor=actor, first=first, session=session, can_resume=can_resume,
        error="gone" if error else "", final=final, diff=diff, answers=answers, delta=delta,
    )  # fmt: skip
    row = row_for(at, guarded=guarded)
    if row.template.resumes:
        assert session
        assert can_resume
        assert not first
        assert not error
        assert diff not in (Diff.LOST, Diff.FAILED)
    assert not row.marker or row.reset, "a fallback replaces the session"


@pytest.mark.parametrize(
    ("delta", "fresh", "trips"),
    [
        (1_050, 2_100, False),
        (1_051, 2_100, True),
        (1_050, 2_101, False),
        (1_051, 2_101, True),
        (1, 0, True),
        (0, 0, False),
    ],
)
def test_the_guard_trips_above_half_and_not_at_half(delta: int, fresh: int, trips: bool) -> None:
    """C6: characters of the whole delta prompt against those of the latest fresh prompt."""
    assert too_long(delta, fresh) is trips


def test_a_real_delta_trips_the_guard_though_its_bill_is_a_third() -> None:
    """C6: 1,746 characters against a prompt of references of 2,100; the default asks the price."""
    at = moment(delta=1_746)
    assert decide_way(Policy.SEED, at, inputs(*ALL)).template is FULL
    adaptive = decide_way(Policy.ADAPTIVE, at, inputs(*ALL))
    assert (adaptive.way, adaptive.template, adaptive.reset) == (Way.RESUME, DELTA, False)


def test_a_cold_cache_is_no_failure() -> None:
    """C8: the original workflow resumes at any distance."""
    decision = decide_way(Policy.SEED, moment(), inputs(*ALL, idle=36_000))
    assert (decision.way, decision.marker) == (Way.RESUME, False)


def test_without_a_reader_for_paths_fresh_means_inline() -> None:
    decision = decide_way(Policy.SEED, moment(first=True), inputs(Way.COMPOSE))
    assert decision.way is Way.COMPOSE


def test_predictions_are_kept_under_every_policy() -> None:
    """E1: what the other ways would have cost is known later."""
    for policy in Policy:
        decision = decide_way(policy, moment(), inputs(*ALL))
        assert set(decision.predictions) == set(Way)
        assert decision.predictions[Way.RESUME].cost


def test_a_caller_that_contradicts_itself_is_told() -> None:
    with pytest.raises(ValueError, match="not on offer"):
        decide_way(Policy.SEED, moment(), inputs(Way.COMPOSE))
    with pytest.raises(ValueError, match="compose is always on offer"):
        decide_way(Policy.ADAPTIVE, moment(), inputs(Way.RESUME))
