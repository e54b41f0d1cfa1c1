"""One task of a tasks.md, as the parser found it.

A task keeps the exact text it was read from, so that an implementer gets the author's wording and
never a paraphrase.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from enum import StrEnum


class ReferenceKind(StrEnum):
    PLAN = "plan"
    DESIGN = "design"
    SPEC = "spec"


@dataclass(frozen=True, slots=True)
class Reference:
    """Where a task says it comes from: `Plan 1.2`, `Design C3`."""

    kind: ReferenceKind
    id: str


class TaskMark(StrEnum):
    """What an author marks on a task besides its text."""

    DONE = "done"
    OPTIONAL = "optional"
    PARALLEL = "parallel"


@dataclass(frozen=True, slots=True)
class Task:
    number: str
    title: str
    body: str
    line: int
    """1-based line of the heading in tasks.md."""
    references: tuple[Reference, ...] = ()
    mentions: tuple[Reference, ...] = ()
    """References in prose or beside a dependency: they may add a section, never narrow to it."""
    depends_on: tuple[str, ...] = ()
    files: tuple[str, ...] = ()
    done_when: str = ""
    group: str = ""
    """The heading above it, other than the document's title."""
    marks: frozenset[TaskMark] = frozenset()
    """Marks in the document: a ticked box, `[P]`, `Status: done`. They are not verified."""

    def __post_init__(self) -> None:
        if not self.number.strip():
            raise ValueError("a task has a number")
        if self.line < 1:
            raise ValueError(f"task {self.number} is at line {self.line}; lines count from 1")


def ready(tasks: Iterable[Task], done: frozenset[str]) -> tuple[Task, ...]:
    """Unfinished tasks whose dependencies are all done, in document order."""
    return tuple(
        task for task in tasks if task.number not in done and done.issuperset(task.depends_on)
    )
