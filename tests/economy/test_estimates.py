"""Expected work, and what the ledger teaches. Covers: E1, C15."""

from __future__ import annotations

from itertools import product

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sparing.economy.cost_model import TYPICAL, TurnWork, turn_cost
from sparing.economy.expected_work import (
    HABITS,
    UNSEEN,
    Memory,
    SeenTurn,
    Share,
    TurnClass,
    by_reference,
    expected_work,
    learned,
    observed_share,
    read_share,
    work_of,
)
from sparing.turn_kind import Errand

REVIEW = TurnClass("spec-reviewer", Errand.REVIEW, Memory.NONE)
AGAIN = REVIEW._replace(memory=Memory.TRANSCRIPT)


def test_every_kind_of_turn_has_a_default() -> None:
    assert set(HABITS) == set(product(Errand, Memory))


def test_a_first_review_until_something_is_known() -> None:
    """E1: of four steps and five and a half files, two at a time, a seventh part is expected."""
    usual = work_of(HABITS[Errand.REVIEW, Memory.NONE])
    assert usual == TurnWork(
        calls=1 + 4 + 2.75,
        growth=4 * 700 + 5.5 * 2_140 + 6.75 * 150,
        output=1_050 + 6.75 * 150,
    )
    work = expected_work(REVIEW, {})
    assert work == TurnWork(0.15 * usual.calls, 0.15 * usual.growth, 0.15 * usual.output)
    handed = expected_work(REVIEW._replace(errand=Errand.HAND_OVER), {})
    assert handed.calls == 1, "a turn makes at least one call"


def test_a_light_agent_is_known_after_one_turn() -> None:
    """E1: by the workload's own figures its second review was expected to take four calls."""
    light = SeenTurn(REVIEW, [(18_000, 60)])
    assert expected_work(REVIEW, learned([light])).calls < 1.1


@pytest.mark.parametrize("errand", Errand)
def test_who_remembers_more_works_no_more(errand: Errand) -> None:
    """E1: that is why a resumed turn can pay."""
    none, notes, handoff, transcript, neighbour = (
        work_of(HABITS[errand, memory]) for memory in Memory
    )
    assert none.calls >= notes.calls >= transcript.calls
    assert none.growth >= notes.growth >= transcript.growth
    assert handoff == none, "not before it was seen"
    assert transcript.growth >= neighbour.growth


def test_the_ledger_outweighs_the_defaults() -> None:
    """E1: learned per role, kind of turn and memory; the default counts as half a turn."""
    quick = SeenTurn(REVIEW, [(18_000, 100), (900, 400)])
    once = expected_work(REVIEW, learned([quick]))
    assert once.calls == pytest.approx((0.5 * 0.15 * 7.75 + 2) / 1.5)
    often = expected_work(REVIEW, learned([quick] * 40))
    assert often.calls == pytest.approx(2, rel=0.02)
    assert often.growth == pytest.approx(900, rel=0.1)
    assert often.output == pytest.approx(500, rel=0.02)


def test_habits_may_change() -> None:
    """E1: after many quick turns, ten slow ones are what is expected."""
    quick, slow = SeenTurn(REVIEW, [(18_000, 100)] * 2), SeenTurn(REVIEW, [(18_000, 100)] * 6)
    assert expected_work(REVIEW, learned([quick] * 50 + [slow] * 10)).calls > 4


def test_what_others_did_is_expected_until_a_role_has_done_it_itself() -> None:
    """E1: who reviews reviews alike; of another memory the default shrinks in proportion."""
    quick, slow = SeenTurn(REVIEW, [(18_000, 100)] * 2), SeenTurn(REVIEW, [(18_000, 100)] * 20)
    other = REVIEW._replace(role="plan-reviewer")
    assert expected_work(other, learned([quick])) == expected_work(REVIEW, learned([quick]))
    both = learned([quick, slow._replace(kind=other)])
    assert expected_work(REVIEW, both) == expected_work(REVIEW, learned([quick]))
    usual, first = (work_of(HABITS[one.errand, one.memory]) for one in (AGAIN, REVIEW))
    share = expected_work(REVIEW, learned([quick])).calls / first.calls
    assert expected_work(AGAIN, learned([quick])).calls == pytest.approx(
        max(1.0, usual.calls * share)
    )


def test_one_errand_teaches_how_much_agents_do_in_another() -> None:
    """E1: until that was seen itself. A killed turn teaches nothing at all, nor does a handover."""
    revise = REVIEW._replace(errand=Errand.REVISE)
    usual = expected_work(revise, {})
    light = SeenTurn(REVIEW, [(18_000, 100)])
    assert expected_work(revise, learned([light])).calls == usual.calls == 1
    assert expected_work(revise, learned([light])).growth < usual.growth
    heavy = SeenTurn(REVIEW, [(18_000, 100), *[(2_000, 150)] * 15])
    share = work_of(HABITS[Errand.REVISE, Memory.NONE]).calls / 7.75
    assert expected_work(revise, learned([heavy] * 9)).calls == pytest.approx(16 * share, rel=0.4)
    apart = SeenTurn(REVIEW._replace(errand=Errand.HAND_OVER), [(18_000, 9_000)])
    assert expected_work(revise, learned([apart])) == usual
    assert learned([SeenTurn(REVIEW, [])]) == {}


def test_references_cost_a_call_and_a_little_more_text() -> None:
    """E1, B2: five artifacts in five more calls, as few at a time as models open files."""
    inline = TurnWork(4, 3_000, 1_000)
    assert by_reference(inline, 18_750, 5) == TurnWork(9, 3_750, 1_750, early=1.04 * 18_750)
    assert by_reference(inline, 18_750, 10).calls == 13
    told = turn_cost(TYPICAL, 22_000, 20_000, inline)
    lazy = turn_cost(TYPICAL, 22_000 - 18_750, 20_000 - 18_750, by_reference(inline, 18_750, 5))
    assert lazy > told


@given(st.integers(1, 40), st.integers(1_000, 60_000), st.integers(1, 9))
def test_what_must_be_read_is_never_cheaper_by_reference(calls: int, size: int, files: int) -> None:
    """E1, B2: it is read before all else, so every later call pays for it as for a prompt."""
    work = TurnWork(calls, 3_000, 1_000)
    told = turn_cost(TYPICAL, 3_000 + size, 1_000 + size, work)
    assert turn_cost(TYPICAL, 3_000, 1_000, by_reference(work, size, files)) > told


def test_the_share_of_a_transcript_that_was_read() -> None:
    """C15: a real client's resumed loop: 6,116 of the first call's 6,184 tokens were read."""
    one_call = [(68, 420)]
    assert read_share(6_116, 6_116, one_call) == 1
    assert read_share(6_116, 1_884, one_call) == pytest.approx(0.308, abs=0.001)


def test_later_calls_do_not_hide_a_miss() -> None:
    """C15: they read what the first one wrote; only the rest speaks for the transcript."""
    calls = [(500, 150), (1_150, 150), (650, 400)]
    later = (20_000 + 500) + (20_000 + 500 + 1_150)
    assert read_share(20_000, later, calls) == 0
    assert read_share(20_000, later + 10_000, calls) == pytest.approx(0.5)
    assert read_share(20_000, later + 20_000, calls) == 1
    assert read_share(0, 0, calls) == 1


def test_when_resume_is_said_to_miss() -> None:
    """C15: V5 needs three warm resumes, and less than half of the transcript read."""
    assert observed_share([]) == UNSEEN
    assert not UNSEEN.misses
    assert not observed_share([0, 0]).misses
    assert observed_share([0, 0, 0.3]).misses
    assert observed_share([1, 1, 0]) == Share(2 / 3, 3)
    assert not observed_share([1, 1, 0]).misses
