"""Feedback that was given before is recognised. Covers: F7."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sparing.flow.repeats import overlap, said_before


@pytest.mark.parametrize(
    ("new", "earlier", "same"),
    [
        ("name the file made.txt", "name the file made.txt", True),
        ("You still have not named the files made.txt!", "name the file made.txt", True),
        ("Please limit logins by address", "limit the login by the address of the client", True),
        ("limit logins by account", "use Redis for the counters", False),
        ("name the file, and also test the empty input and the full disk", "name the file", False),
        ("", "name the file", False),
        ("and the for with", "and the for with", False),
    ],
)
def test_more_than_half_of_the_words_that_mean_something(
    new: str, earlier: str, same: bool
) -> None:
    """F7: term overlap above 0.5 with what was said before."""
    assert said_before(new, earlier) is same


@given(st.text(max_size=80), st.text(max_size=80))
def test_it_is_a_share(new: str, earlier: str) -> None:
    assert 0.0 <= overlap(new, earlier) <= 1.0
    assert overlap(new, new) in (0.0, 1.0)
