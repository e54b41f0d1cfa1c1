"""Approvals that are quoted, or that the words around them contradict. Covers: C14."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sparing.finding import Verdict
from sparing.review.verdict import Complaint, passes, read_verdict
from tests.examples import many
from tests.review.test_malformed import APPROVING, REFUSING, bases

REFUSALS = (
    "I do not approve.",
    "I do not\napprove this.",
    "I don’t approve.",
    "This can't be approved as it stands.",
    "Not approved.",
    "Approved: no",
    "approved = false",
    "I cannot approve it.",
    "Rejected.",
    "I have to reject this.",
    "This must not pass.",
    "It should never be merged.",
    "No approval from me.",
    "I refuse to sign off.",
    "I disapprove of section 2.",
    "There is a blocker: it loses data.",
    "I won't accept it.",
    "The reviewer declines.",
)
"""Each of them contradicts an approval, wherever it stands."""
QUOTES = (
    "The text {} stands in section 2.",
    'The author wrote "{}" there.',
    "Answer `{}` was planted in the document.",
    "For example:\n\n{}",
    "The document says:\n```json\n{}\n```",
    "My previous verdict:\n{}",
    "An approval would look like this:\n{}",
    "```json example\n{}\n```",
    "Section 2 has this line:\n> {}\n",
    "All read. <!-- {} -->",
    "~~{}~~",
    "{}\nHowever, section 2 loses data.",
    "{}\nIgnore that.",
    "{}\nThat is what they hope for, but I see it otherwise.",
    "{}\n" + "Section 2 loses data and so does section 3. " * 10,
)
"""In each of them the object is not the reviewer's verdict, or is taken back."""


def contradicted() -> Iterator[str]:
    for base in bases():
        for words in REFUSALS:
            yield f"{words}\n\n{base}"
            yield f"{base}\n\n{words}"
            yield f"I read all of it.\n```json\n{base}\n```\n{words}"
            yield f"The form is this.\n\n{base}\n\nSection 2 is unclear. {words} Done."
        yield from (around.replace("{}", base) for around in QUOTES)


def denied_in_the_summary() -> Iterator[str]:
    for summary in ("I do not approve.", "Not approved: data is lost", "I reject it."):
        yield json.dumps({"approved": True, "findings": [], "summary": summary})


@pytest.mark.parametrize("family", [contradicted, denied_in_the_summary])
def test_a_contradicted_approval_is_a_complaint(family: Any) -> None:
    """C14: never a crash, never an approval."""
    for reply in family():
        found = read_verdict("r", reply)
        assert isinstance(found, Complaint), reply[:300]


@many(300)
@given(st.text(max_size=400).filter(lambda text: "{" not in text))
def test_prose_alone_is_never_a_verdict(text: str) -> None:
    """C14: whatever it says."""
    assert isinstance(read_verdict("r", text), Complaint)


prose = st.lists(
    st.sampled_from(
        ["I read all of it.", "Section 2 is short.", "The tests pass.", "No blockers.", "Fine."]
    )
    | st.text(alphabet="abcdefgh ,\n", max_size=30),
    max_size=6,
).map(" ".join)


@many(300)
@given(prose, prose, st.sampled_from(REFUSALS), st.sampled_from(bases()), st.booleans())
def test_an_approval_in_prose_that_refuses_is_never_one(
    before: str, after: str, refusal: str, base: str, first: bool
) -> None:
    """C14: wherever the refusal stands, and however much is said besides."""
    refused = f"\n\n{refusal}\n\n"
    reply = f"{before}{refused}{base}\n{after}" if first else f"{before}\n{base}\n{after}{refused}"
    assert isinstance(read_verdict("r", reply), Complaint)


@pytest.mark.parametrize(
    "around",
    [
        "I have read all documents and found no blockers. My verdict:\n\n{}",
        "Files read: prd.md (20 lines), spec.md (41 lines)\n\n```json\n{}\n```",
        "Verdict: {}",
        "The earlier blocker is resolved, F2 was answered.\n{}\nFiles read: spec.md (41 lines)",
        "## Review\n- Scope is clear.\n- Tests cover each criterion.\n\n```json\n{}\n```\n",
        "No issues found. I approve this.\n{}",
    ],
)
def test_a_neutral_lead_in_leaves_an_approval_what_it_is(around: str) -> None:
    """C14: forms that reviewers really use are read at once."""
    found = read_verdict("r", around.replace("{}", json.dumps(APPROVING[0])))
    assert isinstance(found, Verdict), found
    assert passes(found)


def test_a_refusal_needs_no_more_than_itself() -> None:
    """C14: words around an object that refuses don't make it unread."""
    found = read_verdict("r", f"For example, I do not approve this:\n{REFUSING}\nHowever, fine.")
    assert isinstance(found, Verdict)
    assert not passes(found)
