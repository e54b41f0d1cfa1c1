"""The naive way beside ours: new sessions, every document in full, the same client and cache.

Covers: E4
"""

from __future__ import annotations

from dataclasses import replace

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from sparing.economy.comparison.naive import NaiveTurn, naive_usage
from sparing.usage import Usage

ONE_CALL = ((0, 300),)
"""What the first call adds is the naive prompt, whatever it was in reality."""
TURN = NaiveTurn(
    "claude-sonnet-5", 1000.0, ("prompt", 20_000), ("reviewer", 700), ("tools", 3000), ONE_CALL
)


def later(turn: NaiveTurn, seconds: float = 60.0, **changes: object) -> NaiveTurn:
    return replace(turn, at=turn.at + seconds, **changes)


def test_the_first_turn_pays_for_everything() -> None:
    """E4: written to the cache, since a naive client caches too."""
    assert naive_usage([TURN]) == [Usage(write_5m=23_700, output=300)]


def test_turns_of_one_role_share_tools_and_role_alone() -> None:
    """E4: another prompt, and be it longer by a word, is paid in full."""
    second = later(TURN, prompt=("another prompt", 20_001))
    assert naive_usage([TURN, second])[1] == Usage(read=3700, write_5m=20_001, output=300)


def test_turns_of_two_roles_share_the_tools() -> None:
    """E4: the role is the system prompt, and what follows it can't be shared."""
    second = later(TURN, prompt=("p2", 20_000), role=("author", 900))
    assert naive_usage([TURN, second])[1] == Usage(read=3000, write_5m=20_900, output=300)


@pytest.mark.parametrize(
    "second",
    [
        pytest.param(later(TURN, tools=("other tools", 3000)), id="other tools"),
        pytest.param(later(TURN, model="claude-opus-5"), id="another model"),
        pytest.param(later(TURN, seconds=301.0), id="after the cache's life"),
    ],
)
def test_turns_that_share_nothing(second: NaiveTurn) -> None:
    """E4"""
    assert naive_usage([TURN, second])[1] == Usage(write_5m=23_700, output=300)


def test_the_baseline_is_not_made_worse_than_it_is() -> None:
    """E4: the very same prompt again is read from cache for the naive way too."""
    assert naive_usage([TURN, later(TURN)])[1] == Usage(read=23_700, output=300)


def test_every_call_of_a_turn_sends_what_came_before() -> None:
    """E4: tool calls as in the real turn, on top of the naive prompt."""
    turn = replace(TURN, calls=((500, 100), (1500, 50), (200, 80)))
    assert naive_usage([turn]) == [
        Usage(read=23_700 + 25_200, write_5m=23_700 + 1500 + 200, output=230)
    ]


def test_a_turn_that_was_killed_has_no_bill() -> None:
    """E2: nobody knows its calls; it is no zero for others to build on."""
    killed = replace(TURN, calls=())
    assert naive_usage([killed, TURN]) == [Usage(), *naive_usage([TURN])]


@pytest.mark.parametrize("field", ["prompt", "role", "tools"])
def test_a_client_that_sends_nothing_there(field: str) -> None:
    """E4: an empty part costs nothing and breaks nothing."""
    turn = replace(TURN, **{field: ("empty", 0)})
    assert naive_usage([turn])[0].input == 23_700 - getattr(TURN, field)[1]


@settings(deadline=None)
@given(
    sizes=st.lists(st.integers(0, 50_000), min_size=1, max_size=5),
    more=st.integers(1, 50_000),
    gap=st.floats(0, 400),
)
def test_more_documents_cost_more(sizes: list[int], more: int, gap: float) -> None:
    """E4: turn by turn, never less input than it sends; in all by just what was added."""

    def turns(extra: int) -> list[NaiveTurn]:
        return [
            replace(TURN, at=gap * n, prompt=(f"{n} {extra}", size + extra))
            for n, size in enumerate(sizes)
        ]

    small, large = naive_usage(turns(0)), naive_usage(turns(more))
    assert [usage.input for usage in small] == [size + 3700 for size in sizes]
    for one, two in zip(small, large, strict=True):
        assert two.input == one.input + more
        assert two.read <= 3700
