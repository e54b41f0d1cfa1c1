"""The seed's task parser and section extractor, reproduced exactly.

Kept so that the tolerant parser can be compared with it (`policy = "seed"`). It ignores fences,
requires `### Task 1.1`, splits on commas only and finds identifiers as substrings; where the seed
contradicts itself, both readings are given. Do not improve it.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace
from enum import StrEnum
from typing import NamedTuple

from sparing.task import Reference, ReferenceKind, Task

_HEADING = re.compile(r"(#{1,6})\s+(.+)")
_TASK = re.compile(r"(#{3,4})\s+Task\s+(\d+(?:\.\d+)*):?\s*(.+)$")
_FIELDS = (
    ("Why", re.compile(r"\*\*Why:\*\*\s*(.+)")),
    ("Source", re.compile(r"\*\*Source:\*\*\s*(.+)")),
)
_REFERENCES = (
    (ReferenceKind.PLAN, re.compile(r"Plan (?:Step )?(\w+\.\w+)", re.IGNORECASE)),
    (ReferenceKind.DESIGN, re.compile(r"Design (?:Component )?(\w+[-\w]*)", re.IGNORECASE)),
    (ReferenceKind.SPEC, re.compile(r"Spec (\w+\.\w+)", re.IGNORECASE)),
)


class Extent(StrEnum):
    FULL = "full"
    SCOPED = "scoped"
    EMPTY = "empty"


class RawReference(NamedTuple):
    kind: ReferenceKind
    id: str
    raw: str


@dataclass(frozen=True, slots=True)
class LiteralTask:
    task: Task
    level: int
    field: str | None
    raw_value: str | None
    references: tuple[RawReference, ...]
    """The first pattern that matches a part wins."""
    all_references: tuple[RawReference, ...]
    """The other reading: every pattern that matches a part counts."""
    unmatched: tuple[str, ...]
    has_done_criteria: bool


class LiteralSection(NamedTuple):
    heading: str
    level: int
    line: int
    end_line: int
    text: str
    same_level_text: str
    """The other reading of where a section ends: at the next heading of the same level."""
    via: str


class Resolved(NamedTuple):
    reference: RawReference
    section: LiteralSection | None


class _Line(NamedTuple):
    level: int
    text: str
    row: int
    end: int
    """Row of the next heading of the same or a higher rank."""
    same_level_end: int


def read_tasks(text: str) -> tuple[LiteralTask, ...]:
    lines = text.split("\n")
    found: list[LiteralTask] = []
    for heading in _headings(lines):
        match = _TASK.match(lines[heading.row])
        if match is not None:
            body = "\n".join(lines[heading.row : heading.end])
            found.append(_task(match, body, heading.row + 1))
    return tuple(found)


def literal_tasks(text: str) -> tuple[Task, ...]:
    """The tasks that the original would build; a repeated number gets a count, for our records."""
    seen: dict[str, int] = {}
    found: list[Task] = []
    for one in read_tasks(text):
        count = seen[one.task.number] = seen.get(one.task.number, 0) + 1
        number = one.task.number if count == 1 else f"{one.task.number} ({count})"
        done = one.task.body.partition("Done when:")[2].strip("* \n").partition("\n")[0]
        found.append(replace(one.task, number=number, done_when=done))
    return tuple(found)


class LiteralScope(NamedTuple):
    plan: str
    design: str
    warnings: tuple[str, ...] = ()


def literal_scope(task: Task, plan: str | None, design: str | None) -> LiteralScope | None:
    """Sections if every reference leads to one, the whole document if none or only some do, and
    nothing of a document if only the other one is referenced. None for a task that these rules
    can't read."""
    read = read_tasks(task.body)
    if not read:
        return None
    found = resolve(read[0].references, plan, design)
    texts = {ReferenceKind.PLAN: plan or "", ReferenceKind.DESIGN: design or ""}
    parts = (_scope(kind, found, text) for kind, text in texts.items())
    unread = [f"task {task.number}: '{part}' is not a reference" for part in read[0].unmatched]
    told = [line for kind in texts for line in _warnings(task, kind, found)]
    return LiteralScope(*parts, warnings=(*unread, *told))


def _warnings(task: Task, kind: ReferenceKind, found: Sequence[Resolved]) -> list[str]:
    """What the original logs; and what it passes over in silence, a document left out."""
    who = f"by the original's rules, task {task.number}"
    match extent(kind, found):
        case Extent.EMPTY:
            return [f"{who} names no part of {kind}.md and is sent none of it"]
        case Extent.FULL if not found:
            return [f"{who} names no part of {kind}.md"]
        case Extent.FULL:
            own = [one for one in found if one.reference.kind is kind and one.section is None]
            lost = ", ".join(one.reference.id for one in own)
            return [f"task {task.number}: {kind}.md has no section {lost}"]
        case Extent.SCOPED:
            return []


def _scope(kind: ReferenceKind, found: Sequence[Resolved], text: str) -> str:
    match extent(kind, found):
        case Extent.FULL:
            return text
        case Extent.EMPTY:
            return ""
        case Extent.SCOPED:
            own = (one.section for one in found if one.reference.kind is kind)
            return "\n".join(dict.fromkeys(one.text for one in own if one))


def resolve(
    references: Sequence[RawReference], plan: str | None, design: str | None
) -> tuple[Resolved, ...]:
    """The sections that plan and design references name; spec ones are informational."""
    texts = {ReferenceKind.PLAN: plan, ReferenceKind.DESIGN: design}
    return tuple(
        Resolved(reference, _resolve(texts[reference.kind] or "", reference))
        for reference in references
        if reference.kind in texts
    )


def extent(kind: ReferenceKind, resolved: Sequence[Resolved]) -> Extent:
    if not resolved:
        return Extent.FULL
    own = [item for item in resolved if item.reference.kind is kind]
    if not own:
        return Extent.EMPTY
    return Extent.SCOPED if all(item.section for item in own) else Extent.FULL


def extract_section(markdown: str, identifier: str) -> LiteralSection | None:
    lines = markdown.split("\n")
    for heading in _headings(lines):
        if identifier in heading.text:
            return LiteralSection(
                heading=heading.text,
                level=heading.level,
                line=heading.row + 1,
                end_line=heading.end,
                text="\n".join(lines[heading.row : heading.end]),
                same_level_text="\n".join(lines[heading.row : heading.same_level_end]),
                via="exact",
            )
    return None


def _resolve(markdown: str, reference: RawReference) -> LiteralSection | None:
    section = extract_section(markdown, reference.id)
    if section is None and reference.kind is ReferenceKind.PLAN and "." in reference.id:
        section = extract_section(markdown, reference.id.rpartition(".")[0])
        section = section and section._replace(via="prefix")
    return section


def _headings(lines: Sequence[str]) -> list[_Line]:
    """Read from the bottom up, so that where each section ends is known in one pass."""
    following = [len(lines)] * 7
    found: list[_Line] = []
    for row in range(len(lines) - 1, -1, -1):
        match = _HEADING.match(lines[row])
        if match is not None:
            level = len(match[1])
            end = min(following[1 : level + 1])
            found.append(_Line(level, match[2], row, end, following[level]))
            following[level] = row
    return found[::-1]


def _task(match: re.Match[str], body: str, line: int) -> LiteralTask:
    field, raw_value = _field(body)
    parts = [part.strip() for part in raw_value.split(",")] if raw_value else []
    matched = [(part, _match(part)) for part in parts]
    first = tuple(references[0] for _, references in matched if references)
    nouns = tuple(Reference(reference.kind, reference.id) for reference in first)
    return LiteralTask(
        task=Task(match[2], match[3], body, line, nouns),
        level=len(match[1]),
        field=field,
        raw_value=raw_value,
        references=first,
        all_references=tuple(item for _, references in matched for item in references),
        unmatched=tuple(part for part, references in matched if not references),
        has_done_criteria="Done when:" in body,
    )


def _field(body: str) -> tuple[str | None, str | None]:
    for name, pattern in _FIELDS:
        match = pattern.search(body)
        if match is not None:
            return name, match[1]
    return None, None


def _match(part: str) -> list[RawReference]:
    found = ((kind, pattern.search(part)) for kind, pattern in _REFERENCES)
    return [RawReference(kind, match[1], part) for kind, match in found if match]
