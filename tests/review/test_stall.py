"""Loops that lead nowhere are shown to a person. Covers: C2, E3."""

from __future__ import annotations

from sparing.review.stall import Patience, fruitless, idle, overdue

PATIENCE = Patience(seconds=3600, reply_chars=100)


def test_agents_that_work_for_hours_alone() -> None:
    assert overdue("plan", 3599, PATIENCE) == ""
    assert overdue("plan", 3600, PATIENCE) == (
        "agents have worked 3,600 s on plan since a person last answered, the limit is 3,600 s"
    )


def test_a_reply_without_end() -> None:
    assert fruitless("judge", 100, PATIENCE, repeated=False) == ""
    assert fruitless("judge", 101, PATIENCE, repeated=False) == (
        "judge answered with 101 characters, the limit is 100"
    )


def test_the_same_question_with_the_same_answer() -> None:
    assert fruitless("judge", 1, PATIENCE, repeated=True) == (
        "judge was asked the same twice and answered the same twice"
    )


def test_rounds_without_a_change() -> None:
    assert idle("spec-author", 1) == ""
    assert idle("spec-author", 2) == "spec-author changed nothing in 2 rounds"
