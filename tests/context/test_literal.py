"""The seed's own parser, faults included. Covers: D2."""

from __future__ import annotations

from sparing.context.documents import literal
from sparing.context.documents.literal import Extent
from sparing.task import ReferenceKind

TASKS = """\
# Tasks
### Task 1.1: First
**Why:** Implements Plan Step 1.1 / Design C9, Spec R2.1, later
Done when: x
```
# cut here
```
#### Task 1.2a: Second
**Source:** Plan 1A.1, Design C1
### T9: Not seen
## Task 3: Not seen
"""
PLAN = "## 1.10 Wrong\na\n### Sub\n## Phase 1A\nb\n"
DESIGN = "## TD5 in C1\na\n# Up\n## C1: Own\nb\n"


def test_headings_numbers_and_bodies() -> None:
    """D2: wants three or four hashes, cuts at comments in fences, drops letter suffixes."""
    first, second = literal.read_tasks(TASKS)
    assert (first.task.number, first.task.title, first.level, first.task.line) == (
        "1.1",
        "First",
        3,
        2,
    )
    assert first.task.body.endswith("```")
    assert (second.task.number, second.task.title, second.level) == ("1.2", "a: Second", 4)
    assert (first.has_done_criteria, second.has_done_criteria) == (True, False)


def test_both_readings_of_the_references() -> None:
    """D2: the first pattern of a part wins, or all count."""
    first, second = literal.read_tasks(TASKS)
    assert [(item.kind.value, item.id) for item in first.references] == [
        ("plan", "1.1"),
        ("spec", "R2.1"),
    ]
    assert [(item.kind.value, item.id) for item in first.all_references] == [
        ("plan", "1.1"),
        ("design", "C9"),
        ("spec", "R2.1"),
    ]
    assert first.unmatched == ("later",)
    assert (first.field, second.field) == ("Why", "Source")
    assert [item.id for item in second.task.references] == ["1A.1", "C1"]


def test_sections_by_substring_and_prefix() -> None:
    """D2: the first heading that holds the identifier, right or wrong."""
    first, second = literal.read_tasks(TASKS)
    plan, design = literal.resolve(second.references, PLAN, DESIGN)
    assert plan.section is not None
    assert (plan.section.text, plan.section.via) == ("## Phase 1A\nb\n", "prefix")
    assert design.section is not None
    assert (design.section.text, design.section.line, design.section.end_line) == (
        "## TD5 in C1\na",
        1,
        2,
    )
    assert design.section.same_level_text == "## TD5 in C1\na\n# Up"
    (wrong,) = literal.resolve(first.references, PLAN, DESIGN)
    assert wrong.section is not None
    assert wrong.section.heading == "1.10 Wrong"


def test_extents() -> None:
    """D2: full without references or after a miss, empty where only the other kind is named."""
    first, second = literal.read_tasks(TASKS)
    one_kind = literal.resolve(first.references, PLAN, DESIGN)
    assert literal.extent(ReferenceKind.PLAN, one_kind) is Extent.SCOPED
    assert literal.extent(ReferenceKind.DESIGN, one_kind) is Extent.EMPTY
    missed = literal.resolve(second.references, "## x", None)
    assert literal.extent(ReferenceKind.PLAN, missed) is Extent.FULL
    assert literal.extent(ReferenceKind.DESIGN, ()) is Extent.FULL
