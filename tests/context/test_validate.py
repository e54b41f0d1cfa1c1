"""Validation of artifacts. Covers: A3."""

from __future__ import annotations

import pytest

from sparing.artifact import ArtifactName as A
from sparing.context.documents.validate import SEED_SECTIONS, ValidationLevel, validate_artifact

LONG = "words that say something " * 8


def levels(name: A, text: str | None) -> list[ValidationLevel]:
    return [problem.level for problem in validate_artifact(name, text)]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        (None, [ValidationLevel.EXISTS]),
        ("", [ValidationLevel.LENGTH, ValidationLevel.SECTIONS]),
        ("## Requirements\nfew", [ValidationLevel.LENGTH]),
        (LONG, [ValidationLevel.SECTIONS]),
        (f"# Only a title\n{LONG}", [ValidationLevel.SECTIONS]),
        (f"```\n## Requirements\n```\n{LONG}", [ValidationLevel.SECTIONS]),
        (f"## Overview\n{LONG}", [ValidationLevel.REQUIRED]),
        (f"## Requirements\n{LONG}", []),
    ],
)
def test_the_four_levels(text: str | None, expected: list[ValidationLevel]) -> None:
    """A3: exists, at least 100 characters, sections, the required ones."""
    assert levels(A.SPEC, text) == expected


@pytest.mark.parametrize(
    ("name", "heading"),
    [
        (A.SPEC, "## Success Criteria"),
        (A.SPEC, "## 3. Acceptance criteria (draft)"),
        (A.SPEC, "## Functional Specifications"),
        (A.SPEC, "### Detailed Requirements"),
        (A.DESIGN, "## 1. Architecture Overview"),
        (A.DESIGN, "## Components"),
        (A.DESIGN, "## TD-1: Technical decision"),
        (A.PLAN, "## Implementation Order"),
        (A.PLAN, "### Phase 2: Build"),
        (A.PLAN, "## Build Order"),
        (A.PLAN, "## Steps"),
        (A.PLAN, "## Step 1: Write"),
        (A.PLAN, "## Bundle A — Shared"),
        (A.PLAN, "### Task 3: Write"),
        (A.TASKS, "## Task 1: Write"),
        (A.TASKS, "### T1.1: Write"),
        (A.TASKS, "### 1.1 Write"),
        (A.PRD, "## Anything"),
        (A.SUMMARY, "## Anything"),
    ],
)
def test_variants_that_people_accept(name: A, heading: str) -> None:
    """A3: by word, not by exact heading."""
    assert validate_artifact(name, f"{heading}\n{LONG}") == ()


def test_the_required_sections_are_a_setting() -> None:
    """A3: also the seed's own, which refuse what people accepted."""
    text = f"## Requirements\n{LONG}"
    assert validate_artifact(A.SPEC, text) == ()
    (refused,) = validate_artifact(A.SPEC, text, SEED_SECTIONS)
    assert "`## Success Criteria` or `## Acceptance Criteria`" in refused.what
    assert validate_artifact(A.SPEC, text, {A.SPEC: ("Requirements",)}) == ()
    assert validate_artifact(A.SPEC, f"## Any\n{LONG}", {}) == ()
