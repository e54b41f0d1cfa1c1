"""Open questions in a handoff block: what is one, what is none, and its default.

Covers: F5
"""

from __future__ import annotations

import pytest

from sparing.context.documents.handoff import parse_handoff, parse_questions, with_default


@pytest.mark.parametrize(
    "words",
    ["None at this time.", "none", "There are no open questions at this point.", "N/A", "-",
     "No further questions remain.", "Nothing so far", "(none)", "*None*", "`none`",
     "None needed.", "I have no questions.", "None — it is all said", "None (all decided)"],
)  # fmt: skip
def test_no_question_is_no_question(words: str) -> None:
    """F5"""
    block = f"### HANDOFF\n- **Status**: completed\n- **Open Questions**: {words}\n"
    assert parse_handoff(block).open_questions == ()
    assert parse_questions(f"Done.\n\n### OPEN QUESTIONS\n- {words}\n") == ()


@pytest.mark.parametrize(
    "words",
    ["None of the limits is given: which one holds?", "No limit, or 5?", "Nothing or 5 by default",
     "None - or should it be five?", "None, but please name the port",
     "None, except: confirm the retention period with legal",
     "None - pending: legal must say how long data is kept"],
)  # fmt: skip
def test_a_question_that_begins_with_no_is_one(words: str) -> None:
    """F5"""
    block = f"### HANDOFF\n- **Status**: completed\n- **Open Questions**: {words}\n"
    assert parse_handoff(block).open_questions == (words,)
    assert parse_questions(f"Done.\n\n### OPEN QUESTIONS\n- {words}\n") == (words,)


def test_a_warning_that_begins_with_none_is_kept() -> None:
    """F5: there nothing tells a remark from what it warns of."""
    block = "### HANDOFF\n- **Status**: completed\n- **Warnings**: None: but the clock is local\n"
    assert parse_handoff(block).warnings == ("None: but the clock is local",)


@pytest.mark.parametrize(
    ("question", "expected"),
    [
        ("Which limit? (default: 5 (an hour))", ("Which limit?", "5 (an hour)")),
        ("Which limit? Default: five.", ("Which limit?", "five")),
        ("Which limit?", ("Which limit?", "")),
        ("Is the default: x or y?", ("Is the default: x or y?", "")),
    ],
)
def test_a_question_brings_its_default(question: str, expected: tuple[str, str]) -> None:
    """F5"""
    assert with_default(question) == expected
