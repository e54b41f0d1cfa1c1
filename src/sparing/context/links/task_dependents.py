"""Which tasks a change to the documents affects: in their own text, or in sections they name."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from typing import NamedTuple

from sparing.context.documents.scope import DocumentScope, Extent, index_document, scope_task
from sparing.context.links.dependents import (
    ChangeKind,
    DocumentPart,
    PartChange,
    names,
    parts_of,
    text_hash,
)
from sparing.task import Task

SCOPED: tuple[str, ...] = ("plan.md", "design.md")
"""Documents of which a task is given the sections that it names, or everything."""


class TaskChanges(NamedTuple):
    redo: tuple[str, ...] = ()
    """Tasks whose text changed, or that depend on sections that changed."""
    new: tuple[str, ...] = ()
    gone: tuple[str, ...] = ()

    def __bool__(self) -> bool:
        return bool(self.redo or self.new or self.gone)


def task_hashes(tasks: Sequence[Task]) -> dict[str, str]:
    return {task.number: text_hash(f"{task.title}\n{task.body}") for task in tasks}


def task_changes(
    tasks: Sequence[Task],
    before: Mapping[str, str],
    above: Mapping[str, str],
    changes: Collection[PartChange],
) -> TaskChanges:
    """Compare tasks with their hashes when done (`before`) and the current documents (`above`)."""
    now = task_hashes(tasks)
    known = before or now
    unlinked = _unlinked(tasks, above, changes)
    redo = tuple(
        task.number
        for task in tasks
        if task.number in known
        and (known[task.number] != now[task.number] or unlinked or _rests(task, above, changes))
    )
    return TaskChanges(
        redo, tuple(one for one in now if one not in known),
        tuple(one for one in known if one not in now),
    )  # fmt: skip


def _unlinked(
    tasks: Sequence[Task], above: Mapping[str, str], changes: Collection[PartChange]
) -> bool:
    """Whether no task names any section: without plan and design, each may depend on any."""
    of_it = [one for one in changes if one.document not in SCOPED]
    if not of_it or any(above.get(name, "").strip() for name in SCOPED):
        return False
    targets = {one.document: parts_of(above.get(one.document, "")) for one in of_it}
    return not any(
        names(_part(task), document, target)
        for task in tasks
        for document, parts in targets.items()
        for target in parts
    )


def _rests(task: Task, above: Mapping[str, str], changes: Collection[PartChange]) -> bool:
    plan, design = (index_document(above.get(name)) for name in SCOPED)
    scopes = dict(zip(SCOPED, scope_task(task, plan, design), strict=True))
    return any(_on(task, scopes.get(one.document), above, one) for one in changes)


def _on(
    task: Task, scope: DocumentScope | None, above: Mapping[str, str], change: PartChange
) -> bool:
    if scope is not None and scope.extent is Extent.FULL:
        return True
    found = [one for one in parts_of(above.get(change.document, "")) if one.name == change.name]
    if not found or change.kind is ChangeKind.REMOVED:
        return False  # its own words would have to change
    (target,) = found
    inside = scope is not None and target.text.strip() in scope.text
    return inside or names(_part(task), change.document, target)


def _part(task: Task) -> DocumentPart:
    return DocumentPart(task.number, f"{task.title}\n{task.body}")
