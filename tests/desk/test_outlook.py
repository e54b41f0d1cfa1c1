"""What a feature may still cost, as a person reads it. Covers: E5"""

from __future__ import annotations

import pytest

from sparing.desk.gates import answers
from sparing.desk.money.forecast import outlook, outlook_brief, outlook_words
from sparing.desk.office import Office
from sparing.economy.cost_model import Range
from sparing.money import Amount, to_nano
from tests.desk.standing import NOW


def test_a_review_may_go_on_as_long_as_the_setting_says(office: Office) -> None:
    """Not only as long as the flow that ships would let it."""
    few, many = (
        outlook(office, answers.start(office, f"With {cap}", "feature", {"review.cap": cap}, NOW))
        for cap in (3, 8)
    )
    assert few.low == many.low
    assert few.high.tokens < many.high.tokens


def range_of(low: str, high: str, tokens: int = 1000) -> Range:
    return Range(Amount(tokens, to_nano(low)), Amount(tokens, to_nano(high)), 2, 0)


@pytest.mark.parametrize(
    ("found", "words"),
    [
        (range_of("0.2", "1.5"), "$0.200 to $1.50 (estimated)"),
        (range_of("0", "1.5"), "up to $1.50 (estimated)"),
        (range_of("0.0004", "0.002"), "less than a cent (estimated)"),
        (range_of("0", "0", 0), "nothing"),
        (Range(Amount(10, None), Amount(20, None), 1, 0), "10 to 20 tokens (estimated)"),
    ],
)
def test_a_range_that_begins_with_nothing_is_not_written_so(found: Range, words: str) -> None:
    assert outlook_brief(found) == words
    assert "$0.000" not in outlook_words(found)
