"""Shapes that a reader takes for tasks, whatever the tool or the language. Covers: D2."""

from __future__ import annotations

import pytest

from sparing.context.documents.tasks import parse_tasks
from sparing.errors import FeatureError
from sparing.task import TaskMark

TWO = [("1", "First"), ("2", "Second")]
NONE: set[TaskMark] = set()
KEYS = [("A1", "First"), ("A2", "Second")]

SHAPES = {
    "a board": ("## To do\n\n- First\n\n## Done\n\n- Second\n", TWO),
    "JSON with tabs": (
        '## 1. Overview\n\nx\n\n## 2. Tasks\n\n```json\n{"tasks": [\n'
        '\t{"id": 1, "title": "First"},\n'
        '\t{"id": 2, "title": "Second", "subtasks": [{"id": 3, "title": "no"}]}]}\n```\n',
        TWO,
    ),
    "YAML in phases": (
        "```yaml\nphases:\n  - name: One\n    tasks:\n      - id: A1\n        name: First\n"
        "      - id: A2\n        name: Second\n```\n",
        KEYS,
    ),
    "YAML with names": ("```yaml\ntasks:\n  A1: {title: First}\n  A2: {title: Second}\n```", KEYS),
    "elements": ('<task id="A1"><name>First</name></task>\n<task id="A2" name="Second"/>\n', KEYS),
    "definitions": ("A1\n: First\n: Files: `a.py`\n\nA2\n: Second\n", KEYS),
    "a table without bars at its ends": ("ID | Task\n---|---\nA1 | First\nA2 | Second\n", KEYS),
    "a table of files": ("| What | Files |\n|---|---|\n| First | a.py |\n| Second | b.py |\n", TWO),
    "headings alike in their fields": (
        "## First\n\nFiles: `a.py`\n\n- [ ] step\n\n## Second\n\nFiles: `b.py`\n\n## Risks\n\nx\n",
        TWO,
    ),
    "headings with boxes": ("### [ ] First\n\nx\n\n### [x] Second\n\ny\n", TWO),
    "numbers as words": ("## Task One: First\n\n## Task Two: Second\n", TWO),
    "letters": ("## A. First\n\nx\n\n## B. Second\n\ny\n", [("A", "First"), ("B", "Second")]),
    "summaries": (
        "<details>\n<summary>A1: First</summary>\n\nx\n\n</details>\n"
        "<details>\n<summary>A2: Second</summary>\n\ny\n\n</details>\n",
        KEYS,
    ),
    "bold keys": ("**A1 — First** `Story` `3 SP`\nx\n\n**A2 — Second**\ny\n", KEYS),
    "labels": ("Task: First\nFiles: a.py\n\nTask: Second\nFiles: b.py\n", TWO),
    "an identifier behind": ("- [ ] First (A1)\n- [ ] Second (A2)\n", KEYS),
    "another script": ("## 任务1：First\n\n- 文件：`a.py`\n\n## 任务2：Second\n", TWO),
    "words for states": ("* TODO First\n* DONE Second\n", TWO),
    "items alike": ("- First\n  - Files: `a.py`\n- Second\n  - Files: `b.py`\n", TWO),
    "steps below a zero": (
        "- [ ] 1.0 First\n  - [ ] 1.1 no\n- [ ] 2.0 Second\n  - [ ] 2.1 no\n",
        [("1.0", "First"), ("2.0", "Second")],
    ),
    "groups of the same rank": ("- [ ] 1. Group\n- [ ] 1.1 First\n- [ ] 1.2 Second\n",
                                [("1.1", "First"), ("1.2", "Second")]),
}  # fmt: skip


@pytest.mark.parametrize("shape", SHAPES)
def test_tasks_are_found_by_their_shape(shape: str) -> None:
    """D2"""
    text, expected = SHAPES[shape]
    assert [(one.number, one.title) for one in parse_tasks(f"# Plan\n\n{text}")] == expected


@pytest.mark.parametrize(
    "text",
    [
        "```yaml\ntasks: &a [{id: 1, title: x}]\nmore: *a\n```\n",
        "```yaml\ntasks: " + "[" * 400 + "]" * 400 + "\n```\n",
        "```yaml\ntasks:\n  - id: 1\n   title: x\n```\n",
        "```json\n{\"tasks\": [{\"id\": 1, \"title\": \"x\"},\n```\n",
    ],
)  # fmt: skip
def test_data_that_is_hostile_or_broken_is_no_list(text: str) -> None:
    """D2: aliases are refused, whatever they stand for."""
    with pytest.raises(FeatureError, match="holds no tasks"):
        parse_tasks(f"# Plan\n\n{text}")


def test_a_tag_makes_nothing() -> None:
    """D2: scalars stay text."""
    text = "```yaml\ntasks:\n  - id: 1.10\n    title: !!python/name:os.system x\n```\n"
    (task,) = parse_tasks(f"# Plan\n\n{text}")
    assert (task.number, task.body) == (
        "1.10",
        "  - id: 1.10\n    title: !!python/name:os.system x\n",
    )


@pytest.mark.parametrize(
    ("item", "title", "marks"),
    [
        ("- [x] T1 Write", "Write", {TaskMark.DONE}),
        ("- [ ]* T1 Write", "Write", {TaskMark.OPTIONAL}),
        ("- [ ] T1 [P] [US1] Write", "Write", {TaskMark.PARALLEL}),
        ("- [-] T1 (optional) Write (4h)", "Write", {TaskMark.OPTIONAL}),
        ("- [ ] T1 Write (P)\n  - Status: done", "Write", {TaskMark.PARALLEL, TaskMark.DONE}),
        ("- [ ] T1 Write `[P]` to the log", "Write `[P]` to the log", NONE),
        ("### T1: Write\n\n- [x] Completed", "Write", {TaskMark.DONE}),
        ("### T1: Write — blocked by T9", "Write", NONE),
    ],
)
def test_marks_are_no_part_of_the_title(item: str, title: str, marks: set[TaskMark]) -> None:
    """D2"""
    (task,) = parse_tasks(f"# Tasks\n\n{item}\n")
    assert (task.title, task.marks) == (title, marks)


@pytest.mark.parametrize(
    ("text", "waits"),
    [
        ("- [ ] T1 A\n- [ ] T2 B — blocked by T1\n", ("T1",)),
        ("## 1. A\n\nx\n\n## 2. B\n\nAfter 1. It counts.\n", ("1",)),
        ("## 1. A\n\nx\n\n## 2. B\n\nIt stops after 1 second.\n", ()),
        ("### Aufgabe 1: A\n\n### Aufgabe 2: B\n**Abhängig von:** Aufgabe 1\n", ("1",)),
        ("```mermaid\ngraph TD\n  F1[A] --> F2\n```\n\n## F1: A\n\n## F2: B\n", ("F1",)),
        ("## Add it\n\nFiles: `a`\n\n## Use it\n\nDepends on: Add it\n", ("1",)),
    ],
)
def test_what_a_task_waits_for(text: str, waits: tuple[str, ...]) -> None:
    """D2: as a field in any language, in running text, or drawn."""
    _, second = parse_tasks(f"# Tasks\n\n{text}")
    assert second.depends_on == waits
