"""What stands beside tasks or below phases, and what was taken back. Covers: D2."""

from __future__ import annotations

import pytest

from sparing.artifact import ArtifactName
from sparing.context.documents.references import (
    design_names,
    field_references,
    prose_references,
)
from sparing.context.documents.scope import Extent, index_document, scope_task
from sparing.context.documents.tasks import parse_tasks
from sparing.context.documents.validate import blocking, validate_artifact

PLAN = """# Plan

## Implementation Order

### Phase 1: Files

1. **Rubric** — nine rows
   - Files: `rubric.md`

2. **Guidelines** — with sources
   - Files: `guidelines.md`

   ```
# not a heading
   ```

Afterwards both are read again.

### Phase 2: Tests

**Task 3a: Failing test of the reader**
- Files: `test_reader.py`
1. **Write it**
   - red

**Task 3b: Reader**
- Files: `reader.py`

**Pass criterion:** both are green

### Phase 3: Other

1. **Again**
   - once more

## Risks

4. **Slow**
"""
RUBRIC = "1. **Rubric** — nine rows\n   - Files: `rubric.md`\n"
GUIDELINES = PLAN[PLAN.index("2. **Guide") : PLAN.index("\nAfterwards")]
TEST = PLAN[PLAN.index("**Task 3a") : PLAN.index("\n**Task 3b")]
READER = PLAN[PLAN.index("**Task 3b") : PLAN.index("\n### Phase 3")]


@pytest.mark.parametrize(
    ("task", "given"),
    [
        ("### Task 1.2: Sources\n**Plan item:** 2\n", GUIDELINES),
        ("### Task 1.2: Sources\n**Why:** Plan Step 2 / AC-2, AC-5\n", GUIDELINES),
        ("### Task 9: Two\n**Why:** Plan Task 3a, Task 3b\n", TEST + READER),
        ("### Task 3b: Implement the reader\n", READER),
        ("### Task 9: None\n**Why:** Plan Task 3c\n", PLAN),
        ("### Task 3b: Delete the cache\n", PLAN),
        ("### Task 1.1: Rubric\n**Plan item:** 1\n", PLAN),
        ("### Task 1.1: Slow\n**Plan item:** 4\n", PLAN),
    ],
)
def test_a_numbered_item_of_the_plan_is_a_section(task: str, given: str) -> None:
    """D2: where no heading has that number. Two items of one number, one that says nothing more,
    or one about something else leave the whole plan."""
    (one,) = parse_tasks(f"# Tasks\n\n{task}")
    scope = scope_task(one, index_document(PLAN), None).plan
    assert (scope.text, scope.extent) == (
        given,
        Extent.FULL if given == PLAN else Extent.SECTIONS,
    )


def test_an_item_of_the_design_may_be_a_summary() -> None:
    """D2: too little costs the task, so the design is given whole."""
    design = "# Design\n\n## Components\n\n- **C1: Reader**\n  - reads\n\n## Reader\n\nmore\n"
    (one,) = parse_tasks("# Tasks\n\n### Task 1: Read\n**Design:** C1\n")
    assert scope_task(one, None, index_document(design)).design.extent is Extent.FULL


def test_a_number_with_a_letter_lies_in_the_step_of_that_number() -> None:
    """D2: `T2.1` in `Step 2`, if the words agree."""
    plan = "# Plan\n## Step 2: Project the state file\nx\n## Step 3: Guard hook\ny\n"
    tasks = parse_tasks("# T\n\n### T2.1: Test the state file projection\n\n### T3.1: Benchmark\n")
    scopes = [scope_task(one, index_document(plan), None).plan for one in tasks]
    assert [one.text for one in scopes] == ["## Step 2: Project the state file\nx\n", plan]


@pytest.mark.parametrize(
    ("value", "found"),
    [
        ("Plan Step 2 / AC-2, AC-5", "plan Step 2; spec AC-2; spec AC-5"),
        ("Design C7, FR-6, FR-7", "design C7; spec FR-6; spec FR-7"),
        ("Design C1, I2, I3, C4", "design C1; design I2; design I3; design C4"),
        ("see Interface 3 (Validator)", "design Interface 3"),
    ],
)
def test_a_second_requirement_is_not_the_plans(value: str, found: str) -> None:
    """D2: letters say what an identifier is, for the second of them too."""
    said = "; ".join(f"{one.kind.value} {one.id}" for one in field_references(value))
    assert said == found


@pytest.mark.parametrize(
    "text",
    ["overlap if block[i].start <= block[i-1].end", 'the regex finds design identifier "C9"'],
)
def test_a_formula_and_a_value_name_no_section(text: str) -> None:
    """D2: both gave a task of a real document a section that it has nothing to do with."""
    assert not design_names(text)
    assert not prose_references(text)


@pytest.mark.parametrize(
    "taken_back",
    [
        "### ~~Task 1.2: Cron~~ (removed — covered by 1.1)",
        "### Task 1.2: ~~Cron~~ [REMOVED]",
        "### Task 1.2: [REMOVED] Cron",
        "### Task 1.2: Cron (merged into Task 1.1)",
        "### Task 1.2: *(Merged into 1.1)*",
        "### Task 1.2: Cron — DEFERRED",
        "### Task 1.2: Superseded by 1.1",
    ],
)
def test_a_task_that_was_taken_back_is_not_built(taken_back: str) -> None:
    """D2: its number stays in the list after a review."""
    text = f"# Tasks\n\n### Task 1.1: Hook\n\nx\n\n{taken_back}\n\ny\n\n### Task 1.3: Test\n"
    assert [one.number for one in parse_tasks(text)] == ["1.1", "1.3"]


@pytest.mark.parametrize(
    "title",
    [
        "Removed rows are counted",
        "Remove the cron entry",
        "Merge the two (merged with 1.3)",
        "Deleted: show what was deleted",
        "Deferred (lazy) loading of images",
        "Cancelled orders",
    ],
)
def test_a_task_about_removing_is_a_task(title: str) -> None:
    """D2"""
    text = f"# Tasks\n\n### Task 1: Hook\n\n### Task 2: {title}\n"
    assert [one.title for one in parse_tasks(text)] == ["Hook", title]


@pytest.mark.parametrize(
    ("heading", "title"),
    [
        ("### Task 1 (parallel): Wire it", "Wire it"),
        ("### Task 1 [after Task 0]: Wire it", "Wire it"),
        ("### Task 1: Wire it ✅ **done - 2025/09/09**", "Wire it"),
        ("- [ ] T1 Wire it ~2h blocked-by:t0", "Wire it"),
        ("- [ ] T1 Listen on host:8080", "Listen on host:8080"),
        ("**Task 1 (FR-1):** Wire it; Files: `a.py`.", "Wire it;"),
        ("- [ ] **Wire it at last.** It hangs below", "Wire it at last."),
    ],
)
def test_notes_are_no_part_of_the_title(heading: str, title: str) -> None:
    """D2"""
    (one,) = parse_tasks(f"# Tasks\n\n{heading}\n")
    assert one.title == title


@pytest.mark.parametrize(
    "name", ["Deliverables", "Prerequisites", "Checkpoint: Phase 1", "Current progress", "当前进度"]
)
def test_boxes_of_results_send_no_document_back(name: str) -> None:
    """D2: nor are they tasks where the tasks stand elsewhere; alone they are."""
    boxes = f"\n## {name}\n\n- [ ] reader with tests\n- [ ] a page about it\n"
    for tasks in ("## Tasks\n\n1. Read\n2. Write\n", "### Task 1: Read\n\n### Task 2: Write\n"):
        text = f"# Milestone of the reader and of the writer\n\n{tasks}{boxes}"
        assert [one.title for one in parse_tasks(text)] == ["Read", "Write"]
        assert not blocking(validate_artifact(ArtifactName.TASKS, text), strict=False)
    assert len(parse_tasks(f"# Milestone\n{boxes}")) == 2
