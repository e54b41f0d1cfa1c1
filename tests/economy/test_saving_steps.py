"""A step of a ladder names only what the run did.

Covers: E4.
"""

from __future__ import annotations

from dataclasses import replace

import pytest

from sparing.dispatch_policy import Policy, Way
from sparing.economy.comparison.recorded_turn import RecordedTurn, ReplayedPrompt
from sparing.economy.comparison.savings import Ladder
from tests.economy.test_savings import block, look, saved


def plainly(number: int, role: str = "reviewer") -> RecordedTurn:
    """Sent with the role as system prompt: cheaper by what a shared prefix adds."""
    turn = look(number, role)
    told = ReplayedPrompt((block(f"plain {number}", 3_000),))
    return replace(turn, way=Way.PLAIN, ways={**turn.ways, Way.PLAIN: told})


def by_path(number: int, role: str) -> RecordedTurn:
    turn = look(number, role)
    assert turn.seed is not None
    return replace(turn, way=Way.REFERENCE, ways={**turn.ways, Way.REFERENCE: turn.seed.fresh})


def levers(ladder: Ladder | None) -> list[str]:
    assert ladder is not None
    return [step.lever for step in ladder.steps]


def test_plain_prompts_are_not_documents_by_path() -> None:
    """E4: nor did a run save by a shared prefix that sent none."""
    found = saved([plainly(0, "a"), plainly(1, "b")])
    assert levers(found.naive)[-1] == "unshared"
    for ladder in (found.naive, found.seed):
        assert not {"by path", "trunk"} & set(levers(ladder))


def test_each_of_both_ways_has_its_step() -> None:
    """E4: a run that went by path, plainly and with a shared prefix."""
    turns = [look(0, "a"), look(1, "b"), plainly(2, "c"), by_path(3, "d")]
    found = saved(turns)
    for ladder in (found.naive, found.seed):
        assert ladder is not None
        assert set(levers(ladder)) >= {"trunk", "unshared", "by path"}
        total = ladder.cost - sum(step.saved for step in ladder.steps)
        assert total == pytest.approx(found.replayed)


@pytest.mark.parametrize("policy", [Policy.FRESH, Policy.ADAPTIVE])
def test_a_run_that_resumed_nothing_saved_nothing_by_resuming(policy: Policy) -> None:
    """E4: against `seed`, which resumes, it began new sessions."""
    later = look(1, resume=True)
    found = saved([look(0), replace(later, way=Way.COMPOSE)], policy)
    assert "resume" not in levers(found.seed)
    assert "new session" in levers(found.seed)


def test_a_policy_that_predicts_nothing_expected_nothing_from_either_baseline() -> None:
    """E4, K1"""
    turns = [look(0, "a"), look(1, "a", resume=True), plainly(2, "b")]
    found = saved(turns, Policy.FRESH)
    assert found.seed is not None
    said = [step.words for step in (*found.naive.steps, *found.seed.steps)]
    assert not [words for words in said if "expected" in words]
