"""Which parts of plan and design a task is given.

Sections if every reference of the task leads to one, else the whole document, with the reason as a
warning: too much costs tokens, too little costs the task. Only a missing document gives nothing. A
task that names no part of the plan is matched by its own number or its group's, if the words of
both headings agree; numbers alone are no evidence.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum
from typing import NamedTuple

from sparing.context.documents.ids import lead
from sparing.context.documents.markdown import Heading, outline
from sparing.context.documents.sections import SectionIndex, SectionMatch, Via
from sparing.task import ReferenceKind, Task

_WORD = re.compile(r"[^\W_]{2,40}")
_BRACKETS = re.compile(r"\([^()\n]{0,200}\)")
_COMMON = frozenset(
    {
        "the",
        "and",
        "for",
        "with",
        "from",
        "into",
        "add",
        "all",
        "new",
        "run",
        "use",
        "set",
        "its",
        "per",
        "via",
        "not",
        "any",
        "one",
        "two",
        "only",
        "also",
        "create",
        "update",
        "implement",
        "implementation",
        "write",
        "test",
        "tests",
        "testing",
        "verify",
        "verification",
        "task",
        "phase",
        "step",
        "stage",
        "group",
        "part",
        "green",
        "red",
        "tdd",
        "to",
        "in",
        "of",
        "on",
        "as",
        "by",
        "is",
        "or",
        "no",
    }
)
_T = re.compile(r"^[Tt]-?(?=\d)")
_PROBLEM = ("problem statement", "problem", "the problem")
_GOALS = ("goals", "goal", "objectives", "goals and success criteria")


class Extent(StrEnum):
    FULL = "full"
    SECTIONS = "sections"
    NONE = "none"


class Hit(NamedTuple):
    id: str
    heading: Heading
    via: Via


@dataclass(frozen=True, slots=True)
class DocumentScope:
    extent: Extent
    text: str = ""
    hits: tuple[Hit, ...] = ()
    warnings: tuple[str, ...] = ()


class TaskScope(NamedTuple):
    plan: DocumentScope
    design: DocumentScope


def index_document(text: str | None) -> SectionIndex | None:
    return SectionIndex(outline(text)) if text and text.strip() else None


def scope_task(task: Task, plan: SectionIndex | None, design: SectionIndex | None) -> TaskScope:
    return TaskScope(
        _scope(task, ReferenceKind.PLAN, plan), _scope(task, ReferenceKind.DESIGN, design)
    )


def scope_prd(text: str | None) -> DocumentScope:
    """Problem and goals; the whole PRD where it has no such headings."""
    index = index_document(text)
    if index is None:
        return DocumentScope(Extent.NONE)
    wanted = [_first_named(index, names) for names in (_PROBLEM, _GOALS)]
    hits = [hit for hit in wanted if hit is not None]
    if len(hits) < len(wanted):
        return _full(index, "prd.md has no headings for both problem and goals")
    return _sections(index, hits)


def _scope(task: Task, kind: ReferenceKind, index: SectionIndex | None) -> DocumentScope:
    references = [reference for reference in task.references if reference.kind is kind]
    if index is None:
        named = f"task {task.number} refers to {kind}.md, which is missing"
        return DocumentScope(Extent.NONE, warnings=(named,) if references else ())
    if not references:
        placed = _placed(task, index) if kind is ReferenceKind.PLAN else None
        if placed is not None:
            return _sections(index, [placed, *_mentioned(task, kind, index)])
        return _full(index, f"task {task.number} names no part of {kind}.md")
    found = [(reference.id, _found(reference.id, kind, index)) for reference in references]
    lost = [id for id, items in found if not items]
    if lost:
        return _full(index, f"task {task.number}: {kind}.md has no one section {', '.join(lost)}")
    hits = [Hit(id, heading, via) for id, items in found for heading, via in items]
    return _sections(index, [*hits, *_mentioned(task, kind, index)])


def _found(id: str, kind: ReferenceKind, index: SectionIndex) -> tuple[SectionMatch, ...]:
    """An item of the plan is all that it says of a step; one of the design may be a summary.

    `Step 3a` lies in `Step 3`, but not if it is an item elsewhere.
    """
    found = index.find_all(id)
    if kind is not ReferenceKind.PLAN or any(one.via is not Via.PREFIX for one in found):
        return found
    items = index.find_items(id)
    inside = any(
        above.heading.line < one.heading.line <= above.heading.end
        for above in found
        for one in items
    )
    return found if inside or not items else items


def _mentioned(task: Task, kind: ReferenceKind, index: SectionIndex) -> list[Hit]:
    """Sections led by what the task names in passing; headings that only mention it don't count."""
    return [
        Hit(one.id, heading, via)
        for one in task.mentions
        if one.kind is kind
        for heading, via in index.find_all(one.id)
        if via is not Via.MENTION
    ]


def _full(index: SectionIndex, warning: str) -> DocumentScope:
    return DocumentScope(Extent.FULL, index.document.text, warnings=(warning,))


def _sections(index: SectionIndex, hits: Sequence[Hit]) -> DocumentScope:
    """Each section once, in document order; nested ones are included in their parent."""
    kept: list[Heading] = []
    for heading in sorted({hit.heading for hit in hits}, key=lambda item: item.line):
        if not kept or heading.line > kept[-1].end:
            kept.append(heading)
    text = "".join(_closed(index.document.section(heading)) for heading in kept)
    return DocumentScope(Extent.SECTIONS, text, tuple(hits))


def _closed(section: str) -> str:
    return section if section.endswith(("\n", "\r")) else section + "\n"


def _placed(task: Task, index: SectionIndex) -> Hit | None:
    """The section whose heading has the task's number, or else its group's, and the same words.

    Only where neither is found, `T2.1` may lie in `Step 2`, or be an item of the plan.
    """
    return (
        _about_the_same(task, index.find(task.number))
        or _group_placed(task, index)
        or _about_the_same(task, index.find(_T.sub("", task.number)))
        or _about_the_same(task, next(iter(index.find_items(task.number)), None))
    )


def _about_the_same(task: Task, found: SectionMatch | None) -> Hit | None:
    if found is None or found.via is Via.MENTION:
        return None
    title, words = _words(task.title), _words(found.heading.text)
    exact = found.via is not Via.PREFIX
    if _share_most(title, words) or (exact and _contained(title, words)):
        return Hit(task.number, found.heading, Via.NUMBER)
    return None


def _group_placed(task: Task, index: SectionIndex) -> Hit | None:
    above = lead(task.group)
    if above is None:
        return None
    name = f"{above.ident.label} {above.text}".strip()
    group, about = index.find(name) or index.find(above.text), _words(task.group)
    if group is None or group.via is not Via.LEAD:
        return None
    words = _words(group.heading.text)
    if _share_most(about, words) or _contained(about, words):
        return Hit(name, group.heading, Via.NUMBER)
    return None


def _share_most(ours: frozenset[str], theirs: frozenset[str]) -> bool:
    shared = len(ours & theirs)
    return shared >= 2 and 2 * shared >= min(len(ours), len(theirs))


def _contained(ours: frozenset[str], theirs: frozenset[str]) -> bool:
    return bool(ours and theirs) and (ours <= theirs or theirs <= ours)


def _words(text: str) -> frozenset[str]:
    """What a heading is about: its title's words without the common ones."""
    found = lead(text)
    title = _BRACKETS.sub(" ", found.title if found else text)
    return frozenset(_WORD.findall(title.casefold())) - _COMMON


def _first_named(index: SectionIndex, names: Sequence[str]) -> Hit | None:
    for name in names:
        found = index.find(name)
        if found is not None:
            return Hit(name, found.heading, found.via)
    return None
