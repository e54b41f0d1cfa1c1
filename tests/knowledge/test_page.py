"""The knowledge bank's pages: read in every form, changed line by line.

Covers: D7, D8
"""

from __future__ import annotations

from difflib import ndiff

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sparing.knowledge import changes
from sparing.knowledge.changes import Lesson, find
from sparing.knowledge.page import BankEntry, EntryKind, Page, read_page
from tests.knowledge.bank import ANTI_PATTERNS, bank

LINES = st.sampled_from(
    ("### A", "### Anti-Pattern: A", "## B", "---", "```", "~~~", "<!--", "-->", "- Source: x", "")
    + ("- Last observed: Feature #001", "- Observation count: x", "words", "\x85\u2028 odd", "\r")
)


def entry_of(page: Page, title: str) -> BankEntry:
    found = find(page, title)
    assert found is not None
    return found


def changed_lines(before: Page, after: Page) -> list[str]:
    diff = ndiff(before.text.splitlines(), after.text.splitlines())
    return [line for line in diff if line[0] in "+-"]


def test_entries_are_what_stands_outside_of_fences_and_comments() -> None:
    """D8: tolerate the forms seen."""
    page = bank()[EntryKind.ANTI_PATTERN]
    assert [entry.key for entry in page.entries] == [
        "line numbers in tasks",
        "retrying a broken cache",
    ]
    first, second = page.entries
    assert (first.count, first.value("cost")) == (3, "two rounds")
    assert (second.count, second.value("last observed")) == (1, "Feature 004-cache")
    assert "by hand" not in second.text


@given(st.lists(LINES), st.booleans(), st.booleans())
def test_every_text_comes_back_to_the_byte(lines: list[str], end: bool, windows: bool) -> None:
    """D8: where untouched."""
    newline = "\r\n" if windows else "\n"
    text = newline.join(lines) + (newline if end else "")
    assert read_page(EntryKind.PATTERN, text).text == text


@given(st.lists(LINES, min_size=1), st.integers(0, 20), st.booleans())
def test_a_change_leaves_the_other_entries_alone(
    lines: list[str], number: int, windows: bool
) -> None:
    text = ("\r\n" if windows else "\n").join(lines)
    page = read_page(EntryKind.HEURISTIC, text)
    if not page.entries:
        return
    entry = page.entries[number % len(page.entries)]
    for after in (
        changes.confirmed(page, entry, "042"),
        changes.challenged(page, entry, "042", "it went\n### well"),
        changes.marked_stale(page, entry, 11),
    ):
        assert len(after.entries) == len(page.entries)
        others = [(e.title, e.text.rstrip()) for e in page.entries if e.first != entry.first]
        position = page.entries.index(entry)
        kept = [(e.title, e.text.rstrip()) for n, e in enumerate(after.entries) if n != position]
        assert kept == others


def test_a_confirmation_counts_once() -> None:
    """D8: confirmed → Last observed, count + 1; a step that is repeated counts once."""
    page = bank()[EntryKind.ANTI_PATTERN]
    once = changes.confirmed(page, entry_of(page, "Line numbers in tasks"), "042")
    assert changed_lines(page, once) == [
        "- - Last observed: Feature #025",
        "+ - Last observed: Feature #042",
        "- - Observation count: 3",
        "+ - Observation count: 4",
    ]
    again = changes.confirmed(once, entry_of(once, "Line numbers in tasks"), "042")
    assert again.text == once.text


def test_the_form_of_a_line_is_kept() -> None:
    page = bank()[EntryKind.ANTI_PATTERN]
    done = changes.confirmed(page, entry_of(page, "Retrying a broken cache"), "042")
    assert changed_lines(page, done) == [
        "- - **Last observed:** Feature 004-cache",
        "+ - **Last observed:** Feature #042",
        "+ - Observation count: 2",
    ]


def test_a_challenge_stands_beside_what_it_contradicts() -> None:
    """D8: contradicted → Challenged, with the feature and why; provenance is never rewritten."""
    page = bank()[EntryKind.ANTI_PATTERN]
    entry = entry_of(page, "line numbers in tasks")
    done = changes.challenged(page, entry, "042", "anchors\nmoved  too")
    assert changed_lines(page, done) == ["+ - Challenged: Feature #042 — anchors moved too"]
    assert "- Observed in: Feature #018\n" in done.text


def test_stale_then_kept_updated_or_retired() -> None:
    """D8"""
    page = bank()[EntryKind.HEURISTIC]
    marked = changes.marked_stale(page, page.entries[0], 12)
    assert marked.entries[0].is_stale
    line = "+ - ⚠️ STALE: last observed 2026-02-22, 12 features since"
    assert changed_lines(page, marked) == [line]
    kept = changes.kept(marked, marked.entries[0], "042")
    assert changed_lines(page, kept) == ["+ - Kept: Feature #042"]
    told = changes.rewritten(marked, marked.entries[0], "042", "Read what is cited first.")
    assert (told.entries[0].count, told.entries[0].is_stale) == (1, False)
    assert "Read what is cited first.\n- Source: Feature #002\n" in told.text
    assert changes.retired(marked, marked.entries[0]).text == "## Decision Heuristics\n\n"


def test_a_lesson_is_added_once() -> None:
    """D7: provenance, confidence, last observed, count."""
    lesson = Lesson("Small steps", "Commit\nearly.", "implement, round 2", "high", ("commits",))
    page = changes.added(bank()[EntryKind.PATTERN], lesson, "042")
    assert page.text.endswith(
        "### Pattern: Small steps\nCommit early.\n- Used in: Feature #042, implement, round 2\n"
        '- Confidence: high\n- Keywords: ["commits"]\n- Last observed: Feature #042\n'
        "- Observation count: 1\n"
    )
    assert changes.added(page, lesson, "042").text == page.text
    later = changes.added(page, lesson, "043")
    assert (len(later.entries), later.entries[0].count) == (1, 2)


@pytest.mark.parametrize("words", ["### Forged", "<!-- x", "```", "# Top\n## Second"])
def test_words_of_a_model_make_no_entry(words: str) -> None:
    page = read_page(EntryKind.ANTI_PATTERN, ANTI_PATTERNS)
    before = len(page.entries)
    done = changes.added(page, Lesson(words, words, words), "042")
    assert len(done.entries) in (before, before + 1)
    assert [entry.title for entry in done.entries][:before] == [e.title for e in page.entries]
    after = changes.added(done, Lesson("Next", "one", "here"), "042")
    assert after.entries[-1].key == "next"
