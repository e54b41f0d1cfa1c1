"""Which stages a change of documents affects, and which parts of each.

The current documents are compared with those that each stage was passed with. Ahead of the work,
all sections that depend on a change are assumed to change too.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping
from typing import NamedTuple

from sparing.approval.moved_base import moved_below
from sparing.approval.sections import (
    TASKS,
    Library,
    Passed,
    passed_with,
    reviewed_stages,
    tasks_in,
)
from sparing.artifact import ArtifactName
from sparing.context.links.dependents import (
    ChangeKind,
    PartChange,
    changes_between,
    dependents,
    hashes_of,
    parts_of,
)
from sparing.context.links.task_dependents import TaskChanges, task_changes
from sparing.flow.flows import FLOWS
from sparing.flow.stage import Stage, StageWork
from sparing.records.gates import ApprovalRow
from sparing.stages.place import Place

UNKNOWN = "what it was approved with is not known"


class StageEffect(NamedTuple):
    """A stage that has to be redone."""

    stage: str
    document: str = ""
    parts: tuple[str, ...] = ()
    """Sections of its document that depend on a change."""
    whole: str = ""
    """Why all of the document may depend on it; empty if only `parts` do."""
    causes: tuple[PartChange, ...] = ()
    tasks: TaskChanges = TaskChanges()
    since: str = ""
    """Commit that contains what the stage was passed with."""


class Papers(NamedTuple):
    """A feature's documents as they are now, and as they were passed."""

    library: Library
    place: Place
    rows: Mapping[str, ApprovalRow]

    @property
    def stages(self) -> tuple[Stage, ...]:
        return reviewed_stages(self.place)

    def passed(self, stage: Stage) -> Passed | None:
        return passed_with(self.library, self.place, self.rows, stage)

    def after(self, name: str) -> tuple[Stage, ...]:
        flow = FLOWS[self.place.state.flow]
        return tuple(one for one in self.stages if flow.index(one.name) >= flow.index(name))


def document_changes(papers: Papers) -> tuple[PartChange, ...]:
    """Sections of documents that changed after their own stage was passed."""
    found: list[PartChange] = []
    for stage in papers.stages:
        passed = papers.passed(stage)
        if stage.writes is None or passed is None:
            continue
        name = stage.writes.filename
        if name not in passed.seen:
            continue
        text = papers.library.text(papers.place.head, stage.writes)
        found += changes_between(name, passed.seen[name], hashes_of(text))
    return tuple(found)


def moved_effects(papers: Papers) -> tuple[StageEffect, ...]:
    """Stages with sections that name a file which the base branch changed since."""
    found = (stage_effect(papers, stage) for stage in papers.stages)
    return tuple(one for one in found if one and any(not cause.name for cause in one.causes))


def first_effect(papers: Papers, start: str) -> StageEffect | None:
    """The first stage, from `start` on, that has to be redone."""
    for stage in papers.after(start):
        found = stage_effect(papers, stage)
        if found is not None:
            return found
    return None


def expected(papers: Papers, start: str, assumed: Collection[PartChange]) -> Iterator[StageEffect]:
    """All stages that may have to be redone, if everything that depends on a change changes."""
    changes = list(assumed)
    for stage in papers.after(start):
        found = stage_effect(papers, stage, changes)
        if found is None:
            continue
        yield found
        names = found.parts
        if found.whole and stage.writes is not None:
            text = papers.library.text(papers.place.head, stage.writes)
            names = tuple(one.name for one in parts_of(text))
        changes += [PartChange(found.document, one, ChangeKind.CHANGED) for one in names]


def stage_effect(
    papers: Papers, stage: Stage, assumed: Collection[PartChange] = ()
) -> StageEffect | None:
    passed = papers.passed(stage)
    texts = papers.library.texts(papers.place.head, stage)
    own = stage.writes.filename if stage.writes else ""
    if passed is None:
        return StageEffect(stage.name, own, whole=UNKNOWN, since=papers.place.head)
    above = {name: text for name, text in texts.items() if name != own}
    read = {name.filename for name in stage.reads}
    names = [name for name in {**passed.seen, **above} if name in read]
    changes = dict.fromkeys(
        one
        for name in names
        for one in changes_between(name, passed.seen.get(name, {}), hashes_of(above.get(name, "")))
    )
    known = {(one.document, one.name) for one in changes}
    new = [one for one in assumed if one.document in read]
    every = (*changes, *(one for one in new if (one.document, one.name) not in known))
    if stage.work is StageWork.IMPLEMENT:
        return _code(stage, passed, above, every)
    if stage.writes is None or own not in texts:
        return None
    found = dependents(texts[own], above, every)
    moved = moved_below(papers.library, papers.place.head, passed, stage.writes)
    if not found and not moved:
        return None
    concerned = {*found.parts, *moved}
    parts = tuple(one.name for one in parts_of(texts[own]) if one.name in concerned)
    causes = (*found.causes, *dict.fromkeys(moved.values()))
    return StageEffect(stage.name, own, parts, found.whole, causes, since=passed.commit)


def _code(
    stage: Stage, passed: Passed, above: Mapping[str, str], changes: Collection[PartChange]
) -> StageEffect | None:
    file = ArtifactName.TASKS.filename
    others = [one for one in changes if one.document != file]
    tasks = tasks_in(above.get(file, ""))
    found = task_changes(tasks, passed.seen.get(TASKS, {}), above, others)
    assumed = _assumed(tasks_of_parts(above.get(file, "")), changes, file)
    again = {*found.redo, *assumed} - {*found.new}
    redo = tuple(one.number for one in tasks if one.number in again)
    found = found._replace(redo=redo)
    if not found:
        return None
    return StageEffect(stage.name, causes=tuple(changes), tasks=found, since=passed.commit)


def tasks_of_parts(text: str) -> dict[str, str]:
    """The number of the task that each section of tasks.md describes."""
    numbers = {task.title: task.number for task in tasks_in(text)}
    return {
        part.name: number
        for part in parts_of(text)
        for title, number in numbers.items()
        if title and title in part.name
    }


def _assumed(
    numbers: Mapping[str, str], changes: Collection[PartChange], file: str
) -> frozenset[str]:
    """Tasks whose words are expected to change."""
    return frozenset(
        numbers[one.name] for one in changes if one.document == file and one.name in numbers
    )
