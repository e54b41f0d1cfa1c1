"""The lower bound lies below every strategy of every run. Covers: E4.

A report once showed a bound of $0.117 over a naive way of $0.105: it was that of the ways taken,
with all the words that only those ways have.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from sparing.cache import Life
from sparing.dispatch_policy import Policy, Way
from sparing.economy.comparison.bound import CallSize, lower_bound
from sparing.economy.comparison.naive import NaiveTurn, naive_usage, without_reads
from sparing.economy.comparison.naive_replay import naive_turns, scoped_turns
from sparing.economy.comparison.recorded_turn import RecordedTurn, ReplayedPrompt
from sparing.economy.comparison.replay import (
    ReplayRules,
    all_fresh,
    all_inline,
    as_recorded,
    replay_bills,
    replay_runs,
    seed_inline,
    seed_sent,
    seed_sessions,
)
from sparing.economy.comparison.savings import savings
from sparing.economy.cost_model import TYPICAL
from sparing.usage import Usage
from tests.economy.test_savings import block, look

PICKS = (as_recorded, all_fresh, all_inline, seed_sent, seed_inline, seed_sessions(all_fresh))


def cost(bills: Sequence[Usage]) -> float:
    return sum(map(TYPICAL.price, bills))


def strategies(turns: Sequence[RecordedTurn]) -> list[float]:
    """What the run would have cost in each of the ways that a report compares."""
    replayed = [cost(replay_bills(turns, ReplayRules(pick))) for pick in PICKS]
    plain = [cost(naive_usage(found(turns))) for found in (naive_turns, scoped_turns)]
    return [*replayed, *plain]


def wordy(number: int) -> RecordedTurn:
    """A turn whose own words outweigh the document: what small features have."""
    turn = look(number, f"role {number}", calls=(CallSize(0, 100),))
    told = turn.ways[Way.COMPOSE].blocks
    words = block(f"more words {number}", 4_000)
    return replace(turn, ways={Way.COMPOSE: ReplayedPrompt((*told, words))})


def test_the_bound_of_a_run_of_many_words_is_below_the_naive_way() -> None:
    """E4: the case of the report; the bound of the ways taken alone is over the naive way."""
    turns = [wordy(0), wordy(1)]
    runs = replay_runs(turns, ReplayRules(as_recorded))
    naive = cost(naive_usage(naive_turns(turns)))
    assert lower_bound(runs, [Way.COMPOSE] * 2, TYPICAL) > naive
    found = savings(turns, lambda _: TYPICAL, Policy.ADAPTIVE)
    assert found.bound < naive
    assert found.naive.cost == pytest.approx(naive)


def plainly(turn: RecordedTurn) -> RecordedTurn:
    """Sent the plain way: the role as system prompt, on tools that others share."""
    words = ReplayedPrompt((block(f"plain {turn.role} {turn.at}", 900),))
    ways = {way: told for way, told in turn.ways.items() if way is Way.COMPOSE}
    return replace(
        turn, way=Way.PLAIN, ways={**ways, Way.PLAIN: words}, tools=("tools", turn.base[1] // 2),
        plain=(turn.role, turn.base[1] // 2 + 700),
    )  # fmt: skip


def test_the_plain_way_shares_its_tools_and_nothing_else() -> None:
    """E6: replayed as it was sent; another role on the same tools finds these in the cache, and
    who goes on in such a session finds its system prompt too."""
    first, other = plainly(look(0, "a")), plainly(look(1, "b"))
    tools, system = first.tools[1], first.plain[1]
    bills = replay_bills([first, other], ReplayRules(as_recorded))
    assert bills[1].read - bills[0].read == tools
    goes_on = replace(look(2, "b", resume=True), tools=other.tools, plain=other.plain)
    again = replay_bills([first, other, goes_on], ReplayRules(as_recorded))[2]
    assert again.read > 2 * (tools + system)


turn = st.builds(
    look,
    number=st.integers(0, 40),
    role=st.sampled_from("abc"),
    resume=st.booleans(),
    mark=st.sampled_from(list(Life)),
    gap=st.sampled_from((20.0, 60.0, 400.0)),
    calls=st.lists(
        st.builds(CallSize, st.integers(1, 3_000), st.integers(0, 900)), min_size=1, max_size=4
    ).map(tuple),
)


@settings(max_examples=60, deadline=None)
@given(
    turns=st.lists(st.tuples(turn, st.booleans()), min_size=1, max_size=5),
    words=st.integers(0, 9_000),
)
def test_no_strategy_is_below_the_bound(turns: list[tuple[RecordedTurn, bool]], words: int) -> None:
    """E4: whatever was sent, in whatever order, the plain way too, with pauses of any length."""
    ordered = [plainly(one) if plain else one for one, plain in turns]
    ordered.sort(key=lambda one: one.at)
    told = ReplayedPrompt((block("w", words),)) if words else None
    run = [
        replace(one, ways={**one.ways, Way.COMPOSE: told}, way=one.way) if told else one
        for one in ordered
    ]
    found = savings(run, lambda _: TYPICAL, Policy.ADAPTIVE)
    assert found.bound <= min(strategies(run)) + 1e-6
    assert found.bound <= found.oracle.cost + 1e-6
    assert found.bound <= found.naive.cost + 1e-6
    assert found.bound <= found.replayed + 1e-6


def test_what_was_opened_by_path_stands_in_the_naive_prompt() -> None:
    """E4: a call that was made for documents alone is gone; of a mixed one its share."""
    calls = [(900, 120), (2_120, 50)]
    assert without_reads(calls, 2_000, 1.0) == [(900, 50)]
    assert without_reads(calls, 1_000, 0.5) == [(900, 60), (1_060, 50)]
    assert without_reads(calls, 0, 0.0) == calls
    assert without_reads([(900, 120)], 5_000, 1.0) == [(900, 120)]


def test_a_reply_that_is_put_into_shape_goes_on_in_its_session() -> None:
    """E4: the naive way opens no second session for it either."""
    first = NaiveTurn(
        "claude-sonnet-5", 0.0, ("p", 20_000), ("r", 700), ("t", 3_000), ((0, 300),), line="a"
    )
    again = replace(first, at=60.0, calls=((80, 200),), follows=True)
    assert naive_usage([first, again])[1] == Usage(read=23_700, write_5m=380, output=200)
