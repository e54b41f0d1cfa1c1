"""References in fields, titles and prose. Covers: D2."""

from __future__ import annotations

import pytest

from sparing.context.documents.references import (
    field_references,
    prose_references,
    title_references,
)
from sparing.task import Reference, ReferenceKind


def written(references: tuple[Reference, ...]) -> str:
    return ", ".join(f"{item.kind} {item.id}" for item in references)


@pytest.mark.parametrize(
    ("value", "expected"),
    [
        ("Implements Plan Step 1.1 / Design C9", "plan Step 1.1, design C9"),
        ("Implements Plan 3.2 / Design Component Auth-Module", "plan 3.2, design Auth-Module"),
        ("Plan Step 6, Plan item 1", "plan Step 6, plan Item 1"),
        ("Plan Task 1.2; plan Phase 0", "plan Task 1.2, plan Phase 0"),
        ("Design I1, I5 and I8; Spec R2.1", "design I1, design I5, design I8, spec R2.1"),
        ("Design Components C1 + C4 & C6", "design C1, design C4, design C6"),
        ("Design C6/C9", "design C6, design C9"),
        ("Design Component 2 § frames.md", "design Component 2"),
        (
            "Design § Error Table words + Component 2",
            "design Error Table, design Component 2",
        ),
        ('design.md section "Retry Rules" (lines 3-9)', "design Retry Rules"),
        ("Plan Step 3.1 (steps 1-4) / Design C2", "plan Step 3.1, design C2"),
        ("Plan Step 1.2 verification / Design C13", "plan Step 1.2, design C13"),
        ("sets the base (plan Task 1.1, design C2).", "plan Task 1.1, design C2"),
        ("Plan Steps 3-4", "plan Step 3–4"),
        ("Design TD-1 through TD-5", "design TD-1–TD-5"),
        ("plan PI-7+8 landing", "plan PI-7, plan PI-8"),
        ("Design I-1, spec FS-1.1, TD-7", "design I-1, spec FS-1.1, design TD-7"),
        ("Plan C1, C2", "plan C1, plan C2"),
        ("FR-2, AC-3 and C4", "spec FR-2, spec AC-3, design C4"),
        ("PRD FR-0 asks for it", ""),
        ("Because the plan needs 3 days and a design", ""),
        ("docs/features/021-x/plan.md", ""),
    ],
)
def test_a_field(value: str, expected: str) -> None:
    """D2: split on all joints, every pattern tried, kind and label carried."""
    assert written(field_references(value)) == expected


@pytest.mark.parametrize(
    ("kind", "label", "value", "expected"),
    [
        ("plan", "", "Step 1.1", "plan Step 1.1"),
        ("plan", "", "Steps 1.3 + 1.4", "plan Step 1.3, plan Step 1.4"),
        ("plan", "step", "1a", "plan Step 1a"),
        ("plan", "step", "3, Change 1", "plan Step 3"),
        ("plan", "item", "1 (P1-C1)", "plan Item 1"),
        ("plan", "", "P2 step 5 (design C6)", "plan P2, design C6"),
        ("plan", "", "P5 rows 2-4, 6", "plan P5"),
        ("design", "", "I0, I4", "design I0, design I4"),
        ("design", "component", "10", "design Component 10"),
    ],
)
def test_a_field_named_after_its_document(kind: str, label: str, value: str, expected: str) -> None:
    """D2: Plan ref, Plan step, Plan item, Design ref, Component."""
    assert written(field_references(value, ReferenceKind(kind), label)) == expected


@pytest.mark.parametrize(
    ("title", "expected"),
    [
        ("Phase 1: Parser (Plan Step 1)", "plan Step 1"),
        ("Base (Steps 1-2)", "plan Step 1–2"),
        ("Scan (C1, I7) — simple", "design C1, design I7"),
        ("Gate (AC-8 — required)", "spec AC-8"),
        ("Rest (depends on Phase 1)", ""),
        ("Move (4 files)", ""),
        ("Tools (T3, T4)", ""),
    ],
)
def test_a_title(title: str, expected: str) -> None:
    """D2: a stated document, or identifiers in brackets."""
    assert written(title_references(title)) == expected


def test_letters_that_name_no_task_mean_the_plan() -> None:
    """D2."""
    found = title_references("Tools (T3, T4)", plan_letters=frozenset({"t"}))
    assert written(found) == "plan T3, plan T4"


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("Add it per design C3 and I4, then run", "design C3, design I4"),
        ("see design.md Component 3 for it", "design Component 3"),
        ("as in plan Step 4 Change 1", "plan Step 4"),
        ("a game-design Stage 2 text", ""),
        ("run the plan 3 times", ""),
        ("design the C1 part", ""),
        ("matches `Plan Step 1.2` in code", ""),
    ],
)
def test_prose(text: str, expected: str) -> None:
    """D2: only a stated document counts, and code does not."""
    assert written(prose_references(text)) == expected
