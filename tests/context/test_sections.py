"""Finding the section that an identifier names. Covers: D2."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sparing.context.documents.markdown import outline
from sparing.context.documents.sections import SectionIndex, Via, extract_section


def document(*headings: str) -> str:
    return "# Title\n\n" + "".join(f"{heading}\ntext\n\n" for heading in headings)


def found(identifier: str, *headings: str) -> str | None:
    match = SectionIndex(outline(document(*headings))).find(identifier)
    return match and match.heading.text


@pytest.mark.parametrize(
    ("identifier", "headings", "expected"),
    [
        pytest.param("I7", ["## TD5: lives in I7", "## I7: Store"], "I7: Store", id="lead first"),
        pytest.param("1A", ["## 1B: Next (after 1A)", "## 1A: Now"], "1A: Now", id="not after"),
        pytest.param("1A", ["## 1B: Next (after 1A)"], None, id="about another one"),
        pytest.param("1.5", ["## 1.4: Update section 1.5"], None, id="mentioned by a sibling"),
        pytest.param("1.1", ["## 11.1: No", "## 21.1: No", "## 1.1: Yes"], "1.1: Yes", id="token"),
        pytest.param("1.1", ["## 11.1: No", "## 1.10: No", "## 1.1.1: No"], None, id="no part"),
        pytest.param("C1", ["## C10: No", "## c1: Yes"], "c1: Yes", id="case"),
        pytest.param("C4", ["## Setup of C4", "## Rest"], "Setup of C4", id="anywhere"),
        pytest.param(
            "C2.1", ["## Step 3.1: C2.1 — Move"], "Step 3.1: C2.1 — Move", id="other make"
        ),
        pytest.param("Auth-Module", ["## The Auth-Module"], "The Auth-Module", id="a name"),
        pytest.param("Goals", ["## Goals", "## Goals not met"], "Goals", id="exact name"),
        pytest.param("C10", ["## Component 10: Hooks"], "Component 10: Hooks", id="alias"),
        pytest.param("Component 10", ["## C10: Hooks"], "C10: Hooks", id="alias back"),
        pytest.param("TD3", ["## Technical Decision 3: X"], "Technical Decision 3: X", id="words"),
        pytest.param("I1", ["## I-1: Api"], "I-1: Api", id="dash"),
        pytest.param("C1", ["## Component 1: Other", "## C1: Own"], "C1: Own", id="own first"),
        pytest.param("1A.1", ["## Phase 1A: X", "## Phase 1B: Y"], "Phase 1A: X", id="prefix"),
        pytest.param("1.2.3", ["## 1.2: X", "## Step 1: Y"], "1.2: X", id="nearest prefix"),
        pytest.param("Step 10a", ["## Step 10: X"], "Step 10: X", id="letter prefix"),
        pytest.param("Step 6", ["## Phase 6: No", "### Step 6: Yes"], "Step 6: Yes", id="label"),
        pytest.param("Step 6", ["## Phase 6: No"], None, id="other label"),
        pytest.param("Item 6", ["## Step 6: Yes"], "Step 6: Yes", id="like label"),
        pytest.param("Step 6", ["## 6. Yes"], "6. Yes", id="no label"),
        pytest.param("6", ["## 6 files to move"], None, id="a number in a title"),
        pytest.param(
            "Phase 1", ["## Phase 1: X", "### Phase 1 Checkpoint"], "Phase 1: X", id="sep"
        ),
        pytest.param("C1", ["## C1: X", "## C1: Y"], None, id="two equally good"),
        pytest.param("C1", ["## C1: X", "### C1: Details"], "C1: X", id="one in the other"),
        pytest.param("C3", ["## C2-C4: X"], "C2-C4: X", id="inside a range"),
        pytest.param("Bundle L.1", ["## Bundle L — X"], "Bundle L — X", id="letters"),
        pytest.param("", ["## A"], None, id="nothing asked"),
    ],
)
def test_the_order_of_matches(identifier: str, headings: list[str], expected: str | None) -> None:
    """D2: led by the id > anywhere > prefix; whole tokens; two equally good give none."""
    assert found(identifier, *headings) == expected


def test_a_range_covers_what_stands_between() -> None:
    """D2: a lettered step between two others belongs to the range."""
    headings = ["## Step 1: A", "### Notes", "## Step 2b: B", "## Step 3: C", "## Step 4: D"]
    index = SectionIndex(outline(document(*headings)))
    texts = [item.heading.text for item in index.find_all("Step 1–3")]
    assert texts == ["Step 1: A", "Step 2b: B", "Step 3: C"]
    assert index.find_all("Step 1–9") == ()


def test_how_it_was_found() -> None:
    """D2."""
    index = SectionIndex(outline(document("## C1: A", "## About C2", "## Goals")))
    ways = [index.find(identifier) for identifier in ("C1", "C2", "C1.4", "Goals")]
    assert [way and way.via for way in ways] == [Via.LEAD, Via.MENTION, Via.PREFIX, Via.NAME]


def test_extract_section_gives_the_exact_text() -> None:
    """D2: through the next heading of same or higher rank, fences and all."""
    text = "## C1: A\r\nx\n```sh\n# no\n## no\n```\n### More\ny\n## C2: B\nz"
    assert extract_section(text, "c1") == "## C1: A\r\nx\n```sh\n# no\n## no\n```\n### More\ny\n"
    assert extract_section(text, "C2") == "## C2: B\nz"
    assert extract_section(text, "C3") is None


IDS = st.sampled_from(["C1", "C10", "1.1", "11.1", "Step 1", "Phase 1", "Component 1", "1A", "T1"])


@given(st.lists(st.tuples(IDS, st.sampled_from([2, 3])), max_size=12), IDS)
def test_a_lead_is_found_exactly_when_it_is_alone(
    headings: list[tuple[str, int]], wanted: str
) -> None:
    """D2: of the headings that start with these very words, the only one or the outermost."""
    text = document(*(f"{'#' * level} {id}: words" for id, level in headings))
    same = [item for item in outline(text).headings if item.text == f"{wanted}: words"]
    match = SectionIndex(outline(text)).find(wanted)
    if same and all(item.end <= same[0].end for item in same):
        assert match is not None
        assert match.heading == same[0]
    elif same:
        assert match is None
