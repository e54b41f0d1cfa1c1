"""Reviewers who looked in one turn, as turns of their own. Covers: E4, E10."""

from __future__ import annotations

from dataclasses import replace

from hypothesis import given
from hypothesis import strategies as st

from sparing.economy.comparison.naive import NaiveLook, NaiveTurn, naive_usage, together
from sparing.economy.comparison.naive_work import WorkDone, naive_work
from sparing.economy.comparison.separate_reviews import looks_apart
from sparing.economy.cost_model import TurnWork
from sparing.economy.expected_work import PANEL, Memory, SeenTurn, TurnClass, expected_work, learned
from sparing.turn_kind import Errand

BOTH = "spec-reviewer+phase-reviewer"
LOOK = TurnClass("prd-reviewer", Errand.REVIEW, Memory.NONE)
JOINT = LOOK._replace(role=BOTH)
SIX = [(5_000, 100), (2_100, 100), (2_200, 100), (2_300, 100), (2_400, 100), (2_500, 400)]
CALLS = st.lists(st.tuples(st.integers(0, 9_000), st.integers(1, 900)), min_size=1, max_size=20)


def test_each_has_a_look_of_the_usual_length() -> None:
    """E10: four calls, as looks alone have here; each ends with its own verdict."""
    first, second = looks_apart(SIX, 4.0, 2)
    assert first == [*SIX[:3], (2_500, 200)]
    assert second == [SIX[0], *SIX[3:5], (2_500, 200)]


def test_after_a_first_verdict_that_fails_nobody_asks_the_second() -> None:
    """E10, C1: so a merged turn may be dearer than the look that it stands for."""
    assert looks_apart(SIX, 4.0, 1) == ([*SIX[:3], (2_500, 200)],)


def test_without_a_look_to_learn_from_the_turn_is_halved() -> None:
    """E10: and the call in the middle belongs to both."""
    first, second = looks_apart(SIX, 0, 2)
    assert (len(first), len(second)) == (4, 4)
    assert looks_apart([(100, 50)], 0, 2) == ([(100, 25)], [(100, 25)])


@given(CALLS, st.floats(0, 30), st.sampled_from([1, 2]))
def test_no_look_is_longer_than_what_both_did(
    calls: list[tuple[int, int]], alone: float, counted: int
) -> None:
    """E10: what one opens for itself is a part of what both opened."""
    found = looks_apart(calls, alone, counted)
    assert len(found) == counted
    assert all(1 <= len(one) <= len(calls) for one in found)
    assert all(one[0][0] in (calls[0][0], calls[-1][0]) for one in found)


def test_the_run_tells_how_long_a_look_alone_is() -> None:
    """E4, E10: by reviewers who looked by themselves, not by those who looked together."""
    alone = WorkDone(LOOK, SIX[:3], [0] * 3)
    merged = WorkDone(JOINT, SIX, [0] * 6, counted=2)
    found = naive_work([alone, merged])
    assert found[0].apart == ()
    assert [len(one) for one in found[1].apart] == [3, 3]
    assert found[1].new_session == SIX


def test_the_naive_way_pays_for_both() -> None:
    """E4, E10: two new sessions in place of one; the second finds the tools in the cache."""
    turn = NaiveTurn("m", 0.0, ("papers", 20_000), ("both", 900), ("tools", 3_000), SIX)
    looks = looks_apart(SIX, 4.0, 2)
    apart = replace(
        turn,
        apart=tuple(NaiveLook((name, 500), calls) for name, calls in zip("ab", looks, strict=True)),
    )
    (merged,), (separate,) = naive_usage([turn]), naive_usage([apart])
    assert separate.write_5m > 1.5 * merged.write_5m
    assert separate.output == 2 * (300 + 200)
    assert together([apart]) == [turn]


def test_two_in_one_turn_are_expected_to_do_the_work_of_two() -> None:
    """E10: until they were seen; what they did then says nothing of who looks alone."""
    seen = learned([SeenTurn(LOOK, [(5_000, 100), (2_000, 100), (2_000, 300)])])
    one, two = expected_work(LOOK, seen), expected_work(JOINT, seen)
    assert two == TurnWork(2 * one.calls - 1, 2 * one.growth, 2 * one.output)
    later = learned([SeenTurn(LOOK, SIX[:3]), SeenTurn(JOINT, SIX)])
    assert later[LOOK] == learned([SeenTurn(LOOK, SIX[:3])])[LOOK]
    assert later[LOOK._replace(role="")] == later[LOOK]
    assert later[LOOK._replace(role=PANEL)] == later[JOINT]
