"""What the bank gives to prompts, and what of it can't be read. Covers: D8."""

from __future__ import annotations

from sparing.knowledge.changes import challenged, marked_stale
from sparing.knowledge.faults import faults
from sparing.knowledge.page import EntryKind, Page, read_page
from sparing.knowledge.selection import Audience, give
from tests.knowledge.bank import bank

HEURISTICS = """### Cursors for long lists
Offsets repeat rows while others write.
- Source: Feature #002
  - and again in the next
- Benefit: no row twice
- Observation count: 1

### Small files first
Read the small files before the large ones.
- Last observed: Feature #009
- Observation count: 4
"""


def own_bank(text: str = HEURISTICS) -> dict[EntryKind, Page]:
    return {**bank(), EntryKind.HEURISTIC: read_page(EntryKind.HEURISTIC, text)}


def titles(
    pages: dict[EntryKind, Page], topic: str, audience: Audience, limit: int = 1000
) -> list[str]:
    return [entry.title for entry in give(pages, topic, audience, limit).entries]


def test_what_is_about_the_feature_and_what_has_proved_itself() -> None:
    """D8: relevant entries; one that several features have met holds for others too."""
    assert titles(own_bank(), "Paging with cursors", Audience.AUTHORS) == [
        "Cursors for long lists",
        "Small files first",
        "Anti-Pattern: Line numbers in tasks",
    ]
    assert titles(own_bank(), "Colours", Audience.AUTHORS) == [
        "Small files first",
        "Anti-Pattern: Line numbers in tasks",
    ]


def test_by_role() -> None:
    """D8: who builds gets no heuristics for documents, who reviews no patterns."""
    assert titles(own_bank(), "Paging with cursors", Audience.IMPLEMENTERS) == [
        "Anti-Pattern: Line numbers in tasks"
    ]
    assert titles(own_bank(), "Paging with cursors", Audience.REVIEWERS)[1:] == [
        "Cursors for long lists",
        "Small files first",
    ]


def test_capped_in_tokens_and_without_bookkeeping() -> None:
    found = give(own_bank(), "Paging with cursors", Audience.AUTHORS, 26)
    assert found.text == (
        "### Heuristic: Cursors for long lists\nOffsets repeat rows while others write.\n"
        "- Benefit: no row twice\n"
    )
    assert give(own_bank(), "Paging with cursors", Audience.AUTHORS, 3).text == ""


def test_nothing_that_is_stale_and_a_challenge_goes_with_its_entry() -> None:
    pages = own_bank()
    page = pages[EntryKind.HEURISTIC]
    doubted = challenged(page, page.entries[0], "042", "offsets were fine")
    told = give({**pages, EntryKind.HEURISTIC: doubted}, "cursors", Audience.AUTHORS, 500).text
    assert "- Challenged: Feature #042 — offsets were fine\n" in told
    stale = marked_stale(page, page.entries[0], 12)
    assert "Cursors for long lists" not in titles(
        {**pages, EntryKind.HEURISTIC: stale}, "cursors", Audience.AUTHORS
    )


def test_what_can_not_be_read_is_named_and_stays() -> None:
    """D8: a bank edited by hand."""
    text = (
        "###Glued\n### Twice\nwords\n- Observation count: many\n### twice\n### \n```\n### hidden\n"
        "```\n### Empty\n\n### Last\n<!-- open\n### lost\n"
    )
    page = read_page(EntryKind.HEURISTIC, text)
    assert page.text == text
    assert faults(page) == (
        "line 1: a heading without a space is not an entry: ###Glued",
        "line 2: Twice has no number as its count: many; taken as 1",
        "line 5: twice stands on line 2 already; that one is judged",
        "line 6: an entry without a name",
        "line 10: Empty has no words",
        "line 13: a comment that is not closed hides what follows",
    )
    assert faults(bank()[EntryKind.ANTI_PATTERN]) == ()
