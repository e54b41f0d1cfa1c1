"""A retrospective's reply, and the bank after it. Covers: D7, D8."""

from __future__ import annotations

from typing import Any

import pytest

from sparing.knowledge.age import Made, features_since, is_old
from sparing.knowledge.page import EntryKind, read_page
from sparing.knowledge.relevance import JUDGED, overlapping, to_judge, within
from sparing.knowledge.retro import learn, read_retro, with_marks
from tests.knowledge.bank import bank

MADE = [Made(f"{n:03}", f"feature-{n}", f"2026-03-{n:02}") for n in range(1, 15)]
RESTARTED = [Made("025", "old", "2025-01-01"), Made("004", "cache", "2025-01-02"), *MADE]


def reply(*judgements: tuple[str, str, str], **more: Any) -> dict[str, Any]:
    said = [{"name": n, "judgement": j, "words": w} for n, j, w in judgements]
    return {"retro_md": "# Retro\n", "judgements": said, **more}


def entries(kind: EntryKind) -> list[str]:
    return [entry.title for entry in bank()[kind].entries]


def test_the_program_writes_what_the_facilitator_judges() -> None:
    """D8: confirmed, contradicted, untouched."""
    before = bank()
    asked = before[EntryKind.ANTI_PATTERN].entries
    said = reply(
        ("Line numbers in tasks", "confirmed", "round 2"),
        ("Anti-Pattern: Retrying a broken cache", "contradicted", "it helped"),
    )
    done = learn(before, asked, read_retro(said), "042")
    first, second = done.bank[EntryKind.ANTI_PATTERN].entries
    assert (first.count, first.value("last observed")) == (4, "Feature #042")
    assert second.value("challenged") == "Feature #042 — it helped"
    assert [change.judgement for change in done.changes] == ["confirmed", "contradicted"]
    assert learn(done.bank, asked, read_retro(said), "042").bank == done.bank


def test_nobody_is_judged_unasked() -> None:
    """D8: an entry that was not given, or does not exist, stays as it is; one that is not marked
    stale is neither kept, rewritten nor retired."""
    before = bank()
    said = reply(
        ("Small files first", "confirmed", ""),
        ("No such entry", "confirmed", ""),
        ("Line numbers in tasks", "retire", "old"),
        ("Line numbers in tasks", "update", "Name lines by their words."),
        ("Line numbers in tasks", "keep", "it holds"),
        ("Line numbers in tasks", "untouched", ""),
    )
    done = learn(before, before[EntryKind.ANTI_PATTERN].entries, read_retro(said), "042")
    assert (done.bank, done.changes) == (before, ())


def test_one_broken_entry_costs_itself() -> None:
    good = {"kind": "pattern", "name": "Steps", "text": "Small ones.", "keywords": [1, "a"]}
    broken = [7, {"kind": "rumour", "name": "x", "text": "y"}, {"kind": "pattern", "name": ""}]
    said = read_retro(reply(("x", "believed", ""), entries=[*broken, good, good, good, good]))
    assert [lesson.name for lesson in said.lessons] == ["Steps"] * 3
    assert len(said.left_out) == 5
    assert read_retro({"retro_md": 3, "entries": "none"}).page == ""
    done = learn(bank(), (), said, "042")
    assert [entry.key for entry in done.bank[EntryKind.PATTERN].entries] == ["steps"]


def test_age_goes_by_creation() -> None:
    """D8: ids restarted once; a form that names nothing known is not called stale."""
    first, second = bank()[EntryKind.ANTI_PATTERN].entries
    assert (features_since(first, MADE), features_since(second, MADE)) == (None, 10)
    assert (features_since(first, RESTARTED), is_old(first, RESTARTED)) == (15, True)
    assert features_since(second, RESTARTED) == 14
    by_day = bank()[EntryKind.HEURISTIC].entries[0]
    assert features_since(by_day, RESTARTED) == 14
    marked = with_marks(bank(), RESTARTED)
    assert [change.judgement for change in marked.changes] == ["stale"] * 3
    assert with_marks(marked.bank, RESTARTED).changes == ()


@pytest.mark.parametrize(
    ("fields", "since"),
    [
        ("- Source: Feature 3-feature-3, specify: 12 rounds", 11),
        ("- Observed in: Feature #002, then Feature #004", 10),
        ("- Observed in: feature/004-feature-4 (3 of 7 tasks)", 10),
        ("- Source: 3 rounds of the same finding", None),
        ("- Source: Feature #002\n- Last observed: Feature #013", 1),
    ],
)
def test_an_entry_that_nobody_met_again_ages_from_where_it_came(
    fields: str, since: int | None
) -> None:
    """D8: `Source` and `Observed in` are all that some entries have."""
    text = f"## Heuristics\n\n### Count first\nCount.\n{fields}\n"
    (entry,) = read_page(EntryKind.HEURISTIC, text).entries
    assert features_since(entry, MADE) == since


def test_a_mark_says_that_an_entry_was_never_met_again() -> None:
    """D8"""
    text = "### Count first\nCount.\n- Source: Feature #002\n"
    pages = {**bank(), EntryKind.HEURISTIC: read_page(EntryKind.HEURISTIC, text)}
    marked = with_marks(pages, MADE).bank[EntryKind.HEURISTIC]
    assert "- ⚠️ STALE: never observed again, 12 features since\n" in marked.text


def test_a_large_bank_is_asked_about_what_overlaps() -> None:
    """D8: above 50 entries only overlapping ones are sent."""
    topics = ("cache", "queue", "parser", "socket", "ledger")
    text = "".join(
        f"### Rule {n}\nThe {topics[n % 5]} number{n} waits{n} for{n} nobody{n}.\n\n"
        for n in range(JUDGED + 1)
    )
    many = read_page(EntryKind.HEURISTIC, text).entries
    assert to_judge(many[:JUDGED], "nothing of it") == many[:JUDGED]
    about = "src/queue.py: the queue with number11 and waits11 for11"
    (only,) = to_judge(many, about)
    assert only.title == "Rule 11"
    assert within(overlapping(many, about), 5) == ()
    assert within(overlapping(many, about), 500) == (only,)
