"""Pings, an hour's life, and what waiting at a gate costs. Covers: E5.

The limits are those of the cost model: how many pings are cheaper than one more write, and when
the dearer write of an hour pays.
"""

from __future__ import annotations

from dataclasses import replace

import pytest

from sparing.cache import CacheBlock, Life, RequestPart
from sparing.dispatch_policy import Way
from sparing.economy.cache_contents import Base, SentPrompt, believed
from sparing.economy.cost_model import TYPICAL, Rates, TurnWork
from sparing.economy.keepalive import (
    Keeping,
    LoopEnd,
    Waiting,
    cheapest_keeping,
    most_pings,
    next_ping_at,
    ping_cost,
    pings_needed,
    resume_probability,
    waiting,
)
from sparing.economy.predict import Inputs, Offer, Transcript
from tests.economy.closed_forms import hour_pays, hour_threshold, keep_alive

MINUTE = 60


def reading_at(read: float) -> Rates:
    return replace(TYPICAL, read=read)


@pytest.mark.parametrize(("read", "pings"), [(0.1, 11), (0.05, 24), (0.025, 49)])
def test_so_many_pings_are_cheaper_than_a_write(read: float, pings: int) -> None:
    rates = reading_at(read)
    assert most_pings(rates) == pings
    assert pings * read < rates.write_5m - read + 1e-9
    assert (pings + 1) * read > rates.write_5m - read


def test_eleven_pings_last_about_52_minutes() -> None:
    """And then five more minutes of life."""
    last = 0.0
    for _ in range(11):
        last = next_ping_at(last, Life.FIVE_MINUTES)
    assert last / MINUTE == pytest.approx(52, abs=0.5)
    assert pings_needed(57 * MINUTE, Life.FIVE_MINUTES) == 11
    assert pings_needed(58 * MINUTE, Life.FIVE_MINUTES) == 12


@pytest.mark.parametrize(
    ("gap", "pings"), [(0, 0), (299, 0), (300, 1), (584, 1), (585, 2), (869, 2), (870, 3)]
)
def test_pings_that_a_pause_needs(gap: float, pings: int) -> None:
    """An entry is dead once its life has passed to the second, and no ping comes too late."""
    assert pings_needed(gap, Life.FIVE_MINUTES) == pings
    last = 0.0
    for _ in range(pings):
        assert (last := next_ping_at(last, Life.FIVE_MINUTES)) < gap
    assert last + 300 > gap


def test_a_program_knows_whether_a_session_is_resumed() -> None:
    """E5: surely after a rejection, never after an approval: no ping is wasted."""
    rejected = resume_probability(LoopEnd.REJECTED)
    approved = resume_probability(LoopEnd.APPROVED)
    assert (rejected, approved) == (1, 0)
    assert keep_alive(TYPICAL, 20_000, 10 * MINUTE, rejected).pays
    assert not keep_alive(TYPICAL, 20_000, 10 * MINUTE, approved).pays
    assert most_pings(TYPICAL, approved) == 0
    assert most_pings(TYPICAL, 0.5) == 5


def test_keeping_alive_stops_to_pay_and_is_not_needed_for_short_pauses() -> None:
    assert not keep_alive(TYPICAL, 20_000, 2 * MINUTE, 1).pays
    assert keep_alive(TYPICAL, 20_000, 50 * MINUTE, 1).pays
    assert not keep_alive(TYPICAL, 20_000, 70 * MINUTE, 1).pays


def test_pings_are_weighed_against_what_warmth_is_worth_to_the_next_turn() -> None:
    """E5: a fresh turn may be nearly as cheap as a warm one; then nothing is kept alive."""
    assert not keep_alive(TYPICAL, 20_000, 10 * MINUTE, 1, saving=1_500).pays
    assert keep_alive(TYPICAL, 20_000, 10 * MINUTE, 1, saving=4_500).pays
    assert ping_cost(TYPICAL, 22_735) == pytest.approx(2_278.5)


def test_when_an_hours_life_pays() -> None:
    """.75 more per unique token, 1.15 saved per write avoided: above .65 written again for each
    unique one, or .395 of all that is written."""
    limit = hour_threshold(TYPICAL)
    assert limit == pytest.approx(0.65, abs=0.005)
    assert limit / (1 + limit) == pytest.approx(0.395, abs=0.001)
    assert hour_threshold(reading_at(0.05)) == pytest.approx(0.62, abs=0.006)
    assert hour_threshold(reading_at(0.025)) == pytest.approx(0.61, abs=0.005)
    assert hour_pays(TYPICAL, 10_000, 6_600)
    assert not hour_pays(TYPICAL, 10_000, 6_400)


@pytest.mark.parametrize(
    ("gaps", "keeping"),
    [
        ([60, 120], Keeping.FIVE_MINUTES),
        ([9 * MINUTE], Keeping.PINGS),
        ([9 * MINUTE] * 12, Keeping.ONE_HOUR),
        ([55 * MINUTE], Keeping.ONE_HOUR),
        ([120 * MINUTE], Keeping.FIVE_MINUTES),
    ],
)
def test_the_cheapest_keeping_of_a_prefix(gaps: list[float], keeping: Keeping) -> None:
    """One ping beats an hour's life for a gap under ten minutes; many dispatches reverse it."""
    assert cheapest_keeping(TYPICAL, 20_000, gaps).keeping is keeping


def test_what_a_kept_prefix_costs() -> None:
    kept = cheapest_keeping(TYPICAL, 20_000, [9 * MINUTE])
    assert kept.cost == pytest.approx(25_000 + (2_000 + 5) + 2_000)


def gate(*, resumable: bool) -> Inputs:
    """A reviewer has looked at minute 0; somebody is asked at minute 1."""
    base = Base("reviewers", 2_000)
    trunk = CacheBlock(RequestPart.MESSAGES, "spec", 12_000, Life.FIVE_MINUTES)
    role = CacheBlock(RequestPart.MESSAGES, "role", 600)
    known = believed([SentPrompt(base, (trunk, role), 0, 30)], 1024)
    delta = CacheBlock(RequestPart.MESSAGES, "delta", 900)
    session = Transcript(18_000, 30, answer=400, opening=(trunk, role))
    offers = {Way.COMPOSE: Offer((trunk, role, delta), TurnWork(6, 8_000, 1_500))}
    if resumable:
        offers[Way.RESUME] = Offer((delta,), TurnWork(3, 2_000, 1_200), session)
    return Inputs(60, TYPICAL, base, offers, known)


def test_waiting_at_a_gate_has_a_price() -> None:
    """E5: warm until, the price before and the price after."""
    found = waiting(gate(resumable=True))
    assert found.warm_until == 30 + 300 - 5
    cached = 18_000 - 400
    before = 0.1 * cached + 1.25 * 1_300 + 0.1 * 2 * 18_900 + 1.35 * 2_000 + 5 * 1_200
    assert found.before == pytest.approx(before)
    after = 1.25 * 18_900 + 0.1 * 2 * 18_900 + 1.35 * 2_000 + 5 * 1_200
    assert found.after == pytest.approx(after)


def test_waiting_costs_the_trunk_where_nothing_can_be_resumed() -> None:
    """E5: the shared prefix dies too."""
    found = waiting(gate(resumable=False))
    assert found.warm_until == 30 + 300 - 5
    assert found.after - found.before == pytest.approx((1.25 - 0.1) * 14_600)


def test_waiting_on_a_cold_cache_costs_nothing_more() -> None:
    """E5: then nobody is hurried."""
    late = replace(gate(resumable=True), at=1_000)
    cost = waiting(late).before
    assert waiting(late) == Waiting(None, cost, cost)
