"""Replies as reviewers get them wrong, read from a table of files. Covers: C2, C14."""

from __future__ import annotations

import tomllib
from pathlib import Path

import pytest

from bench import replies
from sparing.review.reply import REPLY_LIMIT, ReplyProblem, find_answer
from sparing.review.verdict import KEYS, Complaint, ReviewedText, passes, read_verdict

TABLE = tomllib.loads((Path(__file__).parent / "replies.toml").read_text("utf-8"))
SUBJECT = ReviewedText(commit="4f2a9c71d0e8b6a3")
AROUND = (
    "{}",
    "\ufeff{}",
    "{}\n",
    "I have read all of it.\n\n{}\n\nThat is all.",
    "```\n{}\n```",
    "```json\n{}\n```",
    "> {}",
    "<answer>{}</answer>",
    "```json\n{}\n```\n```text\nnothing more\n```",
    "The type is {{T}}; `f(x) {{ return x }}`.\n{}",
    "{}\x00",
)
"""What may stand around a reply and changes nothing."""


@pytest.mark.parametrize("name", TABLE)
def test_it_is_never_read_as_an_approval(name: str) -> None:
    """C2, C14: nor with anything around it; and the complaint can be sent and stored."""
    for around in AROUND:
        found = read_verdict("r", around.format(TABLE[name]["reply"]), subject=SUBJECT)
        if TABLE[name]["what"] == "complaint":
            assert isinstance(found, Complaint), around
            found.what.encode("utf-8")
        else:
            assert not isinstance(found, Complaint), around
            assert not passes(found)


def test_the_same_around_a_good_one_lets_it_pass() -> None:
    """C14: what refuses the replies above is not what stands around them."""
    good = '{"approved": true, "findings": [], "commit": "4f2a9c71d0e8b6a3"}'
    for around in AROUND:
        found = read_verdict("r", around.format(good), subject=SUBJECT)
        assert not isinstance(found, Complaint), around
        assert passes(found)


def test_many_objects_are_counted_not_compared() -> None:
    """C14: each character is looked at a fixed number of times, whatever stands there."""
    one = '{"approved": true, "findings": []}'
    found = find_answer(one * 5_000, KEYS)
    assert found == ReplyProblem("the reply holds 5000 verdict objects; answer with one")
    assert isinstance(find_answer(" " * REPLY_LIMIT + one, KEYS), ReplyProblem)
    assert not isinstance(find_answer(" " * REPLY_LIMIT + one, KEYS, 2 * REPLY_LIMIT), ReplyProblem)


def test_the_bench_reads_every_shape() -> None:
    """C14: how long they take is measured there, on an idle machine."""
    found = replies.measure(large=2_000)
    assert len(found["rows"]) == sum(len(shapes) for _, shapes in replies.READERS.values())
    assert found["origin"] == "measured"
