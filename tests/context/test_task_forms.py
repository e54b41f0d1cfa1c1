"""Forms of tasks that other tools write, and what a passing mention may do. Covers: D2."""

from __future__ import annotations

import pytest

from sparing.context.documents.scope import Extent, index_document, scope_task
from sparing.context.documents.tasks import parse_tasks
from sparing.task import Reference, ReferenceKind

DESIGN = "# Design\n## TD-6: Queue\nq\n## C1: Counter\nc\n## C2: Gate\ng\n"


def scoped(task: str) -> tuple[Extent, str]:
    (found,) = parse_tasks(f"# Tasks\n\n{task}")
    design = scope_task(found, None, index_document(DESIGN)).design
    return design.extent, design.text


@pytest.mark.parametrize(
    "line",
    [
        "- **Depends on:** T1 (the queue, per design TD-6)",
        "- Do: write the gate; the queue of design TD-6 stays as it is.",
        "- Do: write the gate (design: TD-6).",
        "After T1, whose queue is design TD-6.",
    ],
)
def test_a_passing_mention_never_narrows(line: str) -> None:
    """D2: whoever states nothing gets the whole design."""
    extent, text = scoped(f"### T2: Gate\n{line}\n")
    assert (extent, text) == (Extent.FULL, DESIGN)


def test_a_passing_mention_adds_to_what_is_stated() -> None:
    """D2"""
    extent, text = scoped("### T2: Gate\n- **Why:** Design C2\n- Mind design TD-6.\n")
    assert extent is Extent.SECTIONS
    assert text == "## TD-6: Queue\nq\n## C2: Gate\ng\n"


@pytest.mark.parametrize(
    ("line", "added"),
    [
        ("- **Do:** Refuse, with the queue of TD-6.", True),
        ("- **Depends on:** T1 (TD-6)", True),
        ("- **Do:** Refuse with `TD-6` in the text.", False),
        ("- **Do:** Refuse with TD-7.", False),
    ],
)
def test_a_part_of_the_design_is_added_by_its_name_alone(line: str, added: bool) -> None:
    """D2: `TD-6` needs no "design" before it, if a section begins with it."""
    extent, text = scoped(f"### T2: Gate\n- **Why:** Design C2\n{line}\n")
    assert extent is Extent.SECTIONS
    assert ("## TD-6: Queue\nq\n" in text) is added
    assert text.endswith("## C2: Gate\ng\n")


@pytest.mark.parametrize(
    ("text", "tasks"),
    [
        ("- [ ] T001 [P] [US1] Create the model\n", [("T001", "Create the model")]),
        (
            "- [ ] 2. Gate\n  - [ ] 2.1 Refuse\n  - [ ]* 2.3 Write its tests\n",
            [("2.1", "Refuse"), ("2.3", "Write its tests")],
        ),
        (
            "| Task | What | File |\n|---|---|---|\n| 1.1 | Count | a |\n| 1.2 | Refuse | b |\n",
            [("1.1", "Count"), ("1.2", "Refuse")],
        ),
        (
            "## Tasks\n1. Count requests\n2. [P] Refuse\n",
            [("1", "Count requests"), ("2", "Refuse")],
        ),
    ],
)
def test_forms_of_other_tools_are_read(text: str, tasks: list[tuple[str, str]]) -> None:
    """D2: `[P]`, `[US1]`, optional boxes, tables and numbered lists."""
    assert [(one.number, one.title) for one in parse_tasks(f"# Plan\n\n{text}")] == tasks


def test_requirements_in_italics_are_references_to_the_spec() -> None:
    """D2: informational."""
    (task,) = parse_tasks("# T\n\n- [ ] 2.1 Refuse\n  - _Requirements: 2.1, 3.4_\n")
    assert task.references == (
        Reference(ReferenceKind.SPEC, "Requirement 2.1"),
        Reference(ReferenceKind.SPEC, "Requirement 3.4"),
    )
