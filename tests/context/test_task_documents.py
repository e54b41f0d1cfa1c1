"""Whole task documents in the styles of other tools and of people. Covers: D2.

`task_documents/expected.toml` says what a reader finds in each: number, title, the files a task
names, the tasks it waits for, and its marks.
"""

from __future__ import annotations

import tomllib
from pathlib import Path

import pytest

from sparing.context.documents.scope import Extent, index_document, scope_task
from sparing.context.documents.tasks import parse_tasks
from sparing.task import Task

FOLDER = Path(__file__).parent / "task_documents"
EXPECTED = tomllib.loads((FOLDER / "expected.toml").read_text("utf-8"))


def said(task: Task) -> str:
    files = f" | files: {', '.join(task.files)}" if task.files else ""
    after = f" | after: {', '.join(task.depends_on)}" if task.depends_on else ""
    marks = f" | {', '.join(sorted(task.marks))}" if task.marks else ""
    return f"{task.title}{files}{after}{marks}"


def test_every_document_is_expected_to_hold_something() -> None:
    """D2"""
    assert {path.stem for path in FOLDER.glob("*.md")} == set(EXPECTED)
    assert sum(len(tasks) for tasks in EXPECTED.values()) >= 100


@pytest.mark.parametrize("name", sorted(EXPECTED))
def test_all_tasks_are_found_and_nothing_else(name: str) -> None:
    """D2: a task that is not found is never built; a step that is taken for one is paid twice."""
    tasks = parse_tasks((FOLDER / f"{name}.md").read_text("utf-8"))
    assert {task.number: said(task) for task in tasks} == EXPECTED[name]
    assert len(tasks) == len(EXPECTED[name])


DESIGN = "# Design\n## Row format\nr\n## Writers\nw\n## Reading\nx\n## Reading again\ny\n"


@pytest.mark.parametrize(
    ("field", "extent", "text"),
    [
        ("Design: Row format", Extent.SECTIONS, "## Row format\nr\n"),
        ("**Design:** Row format, Writers", Extent.SECTIONS, "## Row format\nr\n## Writers\nw\n"),
        ("Design ref: Writers and Reading", Extent.SECTIONS, "## Writers\nw\n## Reading\nx\n"),
        ("Design: Row format, Buttons", Extent.FULL, DESIGN),
        ("Design: none yet", Extent.FULL, DESIGN),
        ("Design: Write the rows with the writers of old.", Extent.FULL, DESIGN),
        ("Plan: Writers", Extent.FULL, DESIGN),
    ],
)
def test_a_design_section_is_named_by_its_heading(field: str, extent: Extent, text: str) -> None:
    """D2: every name leads to one section, or the whole design is given."""
    (task,) = parse_tasks(f"# Tasks\n\n### Task 1: Rows\n{field}\n")
    found = scope_task(task, None, index_document(DESIGN)).design
    assert (found.extent, found.text) == (extent, text)


@pytest.mark.parametrize(
    ("written", "files"),
    [
        ("`.github/workflows/ci.yml`", (".github/workflows/ci.yml",)),
        (".gitignore, src/a.py.", (".gitignore", "src/a.py")),
        ("`src/a.py:10-24`, `src/b.py:7`", ("src/a.py", "src/b.py")),
    ],
)
def test_files_are_read_as_paths(written: str, files: tuple[str, ...]) -> None:
    """D1, D2: a leading dot belongs to the name, line numbers don't."""
    (task,) = parse_tasks(f"# Tasks\n\n### Task 1: Do it\n**Files:** {written}\n")
    assert task.files == files


def test_columns_of_a_table_are_fields() -> None:
    """D2"""
    text = (
        "# Plan\n\n| Task | What | Design | Acceptance |\n|---|---|---|---|\n"
        "| 1 | Count \\| sum | Writers | the tests pass |\n"
    )
    (task,) = parse_tasks(text)
    assert task.title == "Count \\| sum"
    assert task.done_when == "the tests pass"
    scope = scope_task(task, None, index_document(DESIGN)).design
    assert scope.text == "## Writers\nw\n"


def test_rows_without_numbers_are_counted() -> None:
    """D2"""
    text = "# Plan\n\n| Task | File |\n|---|---|\n| Read it | a.py |\n| Write it | b.py |\n"
    assert [(one.number, one.title, one.files) for one in parse_tasks(text)] == [
        ("1", "Read it", ("a.py",)),
        ("2", "Write it", ("b.py",)),
    ]


def test_a_table_of_risks_holds_no_tasks() -> None:
    """D2: not in a document about tasks either."""
    text = (
        "# Tasks\n\n| # | Description | Files |\n|---|---|---|\n| 1 | Read | a.py |\n\n"
        "## Risks\n\n| # | Risk |\n|---|---|\n| 1 | Slow |\n"
    )
    assert [one.title for one in parse_tasks(text)] == ["Read"]
