"""Looking for a quote takes as long as the text is, whatever stands in it. Covers: C19, D2."""

from __future__ import annotations

import sys
from collections.abc import Callable
from types import FrameType
from typing import Any

import pytest

from sparing.finding import Finding, Severity
from sparing.review import quotes
from sparing.review.quotes import QuoteCheck, check_quote


def steps(look: Callable[[], object]) -> int:
    """How many lines of the module run: counted, because a clock says nothing on a busy machine."""
    count = 0

    def traced(frame: FrameType, event: str, _given: Any) -> Any:
        nonlocal count
        if frame.f_code.co_filename != quotes.__file__:
            return None
        count += event == "line"
        return traced

    before = sys.gettrace()
    sys.settrace(traced)
    try:
        look()
    finally:
        sys.settrace(before)
    return count


@pytest.mark.parametrize(
    ("line", "quote"),
    [
        pytest.param("ab" * 40, "ab" * 20, id="a period in a line"),
        pytest.param("x" + "a b " * 20, "a b " * 10 + "c", id="nearly there, again and again"),
        pytest.param("- [ ] > ## 1. word", "no such words in it", id="marks"),
    ],
)
def test_four_times_the_text_takes_four_times_the_steps(line: str, quote: str) -> None:
    """Worst cases of a search that begins anew at every letter."""
    finding = Finding(Severity.BLOCKER, "x", quote=quote)
    few, many = ("\n".join([line] * count) for count in (100, 400))
    short, long = (steps(lambda text=text: check_quote(finding, text)) for text in (few, many))
    assert short > 100
    assert long <= 4 * short + 50


def test_an_occurrence_that_overlaps_one_inside_a_word_is_found() -> None:
    """C19: the first begins within a word, the second does not."""
    finding = Finding(Severity.BLOCKER, "x", quote="abc abc abc abc")
    assert check_quote(finding, "zabc abc abc abc abc") is QuoteCheck.FOUND
