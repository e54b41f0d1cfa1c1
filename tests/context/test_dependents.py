"""Which sections and tasks a change concerns.

Covers: A12
"""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sparing.context.documents.tasks import parse_tasks
from sparing.context.links.dependents import (
    ChangeKind,
    PartChange,
    changes_between,
    dependents,
    hashes_of,
    parts_of,
)
from sparing.context.links.task_dependents import TaskChanges, task_changes, task_hashes

SPEC = """# Spec

## Requirements
Words.
- **FR-1**: one
  and more of it
- **FR-2**: two

## Error handling
What is wrong is said.
"""
DESIGN = """# Design

## C1: Counter
Does FR-1.

## C2: Sorter
Does FR-2.

## C3: Errors
See the spec, error handling.
"""
TASKS = """# Tasks

### Task 1: Counter
- **Source**: Design C1
- **Files**: a.txt

### Task 2: Sorter
- **Source**: Design C2
- **Files**: b.txt
"""


def changed(old: str, new: str) -> tuple[PartChange, ...]:
    return changes_between("spec.md", hashes_of(old), hashes_of(new))


def test_parts_are_headings_and_items_with_identifiers() -> None:
    """A12: all of a document, each line in one part."""
    assert [one.name for one in parts_of(SPEC)] == [
        *("Spec", "Requirements", "Requirements: FR-1", "Requirements: FR-2", "Error handling")
    ]
    assert parts_of(SPEC)[2].text == "- **FR-1**: one\n  and more of it\n"
    assert [one.name for one in parts_of("words\n\n# A\n\n# A\n")] == [
        "its beginning",
        "A",
        "A (2)",
    ]
    assert parts_of("") == ()


@pytest.mark.parametrize(
    ("old", "new", "parts"),
    [
        ("one\n", "other\n", ("C1: Counter",)),
        ("two\n", "2\n", ("C2: Sorter",)),
        ("is said", "is printed", ("C3: Errors",)),
        ("Words.", "Sentences.", ()),
    ],
)
def test_what_names_a_changed_section_depends_on_it(
    old: str, new: str, parts: tuple[str, ...]
) -> None:
    """A12: by its identifier, or by its heading beside the name of its document."""
    text = SPEC.replace(old, new)
    found = dependents(DESIGN, {"spec.md": text}, changed(SPEC, text))
    assert (found.parts, found.whole) == (parts, "")


def test_new_and_removed_sections() -> None:
    """A12: nobody can name a new one yet, so all of the document is asked; a removed one is known
    by its name."""
    more = SPEC + "\n## Limits\nTen.\n"
    found = dependents(DESIGN, {"spec.md": more}, changed(SPEC, more))
    assert (found.parts, found.whole) == ((), "spec.md § Limits is new")
    less = SPEC.replace("- **FR-2**: two\n", "")
    assert changed(SPEC, less) == (PartChange("spec.md", "Requirements: FR-2", ChangeKind.REMOVED),)
    assert dependents(DESIGN, {"spec.md": less}, changed(SPEC, less)).parts == ("C2: Sorter",)


def test_a_document_without_names_may_rest_on_all() -> None:
    """A12: too much is asked and not too little; one that names another document does not."""
    text = SPEC.replace("two", "2")
    plan = "# Plan\n\n## Steps\nFirst this, then that.\n"
    found = dependents(plan, {"spec.md": text, "design.md": DESIGN}, changed(SPEC, text))
    assert found.whole == "it names no section of another document"
    linked = plan + "\n## More\nBuild C1.\n"
    assert not dependents(linked, {"spec.md": text, "design.md": DESIGN}, changed(SPEC, text))


def test_blank_lines_and_ticked_boxes_say_nothing() -> None:
    """A12: they are no change."""
    assert hashes_of("# A\n- [ ] x\ny\n") == hashes_of("# A\n\n- [x] x  \n\ny\n")


def test_tasks() -> None:
    """A12: those whose words changed, those that rest on a change, new ones and those gone."""
    tasks, above = parse_tasks(TASKS, "1"), {"design.md": DESIGN, "spec.md": SPEC}
    before = task_hashes(tasks)
    assert not task_changes(tasks, before, above, ())
    sorter = PartChange("design.md", "C2: Sorter", ChangeKind.CHANGED)
    assert task_changes(tasks, before, above, (sorter,)) == TaskChanges(redo=("2",))
    other = parse_tasks(
        TASKS.replace("a.txt", "c.txt").replace("Task 2: Sorter", "Task 3: New"), "1"
    )
    assert task_changes(other, before, above, ()) == TaskChanges(("1",), ("3",), ("2",))


@given(st.text(alphabet="#-* \nabF1R[]x:.", max_size=200))
def test_any_text_has_parts_and_is_equal_to_itself(text: str) -> None:
    """A12: no line is lost or counted twice, names are unique, and nothing has changed."""
    parts = parts_of(text)
    joined = "".join(one.text for one in parts)
    assert sorted("".join(text.split())) == sorted("".join(joined.split()))
    assert len({one.name for one in parts}) == len(parts)
    assert changes_between("a.md", hashes_of(text), hashes_of(text)) == ()
