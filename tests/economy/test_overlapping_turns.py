"""A session takes one turn at a time, in a replay as in a run. Covers: E1, E4."""

from __future__ import annotations

from sparing.dispatch_policy import Way
from sparing.economy.comparison.bound import Replay
from sparing.usage import Usage
from tests.economy.test_bound import ANY_SIZE, review


def second_turn(at: float) -> Usage:
    replay = Replay(ANY_SIZE)
    replay.send(review(0, again=False, calls=3), Way.COMPOSE)
    return replay.send(review(at, again=True), Way.RESUME)


def test_a_turn_that_was_due_earlier_begins_when_the_one_before_has_ended() -> None:
    """So it reads everything that the last call has written."""
    assert second_turn(0) == second_turn(200)
