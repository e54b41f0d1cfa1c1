"""The lower bound and the best plan in hindsight, by hand and against every plan.

Covers: E1, E4.
"""

from __future__ import annotations

from itertools import product

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from sparing.cache import CacheBlock, Life, RequestPart
from sparing.dispatch_policy import Way
from sparing.economy.comparison import bound
from sparing.economy.comparison.bound import CallSize, Replay, RunTurn, Sending, lower_bound, oracle
from sparing.economy.cost_model import TYPICAL
from sparing.usage import Usage
from tests.economy.closed_forms import run_cost

ANY_SIZE = {"": 0}
TOOLS = CacheBlock(RequestPart.TOOLS, "tools", 2_000, Life.FIVE_MINUTES)


def message(name: str, tokens: int) -> CacheBlock:
    return CacheBlock(RequestPart.MESSAGES, name, tokens)


def review(at: float, *, again: bool, needed: int = 10_000, calls: int = 1) -> RunTurn:
    """A review of the same document, told anew or resumed with a delta of 500 tokens."""
    turn = message(f"turn {at}", 500)
    prompt = (message(f"document of {needed}", needed), turn)
    work = (CallSize(0, 100), *[CallSize(300, 100)] * (calls - 1))
    ways = {Way.COMPOSE: Sending(prompt, work)}
    if again:
        ways[Way.RESUME] = Sending((turn,), (CallSize(500, 100),), on="reviewer")
    return RunTurn("reviewer", at, "model", (TOOLS,), ways)


def test_a_turn_is_billed_call_by_call() -> None:
    """E1: the first call writes its prompt, the second reads it and writes what joined."""
    usage = Replay(ANY_SIZE).send(review(0, again=False, calls=2), Way.COMPOSE)
    assert usage == Usage(read=12_500, write_5m=12_500 + 300, output=200)


def test_a_resumed_turn_reads_its_transcript_and_writes_the_last_answer() -> None:
    """E1: no call has sent that answer before."""
    replay = Replay(ANY_SIZE)
    replay.send(review(0, again=False), Way.COMPOSE)
    usage = replay.send(review(60, again=True), Way.RESUME)
    assert usage == Usage(read=12_500, write_5m=100 + 500, output=100)


def test_a_copy_goes_its_own_way() -> None:
    replay = Replay(ANY_SIZE)
    replay.send(review(0, again=False), Way.COMPOSE)
    twin = replay.copy()
    twin.send(review(250, again=True), Way.RESUME)
    assert replay.send(review(400, again=True), Way.RESUME).read == 0
    assert twin.send(review(400, again=True), Way.RESUME).read == 13_100


def test_the_bound_by_hand() -> None:
    """E4: what is sent twice is written once and read ever after; what is sent once needs no
    cache; answers are paid as answers."""
    turns = [review(0, again=False), review(7_200, again=False)]
    twice = (2_000 + 10_000) * (1.25 + 0.1)
    once = 2 * 500 * 1
    assert lower_bound(turns, [Way.COMPOSE] * 2, TYPICAL) == pytest.approx(twice + once + 5 * 200)


def test_the_bound_knows_neither_time_nor_order() -> None:
    """E4: an hour between two turns costs a replay a write and the bound nothing."""
    near = [review(0, again=False), review(60, again=False)]
    far = [review(0, again=False), review(3_600, again=False)]
    plan = [Way.COMPOSE] * 2
    assert lower_bound(near, plan, TYPICAL) == lower_bound(far, plan, TYPICAL)
    costs = [run_cost(turns, plan, TYPICAL, Replay(ANY_SIZE)) for turns in (near, far)]
    assert costs[1] > costs[0]


def test_the_oracle_resumes_while_it_is_warm() -> None:
    """E1: and tells everything anew once the transcript is forgotten and longer than the need."""
    warm = [review(0, again=False, calls=9), review(120, again=True)]
    assert oracle(warm, TYPICAL, ANY_SIZE).plan == (Way.COMPOSE, Way.RESUME)
    cold = [review(0, again=False, calls=9), review(7_200, again=True, needed=1_000)]
    assert oracle(cold, TYPICAL, ANY_SIZE).plan == (Way.COMPOSE, Way.COMPOSE)


@st.composite
def runs(draw: st.DrawFn) -> list[RunTurn]:
    turns, at = [review(0, again=False, calls=draw(st.integers(1, 5)))], 0.0
    for _ in range(draw(st.integers(0, 4))):
        at += draw(st.sampled_from([30, 200, 301, 900]))
        calls, needed = draw(st.integers(1, 5)), draw(st.sampled_from([1_000, 10_000, 30_000]))
        turns.append(review(at, again=True, needed=needed, calls=calls))
    return turns


@settings(max_examples=60)
@given(turns=runs())
def test_no_plan_beats_the_oracle_and_none_its_own_bound(turns: list[RunTurn]) -> None:
    """E1, E4: every plan of a small run is tried by hand."""
    best = oracle(turns, TYPICAL, ANY_SIZE)
    assert best.exact
    plans = list(product(*(turn.ways for turn in turns)))
    costs = [run_cost(turns, plan, TYPICAL, Replay(ANY_SIZE)) for plan in plans]
    assert best.cost == pytest.approx(min(costs))
    assert run_cost(turns, best.plan, TYPICAL, Replay(ANY_SIZE)) == pytest.approx(best.cost)
    for plan, cost in zip(plans, costs, strict=True):
        assert lower_bound(turns, plan, TYPICAL) <= cost + 1e-6


def test_long_runs_are_chosen_turn_by_turn() -> None:
    """E1: said so, and never better than what the exact search would find."""
    turns = [review(0, again=False, calls=4)]
    turns += [review(90.0 * n, again=True, calls=4) for n in range(1, 14)]
    found = oracle(turns, TYPICAL, ANY_SIZE)
    assert not found.exact
    assert found.cost == pytest.approx(run_cost(turns, found.plan, TYPICAL, Replay(ANY_SIZE)))
    assert found.plan == (Way.COMPOSE, *[Way.RESUME] * 13)
    assert 2 ** (len(turns) - 1) > bound.EXACT_PLANS
