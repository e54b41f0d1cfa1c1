"""A reviewer says which of its findings one continues. Covers: C2, C19."""

from __future__ import annotations

import json
from dataclasses import replace

from sparing.finding import Finding, Severity, Verdict
from sparing.review.governor import ReviewState, SeenVerdict, SinceLastLook, govern
from sparing.review.loop import Loop, LoopDecision
from sparing.review.tracking import FindingStatus, Ruling, RulingKind
from sparing.review.verdict import read_verdict
from tests.review.looks import LOSS, SPEED, START, answered, changed, look, one

OTHER_WORDS = Finding(
    Severity.WARNING, "Nobody could measure this criterion", location="AC-3", continues="F1"
)
LEAK = Finding(Severity.BLOCKER, "The password is written to the log", location="auth.py:40")
GUESSED = Finding(Severity.BLOCKER, "The login does not limit attempts", location="auth.py:40")


def test_a_reply_names_the_finding_that_one_continues() -> None:
    """C2: as the form asks for it."""
    finding = {"severity": "warning", "text": "still there", "continues": " `F3`"}
    found = read_verdict("r", json.dumps({"approved": False, "findings": [finding]}))
    assert isinstance(found, Verdict)
    assert found.findings[0].continues == "F3"


def test_what_the_reviewer_names_is_the_same_in_whatever_words() -> None:
    """C2: asked instead of guessed."""
    first = look(START, SPEED)
    second = look(first.state, OTHER_WORDS, answers=(changed("F1"),))
    (found,) = second.state.tracked
    assert (found.id, found.status, found.times) == ("F1", FindingStatus.REPEATED, 2)
    assert found.finding is OTHER_WORDS or found.finding.text == OTHER_WORDS.text


def test_a_named_finding_that_the_author_answered_is_contested() -> None:
    """C2, C17: other words for the same are no new evidence."""
    ruled = look(look(START, SPEED).state, OTHER_WORDS, answers=(answered("F1"),))
    assert (one(ruled, "F1").status, one(ruled, "F1").counts) == (FindingStatus.CONTESTED, False)


def test_an_id_that_does_not_exist_names_nothing() -> None:
    """C2: the program checks that the id exists."""
    ruled = look(look(START, SPEED).state, replace(OTHER_WORDS, continues="F9"))
    assert [(t.id, t.status) for t in ruled.state.tracked] == [
        ("F1", FindingStatus.RESOLVED),
        ("F2", FindingStatus.NEW),
    ]


def test_another_role_s_finding_is_not_continued() -> None:
    """C2: the program checks that it was this role's."""
    state = ReviewState(Loop((("a", "b"),), 3))
    first = govern(
        state,
        [SeenVerdict(Verdict("a", False, (LEAK,))), SeenVerdict(Verdict("b", False, (SPEED,)))],
        SinceLastLook(),
    )
    claim = replace(GUESSED, continues="F1")
    second = govern(first.state, [SeenVerdict(Verdict("b", False, (claim,)))], SinceLastLook())
    assert [(t.id, t.roles, t.open) for t in second.state.tracked] == [
        ("F1", ("a",), True),
        ("F2", ("b",), False),
        ("F3", ("b",), True),
    ]


def test_a_finding_once_raised_together_may_be_named_by_each_of_them() -> None:
    """C2: also by one that has been silent about it since."""
    state = ReviewState(Loop((("a", "b"),), 5))
    both = [SeenVerdict(Verdict(role, False, (LEAK,))) for role in ("a", "b")]
    first = govern(state, both, SinceLastLook())
    silent = [SeenVerdict(Verdict("a", True)), SeenVerdict(Verdict("b", False, (LEAK,)))]
    second = govern(first.state, silent, SinceLastLook())
    assert one(second, "F1").roles == ("b",)
    named = Finding(Severity.BLOCKER, "Secrets reach the log file", continues="F1")
    third = govern(second.state, [SeenVerdict(Verdict("a", False, (named,)))], SinceLastLook())
    assert [t.id for t in third.state.tracked] == ["F1"]


def test_two_matters_at_one_place_are_two_findings() -> None:
    """C2, C19: the second blocker is not taken for the first, which is settled."""
    first = look(START, LEAK)
    second = look(first.state, GUESSED, answers=(changed("F1"),))
    assert [(t.id, t.status) for t in second.state.tracked] == [
        ("F1", FindingStatus.RESOLVED),
        ("F2", FindingStatus.NEW),
    ]
    assert (second.decision, second.blocked) == (LoopDecision.REVISE, True)


def test_a_dismissal_does_not_cover_what_is_only_called_the_same() -> None:
    """C2: a human dismissed other words; a blocker is never hidden behind an id."""
    dismissed = Ruling("F1", RulingKind.DISMISSED, "fine")
    claim = replace(GUESSED, continues="F1")
    ruled = look(look(START, LEAK).state, claim, rulings=(dismissed,))
    assert [(t.id, t.kin, t.counts) for t in ruled.state.tracked if t.open and t.counts] == [
        ("F2", ("F1",), True)
    ]
    again = look(look(START, LEAK).state, replace(LEAK, continues="F1"), rulings=(dismissed,))
    assert [(t.id, t.counts) for t in again.state.tracked] == [("F1", False)]


def test_of_two_that_continue_one_the_first_keeps_its_id() -> None:
    """C2: a finding that was split in two."""
    parts = [replace(LOSS, text=text, continues="F1") for text in ("No copy", "No check of it")]
    ruled = look(look(START, LOSS).state, *parts)
    assert [(t.id, t.kin, t.finding.text) for t in ruled.state.tracked] == [
        ("F1", (), "No copy"),
        ("F2", ("F1",), "No check of it"),
    ]
