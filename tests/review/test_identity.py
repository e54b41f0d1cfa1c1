"""Which finding is which. Covers: C2."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bench import finding_pairs
from sparing.finding import Finding, Severity, Verdict
from sparing.review.identity import Link, likeness, match, restates
from sparing.review.merge import merge

PAIRS = Path(__file__).parent / "pairs.json"


def is_same(one: Finding, other: Finding) -> bool:
    return match([one], [other]) == (Link(0, 0),)


def said(text: str, location: str = "", severity: Severity = Severity.WARNING) -> Finding:
    return Finding(severity, text, location=location)


SAID_AGAIN = [
    (
        said("The session key is written to the log in `open_session`", "auth.py:40"),
        said("The session key is still written to the log in `open_session`", "auth.py:52"),
    ),
    (
        said("Duplicate parsing of the settings file in load and reload"),
        said("Settings file parsing is duplicated (load, reload)"),
    ),
    (
        said("Step 4 deletes the old table before the copy is verified", "Step 4"),
        said("Step 4 deletes the old table before the copy was verified, again", "Step 4"),
    ),
    (
        said("导出文件没有限制大小"),
        said("导出文件没有限制大小了"),
    ),
]
IN_DOUBT = [
    (
        said("AC-3 gives no number for how fast the search must answer", "AC-3"),
        said("AC-3: search speed still has no number to answer to", "AC-3"),
    ),
    (
        said("Task 3: no rollback for the migration, and the backup path is hard coded"),
        said("Task 3: migration has no rollback"),
    ),
    (
        said("The file has 430 lines and should be split", "plan.md:10"),
        said("The file has 455 lines and should be split", "plan.md:12"),
    ),
]
"""Perhaps the same: their reviewer is asked to say so."""
ELSEWHERE = [
    (
        said("No test command is given for this task", "Task 1.1"),
        said("No test command is given for this task", "Task 4.2"),
    ),
    (
        said("Public function without a docstring", "store.py:12"),
        said("Public function without a docstring", "cache.py:12"),
    ),
    (
        said("Task 1.1: done line cannot be checked by a command"),
        said("Task 3.4: done line cannot be checked by a command"),
    ),
    (
        said("Return value of `read_header` is never checked", "io.py:20"),
        said("Return value of `write_footer` is never checked", "io.py:90"),
    ),
    (
        said("Step 7a returns prose where JSON is wanted", "commands/build.md:10"),
        said("Step 7b returns prose where JSON is wanted", "commands/build.md:60"),
    ),
    (
        said("The line named is 59 and should be 61", "Task 9"),
        said("The line named is 80 and should be 84", "Task 9"),
    ),
    (
        said("Time of entry is not escaped in the audit log (audit.sh:54)"),
        said("Caller is not escaped in the audit log (audit.sh:73)"),
    ),
]
OTHER = [
    (
        said("AC-3 gives no number for how fast the search must answer", "AC-3"),
        said("AC-3 leaves out what happens when nothing is found", "AC-3"),
    ),
    (
        said("Passwords are compared with a plain equality test", "auth.py:40"),
        said("The login form has no limit of attempts", "auth.py:40"),
    ),
    (
        said("R9/R14: which of two values wins in optional header fields of one owner", "R9, R14"),
        said("R9/R11: merging keeps header fields nobody knows, the check refuses them", "R9, R11"),
    ),
    (said("naming unclear"), said("ordering unclear")),
]


@pytest.mark.parametrize(("one", "other"), SAID_AGAIN)
def test_it_survives_another_word_and_other_lines(one: Finding, other: Finding) -> None:
    """C2: line moved, a word changed."""
    assert is_same(one, other)
    assert is_same(other, one)


@pytest.mark.parametrize(("one", "other"), IN_DOUBT)
def test_in_doubt_it_is_a_new_finding(one: Finding, other: Finding) -> None:
    """C2: a wrong guess hides a blocker, a missed one costs a round."""
    assert not is_same(one, other)
    assert likeness(one, other) > 0


def test_two_matters_at_one_place_are_never_one_by_their_words() -> None:
    """C2, C19: all pairs of one place, those that the rule was chosen on and the others."""
    joined = [
        (finding_pairs.half(one.text, other.text), one.text, other.text)
        for one, other in finding_pairs.one_place()
        if is_same(one, other) or is_same(other, one)
    ]
    assert joined == []


@pytest.mark.parametrize(("one", "other"), ELSEWHERE)
def test_the_same_words_elsewhere_are_another_finding(one: Finding, other: Finding) -> None:
    """C2"""
    assert not is_same(one, other)
    assert not restates(other, one)


@pytest.mark.parametrize(("one", "other"), OTHER)
def test_another_matter_is_another_finding(one: Finding, other: Finding) -> None:
    """C2"""
    assert not is_same(one, other)


def test_a_finding_moved_within_its_file_is_the_one_nearby() -> None:
    """C2: two alike in one file keep apart."""
    was = [said("Bare except hides errors", "a.py:10"), said("Bare except hides errors", "a.py:90")]
    now = [said("Bare except hides errors", "a.py:95")]
    assert match(was, now) == (Link(0, 1),)
    three = [*was, said("Bare except hides errors", "a.py:200")]
    assert [link.earlier for link in match(was, three)] == [0, 1]


def test_one_more_of_a_family_is_new() -> None:
    """C2: the same is said of several things, and now of one more."""
    was = [
        said("The user name is not escaped in the audit log", "audit.py:10"),
        said("The session id is not escaped in the audit log", "audit.py:14"),
    ]
    now = [said("The tool argument is not escaped in the audit log", "audit.py:21")]
    assert match(was, now) == ()
    assert [link.earlier for link in match(was, [*now, *was])] == [0, 1]


def test_the_same_quoted_line_is_the_same_place() -> None:
    """C2, C19: wherever it has moved, whatever names its finding gives."""
    line = "retry = 3  # seconds"
    was = "The unit that `load_retry` gives retry is wrong"
    now = "The unit that `retry_of` gives retry is wrong"

    def quoting(text: str, location: str, quote: str = line) -> Finding:
        return Finding(Severity.WARNING, text, location=location, quote=quote)

    assert is_same(quoting(was, "a.py:3"), quoting(was + " still", "a.py:90"))
    assert not is_same(quoting(was, "a.py:3"), quoting(was + " still", "b.py:90"))
    assert not is_same(quoting(was, "a.py:3"), quoting(now, "a.py:90"))


def test_several_at_once_each_find_their_own() -> None:
    """C2"""
    was = [one for one, _ in SAID_AGAIN]
    now = [other for _, other in reversed(SAID_AGAIN)]
    links = match(was, now)
    assert [(link.later, link.earlier) for link in links] == [
        (place, len(was) - 1 - place) for place in range(len(was))
    ]


findings = st.builds(said, st.text(min_size=1).filter(str.strip), st.text(max_size=30))


@given(findings, findings)
def test_likeness_is_even_handed_and_a_finding_is_itself(one: Finding, other: Finding) -> None:
    """C2: deterministic, whatever the texts hold."""
    assert likeness(one, other) == likeness(other, one)
    assert is_same(one, other) == is_same(other, one)
    assert is_same(one, one)
    assert 0 <= likeness(one, other) <= 1


@given(st.lists(findings, max_size=5), st.lists(findings, max_size=5))
def test_a_later_finding_goes_on_for_one_and_no_other_does(
    was: list[Finding], now: list[Finding]
) -> None:
    """C2"""
    links = match(was, now)
    assert len({link.earlier for link in links}) == len({link.later for link in links})
    assert all(is_same(was[link.earlier], now[link.later]) for link in links)


def test_long_texts_are_compared() -> None:
    texts = [said("a_b" * 20_000), said("Task " * 20_000), said("1," * 20_000, "x." * 9_000)]
    links = match(texts, [said(one.text + " more") for one in texts])
    assert len(links) <= len(texts)


def test_reviewers_who_say_the_same_are_named_together() -> None:
    """C9: a merged list names each finding once."""
    leak = said("The session key is written to the log", "auth.py:40")
    worse = said("Session key is written to the log", "auth.py:41", Severity.BLOCKER)
    own = said("Function is too long", "auth.py:10")
    merged = merge(
        [
            Verdict("code-quality-reviewer", approved=False, findings=(leak, own, own)),
            Verdict("security-reviewer", approved=False, findings=(worse,)),
        ]
    )
    assert [(one.finding, one.roles) for one in merged] == [
        (worse, ("code-quality-reviewer", "security-reviewer")),
        (own, ("code-quality-reviewer",)),
    ]
    assert merged[0].said == (leak, worse)


@given(st.lists(st.lists(findings, max_size=4), max_size=3))
def test_no_finding_is_lost_by_merging(groups: list[list[Finding]]) -> None:
    """C9"""
    verdicts = [
        Verdict(f"role-{place}", approved=False, findings=tuple(group))
        for place, group in enumerate(groups)
    ]
    merged = merge(verdicts)
    for verdict in verdicts:
        for finding in verdict.findings:
            assert any(finding in one.said and verdict.role in one.roles for one in merged)


def test_a_hundred_pairs_were_labelled_and_forty_held_out() -> None:
    """C2: places and labels only; the sentences stay where they are."""
    rows = json.loads(PAIRS.read_text("utf-8"))["pairs"]
    parts = [row[0] for row in rows]
    assert (parts.count("train"), parts.count("hold-out")) == (60, 40)
    formal = [row for row in rows if row[0] in ("train", "hold-out")]
    labels = [row[-1] for row in formal]
    assert set(labels) == {"same", "different", "split", "merged"}
    assert 40 <= labels.count("different") <= 60
    assert len({tuple(row[1:4]) for row in rows}) == len(rows)
    assert all(len(row[4]) == len(row[5]) == 10 for row in rows)
