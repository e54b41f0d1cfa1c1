"""E1: how much dearer the chosen ways were than the best ones in hindsight.

The bills come from the cache's own rules; the chooser sees sizes, times and what it has learned.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import chain

import pytest

from sparing.dispatch_policy import Policy, Way
from sparing.economy.cache_contents import Base, SentPrompt, believed
from sparing.economy.choose import Moment, decide_way
from sparing.economy.comparison.bound import Oracle, Replay, RunTurn, lower_bound, oracle
from sparing.economy.cost_model import TYPICAL
from sparing.economy.expected_work import Memory, SeenTurn, TurnClass, expected_work, learned
from sparing.economy.predict import Inputs, Offer, Transcript
from sparing.turn_kind import Actor
from tests.economy.closed_forms import run_cost
from tests.economy.workload import MINIMUM, Drawn, Workload

MINIMUMS = {"": MINIMUM}
SECONDS = {"short": (10, 60), "long": (120, 600), "mixed": (20, 420)}


class Chooser:
    """What an engine does around the choice: it remembers what was sent and what came of it."""

    def __init__(self, policy: Policy) -> None:
        self._policy = policy
        self._sent: list[SentPrompt] = []
        self._seen: list[SeenTurn] = []
        self._sessions: dict[str, Transcript] = {}

    def choose(self, drawn: Drawn) -> Way:
        turn = drawn.turn
        moment = Moment(Actor.REVIEWER, drawn.first, session=drawn.role in self._sessions)
        work = learned(self._seen)
        offers = {
            way: Offer(
                sending.prompt,
                expected_work(_kind(drawn, way), work),
                self._sessions.get(sending.on),
            )
            for way, sending in turn.ways.items()
        }
        known = believed(self._sent, MINIMUM)
        inputs = Inputs(turn.at, TYPICAL, _base(turn), offers, known, start_seconds=0)
        way = decide_way(self._policy, moment, inputs).way
        self._remember(drawn, way)
        return way

    def _remember(self, drawn: Drawn, way: Way) -> None:
        turn, sending = drawn.turn, drawn.turn.ways[way]
        old = self._sessions.get(sending.on)
        opening = old.opening if old else sending.prompt
        last_at = turn.at + turn.call_seconds * (len(sending.calls) - 1)
        size = old.tokens if old else _base(turn).tokens
        answer = sending.calls[-1].output
        size += sum(call.added for call in sending.calls) + answer
        self._sessions[drawn.role] = Transcript(size, last_at, answer, opening=opening)
        self._sent.append(
            SentPrompt(_base(turn), opening, turn.at, last_at, resumed=old is not None)
        )
        self._seen.append(SeenTurn(_kind(drawn, way), sending.calls))


def _base(turn: RunTurn) -> Base:
    return Base(turn.base[0].digest, turn.base[0].tokens)


def _kind(drawn: Drawn, way: Way) -> TurnClass:
    """Roles of one errand are alike here, as the reviewers of a project are."""
    memory = Memory.TRANSCRIPT if way is Way.RESUME else Memory.NONE
    return TurnClass("", drawn.errand, memory)


def cost_of(drawn: Sequence[Drawn], policy: Policy) -> float:
    chooser = Chooser(policy)
    plan = [chooser.choose(turn) for turn in drawn]
    return run_cost([one.turn for one in drawn], plan, TYPICAL, Replay(MINIMUMS))


def best_of(drawn: Sequence[Drawn]) -> Oracle:
    return oracle([one.turn for one in drawn], TYPICAL, MINIMUMS)


@pytest.mark.parametrize("base_tokens", [2_000, 16_000])
@pytest.mark.parametrize("gaps", SECONDS)
def test_regret_on_whole_runs_is_small(gaps: str, base_tokens: int) -> None:
    """E1: against the way that was cheapest for each turn, at most 2 % of the bill is lost."""
    chosen = best = fresh = resumed = 0.0
    for seed in range(3):
        load = Workload(seed, base_tokens, SECONDS[gaps])
        drawn = list(chain(load.documents(3), load.code()))
        chosen += cost_of(drawn, Policy.ADAPTIVE)
        best += best_of(drawn).cost
        fresh += cost_of(drawn, Policy.FRESH)
        resumed += cost_of(drawn, Policy.SEED)
    print(
        f"gaps {gaps}, base {base_tokens:,}: regret {chosen / best - 1:.2%};"
        f" of fresh {chosen / fresh:.2f}, of always resumed {chosen / resumed:.2f}"
    )
    assert chosen / best - 1 <= 0.02
    assert chosen <= min(fresh, resumed)


@pytest.mark.parametrize("gaps", SECONDS)
def test_regret_against_all_plans_of_small_runs(gaps: str) -> None:
    """E1: against the best of all plans, which knows what each choice does to later turns. Nine
    turns of agents that do seven times as much as is expected of them at first."""
    chosen = best = 0.0
    for seed in range(100, 104):
        drawn = list(Workload(seed, 2_000, SECONDS[gaps]).code())[:9]
        found = best_of(drawn)
        assert found.exact
        chosen += cost_of(drawn, Policy.ADAPTIVE)
        best += found.cost
    print(f"gaps {gaps}: regret against all plans {chosen / best - 1:.2%}")
    assert chosen / best - 1 <= 0.035


def test_no_plan_is_below_the_bound() -> None:
    """E1: the bound of the very calls that a plan makes."""
    for seed in range(2):
        drawn = list(Workload(seed, 2_000, SECONDS["mixed"]).documents(2))
        turns, found = [one.turn for one in drawn], best_of(drawn)
        assert lower_bound(turns, found.plan, TYPICAL) < found.cost
