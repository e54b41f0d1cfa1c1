"""Plan and design context per task. Covers: D1, D2."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sparing.context.documents.scope import Extent, TaskScope, index_document, scope_prd, scope_task
from sparing.context.documents.sections import Via
from sparing.context.documents.tasks import parse_tasks
from sparing.task import ReferenceKind

PLAN = """\
# Plan

## Phase 1: Store the rows

### Step 1.1: Write the table
table words

### Step 1.2: Fill the table
fill words

## Phase 2: Show them
show words
"""
DESIGN = "# Design\n\n## Component 1: Table\nrows\n\n## Component 2: Page\nhtml\n"


def scoped(body: str, heading: str = "### Task 9: Anything", group: str = "") -> TaskScope:
    (task,) = parse_tasks(f"{group}\n{heading}\n{body}\n")
    return scope_task(task, index_document(PLAN), index_document(DESIGN))


def test_the_sections_that_are_named_and_nothing_else() -> None:
    """D2: both kinds, an alias, document order."""
    plan, design = scoped("**Why:** Plan Step 1.2, 1.1 / Design C2")
    assert (plan.extent, design.extent) == (Extent.SECTIONS, Extent.SECTIONS)
    assert plan.text == PLAN[PLAN.index("### Step 1.1") : PLAN.index("## Phase 2")]
    assert design.text == "## Component 2: Page\nhtml\n"
    assert plan.warnings == design.warnings == ()


def test_a_section_inside_another_is_given_once() -> None:
    """D2."""
    plan = scoped("**Why:** Plan Phase 1, Plan Step 1.2").plan
    assert plan.text == PLAN[PLAN.index("## Phase 1") : PLAN.index("## Phase 2")]


def test_one_lost_reference_gives_the_whole_document() -> None:
    """D2: nothing found → full document with a warning, never an empty context."""
    plan, design = scoped("**Why:** Plan Step 1.1, Plan Step 7.7 / Design C9")
    assert (plan.extent, plan.text) == (Extent.FULL, PLAN)
    assert (design.extent, design.text) == (Extent.FULL, DESIGN)
    assert "Step 7.7" in plan.warnings[0]
    assert "C9" in design.warnings[0]


def test_a_document_that_is_not_named_is_given_whole() -> None:
    """D2: silent under-context is worse than the full document."""
    plan, design = scoped("**Why:** Plan Step 1.1")
    assert plan.extent is Extent.SECTIONS
    assert (design.extent, design.text) == (Extent.FULL, DESIGN)


def test_no_references_at_all() -> None:
    """D2."""
    plan, design = scoped("Do it.")
    assert (plan.text, design.text) == (PLAN, DESIGN)
    assert plan.warnings
    assert design.warnings


def test_a_missing_document_gives_nothing_and_says_so() -> None:
    """D2."""
    (task,) = parse_tasks("### Task 1: A\n**Why:** Plan 1.1\n")
    plan, design = scope_task(task, None, index_document("   \n"))
    assert (plan.extent, plan.text, len(plan.warnings)) == (Extent.NONE, "", 1)
    assert (design.extent, design.text, design.warnings) == (Extent.NONE, "", ())


@pytest.mark.parametrize(
    ("heading", "group", "expected"),
    [
        pytest.param("### Task 1.2: Fill the table fast", "", "Step 1.2: Fill the table", id="own"),
        pytest.param("### Task 1.2.1: Fill a table", "", "Step 1.2: Fill the table", id="prefix"),
        pytest.param(
            "### Task 2.7: Colours", "## Phase 2: Show them all", "Phase 2: Show them", id="group"
        ),
        pytest.param("### Task 1.2: Deploy the server", "", None, id="other words"),
        pytest.param("### Task 4.1: Fill the table", "", None, id="other number"),
        pytest.param(
            "### Task 2.7: Colours", "## Phase 2: Release notes", None, id="group, other words"
        ),
    ],
)
def test_a_task_without_references_is_placed_by_number_and_words(
    heading: str, group: str, expected: str | None
) -> None:
    """D2: a number alone is no evidence."""
    plan = scoped("Do it.", heading, group).plan
    if expected is None:
        assert plan.extent is Extent.FULL
    else:
        assert [(hit.heading.text, hit.via) for hit in plan.hits] == [(expected, Via.NUMBER)]


def test_problem_and_goals_of_a_prd() -> None:
    """D1: else the whole PRD."""
    text = "# P\n## Problem Statement\np\n## Users\nu\n## Goals\ng\n"
    prd = scope_prd(text)
    assert (prd.extent, prd.text) == (
        Extent.SECTIONS,
        "## Problem Statement\np\n## Goals\ng\n",
    )
    whole = scope_prd("# P\n## Why\np\n")
    assert (whole.extent, whole.text, len(whole.warnings)) == (Extent.FULL, "# P\n## Why\np\n", 1)
    assert scope_prd(None).extent is Extent.NONE


VALUES = st.lists(
    st.sampled_from(
        ["Plan Step 1.1", "Plan 9.9", "Design C1", "Design C7", "Plan Phase 2", "Design §§", "x"]
    ),
    max_size=4,
)


@given(VALUES, st.sampled_from([", ", " / ", "; ", " and ", " + "]))
def test_never_an_empty_context_where_a_document_is_named(values: list[str], joint: str) -> None:
    """D2."""
    (task,) = parse_tasks(f"### Task 5: A\n**Why:** {joint.join(values)}\n")
    scope = scope_task(task, index_document(PLAN), index_document(DESIGN))
    assert scope.plan.text.strip()
    assert scope.design.text.strip()
    for kind, part in ((ReferenceKind.PLAN, scope.plan), (ReferenceKind.DESIGN, scope.design)):
        asked = {item.id for item in task.references if item.kind is kind}
        assert part.extent is Extent.FULL or {hit.id for hit in part.hits} == asked
