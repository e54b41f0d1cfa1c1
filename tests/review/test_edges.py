"""Where a rule of reviews changes its mind: what counts, what is meant, what is said.

Covers: C2, C14
"""

from __future__ import annotations

from sparing.review.governor_reasons import of_step
from sparing.review.loop import Loop, LoopDecision
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


def test_a_loop_at_its_cap_says_so() -> None:
    """C2"""
    loop = Loop((("spec-reviewer",),), cap=3)
    said = of_step(LoopDecision.ESCALATE, loop, ())
    assert said == "the cap of 3 iterations is reached with findings open"
