"""A roadmap is read back as it was written, and as people and other programs write it.

Covers: A8
"""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from sparing.feature import slugify
from sparing.flow.project import Milestone, Planned, circle, in_order, read_project, roadmap
from sparing.flow.roadmap import numbers, read_roadmap

OTHERS = """# Roadmap: Evolution

## Dependency Graph

```mermaid
graph TD
    F001[001-entity-keys] --> F002[002-file-headers]
    ## not a heading
```

## Execution Order

1. **004-status-words** -- Words for a status (depends on: none)
2. **001-entity-keys** -- Keys (v2) for entities (depends on: none)
3) **002-file-headers** – Headers (depends on: 001, 004-status-words, 099, 2)
- a remark between
4. **001-again**
5. no feature

## Milestones

### M0: Foundations

- 001-entity-keys
- 004-status-words and what belongs to it

### R1: Rest
- 002-file-headers
- 77-unknown

*At its end:* files have headers

### Empty
none

## Cross-Cutting Concerns
- 002-file-headers is no milestone's here
"""


def test_a_roadmap_of_another_hand() -> None:
    """A8: numbers for names, several dashes, remarks, names that stand for nothing."""
    found = read_roadmap(OTHERS)
    assert found.features == (
        Planned("004-status-words", "Words for a status"),
        Planned("001-entity-keys", "Keys (v2) for entities"),
        Planned("002-file-headers", "Headers", ("001-entity-keys", "004-status-words")),
    )
    assert found.milestones == (
        Milestone("M0: Foundations", ("001-entity-keys", "004-status-words")),
        Milestone("R1: Rest", ("002-file-headers",), "files have headers"),
    )
    assert found.faults == (
        "001-again is listed twice: the first one counts",
        "002-file-headers waits for 099, which is not on the roadmap",
        "002-file-headers waits for itself",
    )
    assert numbers(found) == {1, 2, 4}


def test_a_circle_that_somebody_typed_is_shown() -> None:
    """A8"""
    text = "## Execution Order\n1. **001-a** x (depends on: 2)\n2. **002-b** y (depends on: 001)\n"
    assert circle(read_roadmap(text).features) == ("001-a", "002-b", "001-a")


WORDS = st.text("abc (depends on: 1) —*\n#`", min_size=1, max_size=30)


@given(st.lists(st.tuples(WORDS, WORDS, st.lists(st.integers(0, 9))), max_size=8))
def test_what_is_written_is_read_back(proposed: list[tuple[str, str, list[int]]]) -> None:
    """A8: the same features in the same order, waiting for the same, whatever their words."""
    names = [f"{name} {number}" for number, (name, _, _) in enumerate(proposed)]
    listed = [
        {"name": name, "description": about, "depends_on": [names[w] for w in waits if w < number]}
        for number, (name, (_, about, waits)) in enumerate(zip(names, proposed, strict=True))
    ]
    project = read_project({"features": listed})
    order = in_order(project.features)
    folders = {one.name: f"{n:03d}-{slugify(one.name)}" for n, one in enumerate(order, 7)}
    found = read_roadmap(roadmap("x", project, folders))
    assert [one.name for one in found.features] == [folders[one.name] for one in order]
    assert [set(one.depends_on) for one in found.features] == [
        {folders[other] for other in one.depends_on} for one in order
    ]


@given(st.text())
def test_no_text_is_too_odd(text: str) -> None:
    read_roadmap(text)
    read_roadmap(f"## Execution Order\n1. **001-a** {text}\n## Milestones\n### M\n- {text}")
