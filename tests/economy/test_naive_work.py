"""How much work a turn would have been the naive way. Covers: E4, E7."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sparing.economy.comparison.naive_work import WorkDone, naive_work, one_by_one
from sparing.economy.cost_model import CALL_OUTPUT_TOKENS
from sparing.economy.expected_work import Memory, TurnClass
from sparing.turn_kind import Errand

ALONE = TurnClass("spec-reviewer", Errand.REVIEW, Memory.NONE)
AGAIN = ALONE._replace(memory=Memory.TRANSCRIPT)
FIRST = WorkDone(ALONE, [(5_000, 100), (2_100, 100), (2_100, 100), (2_100, 400)], [0] * 4)
CALLS = st.lists(
    st.tuples(st.integers(0, 20_000), st.integers(1, 900), st.integers(0, 8)), max_size=12
)


def test_what_the_clients_tools_did_stays_as_it_was() -> None:
    """E4: the naive way has the same tools and the same parallel calls."""
    (work,) = naive_work([FIRST])
    assert work.made == work.one_by_one == work.new_session == FIRST.calls


def test_a_list_is_opened_one_after_another() -> None:
    """E7: 1.2 things a call, so that six files in one call are five calls; nothing of what came
    back is lost, and the client's tools number every line of it."""
    turn = WorkDone(ALONE, [(1_000, 90), (6_090, 300)], [6, 0], numbered=1.07)
    split = one_by_one(turn, said=70)
    assert [output for _, output in split] == [90, 70, 70, 70, 70, 300]
    results = sum(added for added, _ in split[1:]) - 90 - 4 * 70
    assert results == pytest.approx(1.07 * 6_000, abs=5)


def test_who_remembers_works_the_naive_way_as_those_who_do_not() -> None:
    """E4: a look in a session that goes on makes one call; a new one would make four."""
    resumed = WorkDone(AGAIN, [(300, 400)], [0])
    _, work = naive_work([FIRST, resumed])
    assert (work.made, work.one_by_one) == ([(300, 400)], [(300, 400)])
    assert len(work.new_session) == len(FIRST.calls)
    grown = sum(added for added, _ in work.new_session[1:])
    assert grown == pytest.approx(6_300, abs=5)
    assert work.new_session[-1][1] == 400


def test_a_turn_that_looked_at_more_than_usual_is_not_made_smaller() -> None:
    """E4: what was really done is the least that is counted."""
    busy = WorkDone(AGAIN, [(300, 100), *[(3_000, 100)] * 6], [0] * 7)
    assert naive_work([FIRST, busy])[1].new_session == busy.calls


def test_hand_overs_spare_nothing_and_mended_replies_are_no_work() -> None:
    """E4: neither makes the baseline larger."""
    handed = WorkDone(ALONE._replace(memory=Memory.HANDOFF), [(300, 100)], [0])
    mended = WorkDone(None, [(300, 100)], [0])
    found = naive_work([FIRST, handed, mended])
    assert [one.new_session for one in found[1:]] == [handed.calls, mended.calls]


def test_where_nothing_was_asked_alone_an_answer_has_the_usual_size() -> None:
    """E4: of a run that has no single call to learn from."""
    (work,) = naive_work([WorkDone(ALONE, [(10, 90), (4_090, 300)], [4, 0])])
    assert work.one_by_one[1][1] == CALL_OUTPUT_TOKENS


def test_where_all_of_a_kind_remembered_new_sessions_tell_what_is_opened() -> None:
    """E4: the stages of a builder share one session under `seed`. The first opened four files, the
    next one of them, so by itself it would have opened three more."""
    plan = TurnClass("builder", Errand.WRITE, Memory.NONE)
    build = TurnClass("builder", Errand.IMPLEMENT, Memory.TRANSCRIPT)
    first = WorkDone(plan, [(1_000, 100), *[(2_100, 100)] * 4], [0] * 5, files=4)
    second = WorkDone(build, [(300, 100), (2_100, 100), (150, 400)], [0] * 3, files=1)
    found = naive_work([first, second])
    assert found[0].new_session == first.calls
    assert len(found[1].new_session) == len(second.calls) + 3
    assert found[1].new_session[-1] == (150, 400)
    grown = sum(added for added, _ in found[1].new_session[1:])
    assert grown == 3 * 2_100 + 2_100 + 150


def test_last_words_open_nothing_anew() -> None:
    """E4: who only hands over has nothing to open, whatever others open."""
    last = TurnClass("builder", Errand.HAND_OVER, Memory.TRANSCRIPT)
    first = WorkDone(ALONE._replace(role="builder"), FIRST.calls, FIRST.asked, files=3)
    spoken = WorkDone(last, [(300, 100)], [0])
    assert naive_work([first, spoken])[1].new_session == spoken.calls


@given(CALLS)
def test_opened_one_by_one_nothing_becomes_less(drawn: list[tuple[int, int, int]]) -> None:
    """E4: whatever the calls were."""
    grown = [
        (added + (drawn[n - 1][1] if n else 0), output)
        for n, (added, output, _) in enumerate(drawn)
    ]
    split = one_by_one(WorkDone(ALONE, grown, [asked for _, _, asked in drawn]), 60)
    assert len(split) >= len(grown)
    assert sum(output for _, output in split) >= sum(output for _, output in grown)
    lost = sum(added for added, _ in grown) - sum(added for added, _ in split)
    assert lost <= sum(asked for _, _, asked in drawn)
