"""Whether a stage goes on in its session. Covers: E6, F2, F6, B7.

Original faults that can't happen: (b) two of four parts of the context counted, and one window
for all models.
"""

from __future__ import annotations

from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sparing.cache import CacheBlock, Life, RequestPart
from sparing.dispatch_policy import Way
from sparing.economy.cache_contents import Base
from sparing.economy.cost_model import TYPICAL, TurnWork
from sparing.economy.predict import Inputs, Offer, Prediction, Transcript
from sparing.economy.resume_or_handoff import (
    ENOUGH_RUNS,
    Bills,
    Room,
    SessionHabit,
    SessionStart,
    SessionState,
    bills,
    compacted,
    learned_budget,
    longer,
    temperatures,
    used_tokens,
    weigh,
    window_of,
)
from sparing.usage import Usage

HOUR = 3600.0
WIDE = Room(200_000, 40_000, 60_000)


def inputs(transcript: int, idle: float = 60.0) -> Inputs:
    """A stage of eight calls: 2k into the session, or 6k into a fresh one with more to look up."""

    def block(name: str, size: int) -> CacheBlock:
        return CacheBlock(RequestPart.MESSAGES, name, size)

    on = Transcript(transcript, 1000.0)
    offers = {
        Way.COMPOSE: Offer((block("all", 6_000),), TurnWork(9, 16_000, 4_000)),
        Way.RESUME: Offer((block("stage", 2_000),), TurnWork(8, 12_000, 4_000), on),
    }
    return Inputs(1000.0 + idle, TYPICAL, Base("key", 2_000), offers, {})


def weighed(transcript: int, idle: float) -> tuple[SessionStart, bool]:
    found = weigh(SessionState(SessionHabit.PRICED, WIDE), bills(inputs(transcript, idle), 300))
    return found.go, found.forced


def test_a_warm_session_goes_on_and_a_cold_one_is_handed_off() -> None:
    """F6: the same conversation, asked a minute later and six hours later."""
    assert weighed(15_000, 60.0) == (SessionStart.CONTINUE, False)
    assert weighed(15_000, 6 * HOUR) == (SessionStart.HAND_OFF, False)


def test_a_turn_never_seen_continues_only_where_a_longer_one_would_too() -> None:
    """E6: each call reads the session again, so a turn of more calls than expected costs more
    there than in a short prompt."""
    short, long = inputs(15_000), inputs(20_000)
    for one, go in ((short, SessionStart.CONTINUE), (long, SessionStart.HAND_OFF)):
        known = SessionState(SessionHabit.PRICED, WIDE)
        new = known._replace(longer=bills(longer(one), 300))
        assert weigh(known, bills(one, 300)).go is SessionStart.CONTINUE
        assert weigh(new, bills(one, 300)).go is go


def test_a_long_session_is_handed_off_even_warm() -> None:
    """F6: every call reads all of it again."""
    assert weighed(400_000, 60.0)[0] is SessionStart.HAND_OFF


def test_both_temperatures_are_known_whatever_the_hour() -> None:
    """F6: continuing suffers from the cold, a fresh session hardly does."""
    found = temperatures(inputs(40_000, 6 * HOUR))
    assert found == temperatures(inputs(40_000, 60.0))
    warm, cold = (one.continued.cost for one in found)
    assert warm is not None
    assert cold is not None
    assert cold - warm == pytest.approx((1.25 - 0.1) * 40_000)
    assert found[0].handed.cost == found[1].handed.cost


def test_all_four_parts_of_the_last_call_count() -> None:
    """F2, fault (b): the original left out what was written to the cache and what was answered."""
    last = Usage(uncached=10, read=2_000, write_5m=300, write_1h=40, output=5)
    assert used_tokens(last) == 2_355
    for part in ("uncached", "read", "write_5m", "write_1h", "output"):
        assert used_tokens(replace(last, **{part: 0})) < 2_355


def test_the_window_is_the_model_s() -> None:
    """F2, fault (b): as the user says, else as listed, else as the client says."""
    assert window_of("claude-haiku-4-5", (), 1) == 200_000
    assert window_of("claude-sonnet-5", (), 1) == 1_000_000
    assert window_of("claude-sonnet-5", ("claude-sonnet-5 150000",), 1) == 150_000
    assert window_of("nobody-s-model", (), 123_456) == 123_456


def test_a_fifth_more_than_the_budget_must_be_left() -> None:
    """F2: remaining < budget × 1.2 hands off, exactly that still fits."""
    room = Room(200_000, 128_000, 60_000)
    assert (room.remaining, room.need, room.enough) == (72_000, 72_000, True)
    assert not replace(room, used=128_001).enough
    assert room.words == (
        "the session is at 64 % of its window: 72,000 tokens are left, the stage needs 72,000"
    )


@given(st.integers(0, 300_000), st.integers(1, 120_000), st.integers(0, 90_000))
def test_what_is_enough_also_fits(used: int, budget: int, least: int) -> None:
    room = Room(200_000, used, budget, least)
    assert room.at_all or not room.enough


def test_a_budget_is_learned_from_enough_runs() -> None:
    """F2: nine of ten runs got along with it."""
    runs = [1_000 * n for n in range(1, 11)]
    assert learned_budget(runs[: ENOUGH_RUNS - 1], 60_000) == 60_000
    assert learned_budget(runs, 60_000) == 9_000
    assert learned_budget([7_000] * ENOUGH_RUNS, 60_000) == 7_000


def test_a_conversation_that_shrinks_was_compacted() -> None:
    """F2: not one that only lost its old thinking, and not one that grows."""
    assert compacted([10_000, 60_000, 20_000])
    assert not compacted([10_000, 60_000, 55_000, 70_000])
    assert not compacted([])


def test_room_comes_before_money() -> None:
    """F2: going on would cost nothing here, and is not advised."""
    full = Room(200_000, 190_000, 60_000)
    free = Bills(Prediction(0.0), Prediction(1.0), Prediction(0.1))
    found = weigh(SessionState(SessionHabit.PRICED, full), free)
    assert (found.go, found.forced, found.judged) == (SessionStart.HAND_OFF, True, True)
    assert "95 % of its window: 10,000 tokens are left, the stage needs 72,000" in found.reason
    shrunk = weigh(SessionState(SessionHabit.CONTINUE, WIDE, shrunk=True), free)
    assert (shrunk.go, shrunk.forced, shrunk.judged) == (SessionStart.HAND_OFF, True, False)


def test_a_lost_session_is_nothing_to_ask_about() -> None:
    found = weigh(
        SessionState(SessionHabit.CONTINUE, WIDE, lost="gone"), bills(inputs(40_000), 300)
    )
    assert (found.go, found.forced, found.judged) == (SessionStart.HAND_OFF, False, False)


def test_a_habit_decides_where_both_are_possible() -> None:
    """F6: the original's rule stays selectable."""
    cost = bills(inputs(400_000, 6 * HOUR), 300)
    fits = weigh(SessionState(SessionHabit.CONTINUE, WIDE), cost)
    assert fits.go is SessionStart.CONTINUE
    # K1: with what goes before it, it is not cut off on a terminal of 80 columns.
    assert len(f"  ~ continues its session; {fits.reason}") < 80
    assert fits.reason.endswith(f", {WIDE.need:,} are needed")
    assert (
        weigh(SessionState(SessionHabit.HAND_OFF, WIDE), bills(inputs(4_000), 300)).go
        is SessionStart.HAND_OFF
    )


def test_the_old_session_is_asked_only_while_that_is_cheap() -> None:
    """F4, E6: a short turn if it can't go on and is warm, none if all of it would be written again;
    and none of a session that is only dearer: that has to cost next to nothing."""
    full = Room(200_000, 190_000, 60_000)
    asked = [
        weigh(SessionState(SessionHabit.HAND_OFF, room), bills(inputs(40_000, idle), 300)).judged
        for room in (full, WIDE)
        for idle in (60.0, 6 * HOUR)
    ]
    assert asked == [True, False, False, False]
    cheap = Bills(Prediction(2.0), Prediction(1.0), Prediction(0.01, context=10, cached=10))
    assert weigh(SessionState(SessionHabit.PRICED, WIDE), cheap).judged


def test_without_a_session_to_resume_there_is_no_bill_for_it() -> None:
    alone = replace(inputs(40_000), offers={Way.COMPOSE: inputs(40_000).offers[Way.COMPOSE]})
    found = bills(alone, 300)
    assert found.continued.cost is None
    assert weigh(SessionState(SessionHabit.PRICED, WIDE), found).go is SessionStart.HAND_OFF


def test_life_of_the_cache_is_five_minutes() -> None:
    """F6: 299 seconds after the last call it is warm, 301 seconds after it is not."""

    def cached(idle: float) -> float:
        found = bills(replace(inputs(40_000, idle), start_seconds=0.0), 0).continued
        return found.cached

    assert cached(Life.FIVE_MINUTES.seconds - 1) == 40_000
    assert cached(Life.FIVE_MINUTES.seconds + 1) == 0
