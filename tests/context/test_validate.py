"""Validation of artifacts. Covers: A3."""

from __future__ import annotations

import pytest

from sparing.artifact import ArtifactName as A
from sparing.context.documents.validate import (
    SEED_SECTIONS,
    ValidationLevel,
    blocking,
    validate_artifact,
)

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


@pytest.mark.parametrize(
    ("text", "fit"),
    [
        ("## Components\n", True),
        ("### 2. components of it\n", True),
        ("## Any\nIt should have `## Components`, and has none.\n", False),
        ("## Any\n```\n## Components\n```\n", False),
    ],
)
def test_under_seed_too_a_mention_is_no_section(text: str, fit: bool) -> None:
    """A3: plain text would find it anywhere."""
    found = validate_artifact(A.DESIGN, f"{text}{LONG}", SEED_SECTIONS)
    assert (found == ()) == fit


@pytest.mark.parametrize(
    ("text", "unread"),
    [
        ("- [ ] T1 Write\n- [ ] Clean up\n- [ ] T2 Read\n", "line 4 `- [ ] Clean up` looks like a"),
        ("## Work\n- [ ] Later\n\n### Task 1: Write\n", "line 4 `- [ ] Later`"),
        ("- [ ] T1 Write\n  - [ ] a step\n- [ ] T2 Read\n", ""),
        ("### Task 1: Write\n- [ ] a step\n\n## Definition of done\n- [ ] Reviewed\n", ""),
        ("### Task 1: Write\n\n## Definition of done\n\n### Care\n- [ ] Reviewed\n", ""),
        ("- [ ] 1. Group\n- [ ] 1.1 Write\n", ""),
        ("## 1. Group\n- [ ] 1. Group\n\n### Task 1.1: Write\n", ""),
        ("### Task 1: Write\n\n<verification>\n- [ ] It runs\n</verification>\n", ""),
        ("- [ ] T1 Write\n\n**Acceptance:**\n\n- [ ] It runs\n", ""),
        ("```\n- [ ] an example\n```\n### Task 1: Write\n", ""),
    ],
)
def test_a_box_that_belongs_to_no_task_is_told_to_the_author(text: str, unread: str) -> None:
    """A3, D2: a task that is not read is never built, so that none is passed over in silence."""
    problems = validate_artifact(A.TASKS, f"# Tasks\n\n{text}\n{LONG}")
    assert [one.level for one in problems] == [ValidationLevel.UNREAD] * bool(unread)
    assert unread in "".join(one.what for one in problems)
    assert blocking(problems, strict=False) == list(problems)
    assert blocking(problems, strict=True) == []


def test_a_task_list_without_tasks_is_sent_back() -> None:
    """A3, D2: with the reason why its list can't be read."""
    (plain,) = blocking(validate_artifact(A.TASKS, f"# Tasks\n## Work\n{LONG}"), strict=False)
    assert "no task can be read" in plain.what
    text = f"# Tasks\n\n```yaml\ntasks:\n - id: 1\n  title: x\n```\n{LONG}"
    (broken,) = blocking(validate_artifact(A.TASKS, text), strict=False)
    assert "the list of tasks at line 4 can't be read" in broken.what


def test_a_task_list_needs_no_sections() -> None:
    """A3: other tools write one list and no headings."""
    assert validate_artifact(A.TASKS, f"# Plan\n\n- [ ] 1. Write\n- [ ] 2. Read\n\n{LONG}") == ()
