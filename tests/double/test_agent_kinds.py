"""Covers: E4. How much work agents do is frozen, and drawn from the turn alone."""

from itertools import islice
from random import Random
from statistics import mean

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sparing.double.agent_draws import (
    TurnIdentity,
    loop_rounds,
    needed_files,
    step_sizes,
    turn_needs,
)
from sparing.double.agent_kinds import AGENTS, AgentKind, Around, digest
from sparing.turn_kind import Errand

NAMES = [f"src/store/module_{number:02d}.py" for number in range(40)]
FROZEN = "1f204a0358fd565245b8a93c9df386b699f27a1f76c990cfd7045bd7aa10aa39"


def test_the_distributions_are_frozen() -> None:
    """E4: no figure can be improved by other agents unseen."""
    assert digest() == FROZEN


def calls(kind: AgentKind, seed: int, errand: Errand, turn: TurnIdentity) -> int:
    """Of a turn without memory: steps until everything is done, and the answer."""
    needs = turn_needs(kind, seed, errand, turn)
    left = needs.files + len(needs.searches) + needs.changes + needs.commands
    number = 1
    for size in step_sizes(seed, turn, kind, needs.parallel):
        if left <= 0:
            return number
        left -= size
        number += 1
    raise AssertionError


@pytest.mark.parametrize(
    ("errand", "least", "most"),
    [(Errand.REVIEW, 8, 15), (Errand.IMPLEMENT, 20, 45)],
)
def test_typical_agents_work_as_public_traces_say(errand: Errand, least: int, most: int) -> None:
    """E4: 8 to 15 calls a review, 20 to 45 an implementation, 1.2 tools a step."""
    turns = [TurnIdentity("role", "stage", str(task)) for task in range(20)]
    drawn = [calls(AgentKind.TYPICAL, seed, errand, one) for seed in range(5) for one in turns]
    inside = sum(least <= one <= most for one in drawn)
    assert inside / len(drawn) > 0.8
    assert least < mean(drawn) < most
    sizes = [
        size for one in turns for size in islice(step_sizes(1, one, AgentKind.TYPICAL, 0.125), 50)
    ]
    assert mean(sizes) == pytest.approx(1.18, abs=0.05)


def test_later_rounds_need_mostly_the_files_of_the_rounds_before() -> None:
    """E4: so a session that goes on, or what it left, is worth something."""
    shares: list[float] = []
    for seed in range(20):
        first, second = (TurnIdentity("spec-reviewer", "specify", "", n) for n in (1, 2))
        seen, again = (
            needed_files(seed, one, turn_needs(AgentKind.TYPICAL, seed, Errand.REVIEW, one), NAMES)
            for one in (first, second)
        )
        shares.append(len(set(seen) & set(again)) / len(again))
    assert 0.6 < mean(shares) < 0.95


@given(st.integers(0, 99), st.sampled_from(AgentKind), st.sampled_from(Errand), st.randoms())
def test_the_order_of_names_chooses_nothing(
    seed: int, kind: AgentKind, errand: Errand, shuffle: Random
) -> None:
    """E4: an agent that found the files in another way needs the same ones."""
    turn = TurnIdentity("implementer", "implement", "1.2", 2)
    needs, names = turn_needs(kind, seed, errand, turn), list(NAMES)
    shuffle.shuffle(names)
    assert needed_files(seed, turn, needs, names) == needed_files(seed, turn, needs, NAMES)
    assert len(needed_files(seed, turn, needs, names)) == min(needs.files, len(NAMES))


def test_loops_end_with_the_share_of_each_round() -> None:
    """E4: two or three rounds are typical."""
    drawn = [
        loop_rounds(AgentKind.TYPICAL, seed, "spec-reviewer", "specify") for seed in range(999)
    ]
    shares = [drawn.count(number) / len(drawn) for number in (1, 2, 3, 4)]
    assert shares == pytest.approx(AGENTS[AgentKind.TYPICAL].rounds, abs=0.05)


@given(st.floats(0, 1))
def test_draws_stay_within_their_bounds(part: float) -> None:
    """E4: no agent works without end."""
    assert 8 <= Around(11, 0.22, 8, 15).at(part) <= 15
