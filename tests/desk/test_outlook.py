"""What a feature may still cost, as a person reads it. Covers: E5"""

from __future__ import annotations

import pytest

from sparing.desk.gates import answers
from sparing.desk.money.forecast import (
    outlook,
    outlook_brief,
    outlook_likely,
    outlook_words,
    stage_outlook,
)
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


def test_whoever_may_help_after_the_tasks_is_in_the_forecast(office: Office) -> None:
    """E5, D5: one turn of the code-simplifier and two of the test-deepener, if they are asked."""

    def least(*helping: str) -> int:
        said = {"flow.assistants": list(helping)}
        row = answers.start(office, f"With {len(helping)}", "feature", said, NOW)
        return stage_outlook(office, row, "implement").low.tokens

    alone = least()
    one = least("code-simplifier") - alone
    assert one > 0
    assert least("code-simplifier", "test-deepener") - alone == 3 * one


def range_of(low: str, high: str, tokens: int = 1000) -> Range:
    ends = Amount(tokens, to_nano(low)), Amount(tokens, to_nano(high))
    return Range(ends[0], ends[0], ends[1], 2, 0)


UNPRICED = Range(Amount(10, None), Amount(15, None), Amount(20, None), 1, 0)


@pytest.mark.parametrize(
    ("found", "words", "likely"),
    [
        (
            range_of("0.2", "1.5"),
            "$0.200 to $1.50 (estimated)",
            "about $0.200, up to $1.50 (estimated)",
        ),
        (
            range_of("0.0004", "0.002"),
            "less than a cent (estimated)",
            "less than a cent (estimated)",
        ),
        (range_of("0", "0", 0), "nothing", "nothing"),
        (
            UNPRICED,
            "10 to 20 tokens (estimated)",
            "about 15 tokens, up to 20 tokens (estimated)",
        ),
    ],
)
def test_the_words_of_a_range(found: Range, words: str, likely: str) -> None:
    assert (outlook_brief(found), outlook_likely(found)) == (words, likely)
    assert "$0.000" not in outlook_words(found)


@pytest.mark.parametrize(
    ("learned", "words"),
    [
        (1, "about $0.200, up to $1.50 (estimated)"),
        (2, "about $0.200 (median), 90 % stay below $1.50 (estimated)"),
    ],
)
def test_percentiles_are_named_once_every_stage_has_a_history(learned: int, words: str) -> None:
    """E5: before that, both figures are guesses."""
    found = range_of("0.2", "1.5")
    assert outlook_likely(Range(found.low, found.median, found.high, 2, learned)) == words


def test_a_range_that_begins_with_nothing_is_not_written_so() -> None:
    assert outlook_brief(range_of("0", "1.5")) == "up to $1.50 (estimated)"
