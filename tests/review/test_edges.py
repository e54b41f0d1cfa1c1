"""Where a rule of reviews changes its mind: what counts, what is meant, what is said.

Covers: C2, C14
"""

from __future__ import annotations

import pytest

from sparing.finding import Finding, Severity
from sparing.review.governor_reasons import of_step
from sparing.review.loop import Loop, LoopDecision
from sparing.review.quotes import WHOLE_LINE, QuoteCheck, check_quote
from sparing.review.reply import ReplyObject, ReplyProblem, find_answer

KEYS = ("approved",)


def test_what_can_t_be_read_counts_only_if_it_names_an_answer_s_key() -> None:
    """C14: a backslash alone may hide a key, but what is no JSON then was no answer."""
    good = '{"approved": true}'
    odd = find_answer(f"see {{C:\\x}} and\n{good}", KEYS)
    assert isinstance(odd, ReplyObject)
    assert odd.value == {"approved": True}
    broken = find_answer('{"approved": tru\\e}', KEYS)
    assert isinstance(broken, ReplyProblem)


@pytest.mark.parametrize(
    ("quote", "found"),
    [("the last one", QuoteCheck.FOUND), ("a last one.", QuoteCheck.ABSENT)],
)
def test_a_part_of_a_line_counts_from_its_least_length_on(quote: str, found: QuoteCheck) -> None:
    """C14: shorter ones stand in every text; a whole line may be as short as it is."""
    text = "and the last one here\nand a last one. here\n"
    assert (len(quote) >= WHOLE_LINE) is (found is QuoteCheck.FOUND)
    quoted = Finding(Severity.BLOCKER, "t", quote=quote)
    assert check_quote(quoted, text) is found


def test_a_loop_at_its_cap_says_so() -> None:
    """C2"""
    loop = Loop((("spec-reviewer",),), cap=3)
    said = of_step(LoopDecision.ESCALATE, loop, ())
    assert said == "the cap of 3 iterations is reached with findings open"
