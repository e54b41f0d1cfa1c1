"""The default policy takes the cheapest way that tells all. Covers: C6, C7, C15, E1."""

from __future__ import annotations

from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sparing.dispatch_policy import Policy, Way
from sparing.economy.choose import (
    TIE,
    Moment,
    Template,
    cheapest,
    compared,
    decide_way,
    plain_is_cheaper,
)
from sparing.economy.cost_model import Expected
from sparing.economy.expected_work import Share
from sparing.economy.predict import Diff, Prediction
from sparing.turn_kind import Actor
from tests.economy.offers import inputs

AGAIN = Moment(Actor.REVIEWER, first=False, session=True, delta_chars=3_600, fresh_chars=4_000)


def test_a_warm_session_is_resumed_and_a_cold_fat_one_is_not() -> None:
    """E1: the same dispatch, one minute and an hour after its last call."""
    warm = decide_way(Policy.ADAPTIVE, AGAIN, inputs(idle=60, transcript=60_000))
    assert (warm.way, warm.template, warm.reset) == (Way.RESUME, Template.DELTA, False)
    cold = decide_way(Policy.ADAPTIVE, AGAIN, inputs(idle=3_600, transcript=60_000))
    assert (cold.way, cold.template, cold.reset) == (Way.COMPOSE, Template.FULL, True)
    assert not cold.marker, "choosing is not falling back"


def test_a_cold_session_is_still_resumed_if_it_is_short() -> None:
    """E1: below its limit a forgotten transcript is cheaper than looking at everything again."""
    decision = decide_way(Policy.ADAPTIVE, AGAIN, inputs(idle=3_600, transcript=9_000))
    assert decision.way is Way.RESUME


def test_the_reason_says_the_figures() -> None:
    """E1: stored with the dispatch, for people."""
    decision = decide_way(Policy.ADAPTIVE, AGAIN, inputs(idle=60))
    assert decision.reason == (
        "resume costs as much as 18,740 input tokens"
        " (21,600 of 22,900 tokens cached, about 3 calls); compose 73,000"
    )


@pytest.mark.parametrize(
    ("ways", "why"),
    [
        (
            {Way.COMPOSE: Prediction(1_000.0, later=400.0), Way.PLAIN: Prediction(900.0)},
            "later turns that share its prefix are expected to save 400",
        ),
        (
            {Way.COMPOSE: Prediction(1_000.0), Way.REFERENCE: Prediction(995.0)},
            "reference is not cheaper by more than 1 %",
        ),
    ],
)
def test_the_reason_says_why_a_dearer_way_is_taken(ways: dict[Way, Prediction], why: str) -> None:
    """E1: beside a figure that is lower."""
    told = compared(Way.COMPOSE, ways, inputs())
    assert told.endswith(f"; {why}")


def test_on_the_model_of_others_a_way_costs_less_what_they_need_not_write_again() -> None:
    """E1, G5: compared with the price on a model of its own."""
    decision = decide_way(Policy.ADAPTIVE, AGAIN, inputs())
    ways = {decision.way: Prediction(1_000.0, later=400.0)}
    priced = replace(decision, predictions=ways)
    assert (priced.cost, priced.shared_cost) == (1_000.0, 600.0)


def test_the_guard_does_not_bind_the_default() -> None:
    """C6: 90 % of the fresh prompt's characters, and resumed all the same: the price decides."""
    assert decide_way(Policy.ADAPTIVE, AGAIN, inputs()).way is Way.RESUME


@pytest.mark.parametrize(
    ("moment", "why", "template", "marker"),
    [
        (replace(AGAIN, session=False), "session lost", Template.FALLBACK, True),
        (replace(AGAIN, resume_error="gone"), "resume failed", Template.FALLBACK, True),
        (
            replace(AGAIN, diff=Diff.EMPTY),
            "nothing changed, nothing answered",
            Template.FULL,
            False,
        ),
        (replace(AGAIN, diff=Diff.FAILED), "commit or diff failed", Template.FULL, False),
        (replace(AGAIN, can_resume=False), "the backend can't resume", Template.FULL, False),
        (replace(AGAIN, first=True), "first look", Template.FULL, False),
        (replace(AGAIN, actor=Actor.LONE), "this turn opens a session", Template.FULL, False),
    ],
)
def test_never_resumed_at_any_price(
    moment: Moment, why: str, template: Template, marker: bool
) -> None:
    """C7, C8, C11: an unknown session, nothing to tell, a resume that failed."""
    decision = decide_way(Policy.ADAPTIVE, moment, inputs())
    assert decision.way is Way.COMPOSE
    assert decision.reason.startswith(f"{why}; compose costs as much as 73,000 input tokens")
    assert (decision.template, decision.marker) == (template, marker)


def test_answers_alone_are_resumed() -> None:
    """C7: nothing changed, but the author gave reasons."""
    moment = replace(AGAIN, diff=Diff.EMPTY, answers=True)
    assert decide_way(Policy.ADAPTIVE, moment, inputs()).way is Way.RESUME


def test_final_validation_of_what_did_not_change_is_not_resumed() -> None:
    """C7: under the default such a reviewer is not asked at all."""
    moment = replace(AGAIN, diff=Diff.EMPTY, final=True)
    decision = decide_way(Policy.ADAPTIVE, moment, inputs())
    assert (decision.way, decision.template) == (Way.COMPOSE, Template.FULL)


def test_a_client_whose_resume_misses_loses_it() -> None:
    """C15: V5, learned from the ledger: warm by the clock, and yet nothing was read."""
    found = decide_way(Policy.ADAPTIVE, AGAIN, inputs(share=Share(0.1, 3)))
    assert found.way is Way.COMPOSE
    assert "reads too little of a resumed transcript from the cache, 10 % of it in 3 resumes" in (
        found.reason
    )
    ways = (Way.COMPOSE, Way.RESUME, Way.FORK)
    assert decide_way(Policy.ADAPTIVE, AGAIN, inputs(*ways, share=Share(0.1, 3))).way is Way.COMPOSE


def test_two_misses_are_no_proof_but_make_resume_dearer() -> None:
    """C15: until it is sure, the share only counts as a price."""
    sure = decide_way(Policy.ADAPTIVE, AGAIN, inputs(share=Share(0, 2)))
    hit = decide_way(Policy.ADAPTIVE, AGAIN, inputs(share=Share(1, 2)))
    missed, read = (found.predictions[Way.RESUME].cost for found in (sure, hit))
    assert missed is not None
    assert read is not None
    assert sure.way is Way.RESUME
    assert missed - read == pytest.approx((1.25 - 0.1) * 21_600)


def test_fresh_is_the_naive_baseline() -> None:
    """E1: never resumed, never a marker, the templates of a first look."""
    for moment in (AGAIN, replace(AGAIN, session=False), replace(AGAIN, resume_error="gone")):
        found = decide_way(Policy.FRESH, moment, inputs())
        assert (found.way, found.template, found.marker) == (Way.COMPOSE, Template.FULL, False)
    fix = replace(AGAIN, actor=Actor.FIXER)
    assert decide_way(Policy.FRESH, fix, inputs()).template is Template.FIX


def test_of_equally_cheap_ways_the_simpler_one() -> None:
    """E1: a fork that costs what a resume does is not taken."""
    both = decide_way(Policy.ADAPTIVE, AGAIN, inputs(Way.COMPOSE, Way.FORK, Way.RESUME))
    assert both.way is Way.RESUME
    same = Prediction(5.0)
    assert cheapest(dict.fromkeys(reversed(Way), same)) is Way.COMPOSE
    assert (
        cheapest({Way.COMPOSE: Prediction(5.0), Way.FORK: Prediction(5.0 - 1e-12)}) is Way.COMPOSE
    )


@given(
    idle=st.floats(0, 7_200),
    transcript=st.integers(3_000, 150_000),
    needed=st.integers(1_000, 60_000),
    share=st.floats(0, 1),
)
def test_nothing_on_offer_is_cheaper_than_what_is_taken(
    idle: float, transcript: int, needed: int, share: float
) -> None:
    """E1: the predicted cost decides and nothing else; what differs by less counts as equal."""
    found = decide_way(
        Policy.ADAPTIVE,
        AGAIN,
        inputs(*Way, idle=idle, transcript=transcript, needed=needed, share=Share(share, 2)),
    )
    costs = [prediction.cost for prediction in found.predictions.values()]
    taken, least = found.predictions[found.way].cost, min(one for one in costs if one is not None)
    assert taken is not None
    assert (1 - TIE) * taken <= least * (1 + 1e-9)


def test_ways_that_cannot_be_predicted_are_not_taken() -> None:
    found = {Way.COMPOSE: Prediction(9.0, Expected()), Way.RESUME: Prediction(None)}
    assert cheapest(found) is Way.COMPOSE


@pytest.mark.parametrize(
    ("resume", "taken"), [(995, Way.COMPOSE), (985, Way.RESUME), (1_001, Way.COMPOSE)]
)
def test_of_about_equal_ways_the_one_that_others_profit_from(resume: float, taken: Way) -> None:
    """E1: a composed prompt fills the cache for those who share its trunk."""
    costs = {Way.COMPOSE: Prediction(1_000.0), Way.RESUME: Prediction(resume)}
    assert cheapest(costs) is taken


def test_a_way_that_is_not_wanted_is_not_taken() -> None:
    """E1: however cheap; the reason is on record."""
    found = decide_way(Policy.ADAPTIVE, AGAIN, inputs(), {Way.RESUME: "the lever resume is off"})
    assert found.way is Way.COMPOSE
    assert found.reason.startswith("the lever resume is off; compose costs")


@pytest.mark.parametrize(
    ("plain", "later", "taken"),
    [(990, 0, Way.PLAIN), (990, 50, Way.COMPOSE), (1_001, 0, Way.COMPOSE)],
)
def test_a_trunk_has_to_beat_the_plain_way_over_its_whole_life(
    plain: float, later: float, taken: Way
) -> None:
    """E6: whoever writes it pays more than for a plain prompt; those who read it are counted in."""
    ways = {Way.COMPOSE: Prediction(1_000.0, later=later), Way.PLAIN: Prediction(plain)}
    best = cheapest(ways)
    assert (Way.PLAIN if plain_is_cheaper(ways, best) else best) is taken
