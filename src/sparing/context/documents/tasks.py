"""The tasks of a tasks.md, tolerantly.

Recall matters most here: a task that is not found is never built. The exact text of each is
kept as its body; what the parser understands beside it (references, dependencies, files, done
criteria) only chooses what else an implementer is given. `literal` holds the seed's own rules.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace

from sparing.context.documents.fields import (
    DEPENDS,
    DOCUMENT,
    DONE,
    FILES,
    SOURCES,
    Field,
    read_fields,
)
from sparing.context.documents.ids import END, TOKEN
from sparing.context.documents.markdown import Outline, outline
from sparing.context.documents.references import (
    design_names,
    field_references,
    heading_names,
    prose_references,
    title_references,
)
from sparing.context.documents.task_blocks import find_blocks
from sparing.context.documents.task_dependencies import TaskOrder, without_cycles
from sparing.context.documents.task_lists import TaskBlock
from sparing.errors import FeatureError
from sparing.task import Reference, ReferenceKind, Task

_SHOWN_HEADINGS = 12
_LONGEST_SOURCE = 1_000
_NOTHING = re.compile(r"(?:none|nothing|no|n/a|[-—–])\b|[-—–]?\s*$", re.IGNORECASE)
_BRACKETS = re.compile(r"\([^()\n]{0,400}\)")
_PATH = re.compile(r"[\w.~*{}@$-]*(?:/[\w.~*{}@$-]+)+/?|[\w.*-]*\.\w{1,12}|Makefile|Dockerfile")
_LINES = re.compile(r":\d{1,6}(?:-\d{1,6})?$")
_CODE = re.compile(r"`([^`\n]{1,200})`")
_TASK = rf"(?:tasks? )?{TOKEN}{END}"
_NEEDS = re.compile(
    r"(?:(?:[(;,]|^[ \t]{0,12}(?:[-*+] )?)\s*(?:depends on|blocked by) "
    r"|\bneeds (?=tasks? \S|[A-Z]+-?\d))"
    rf"(?P<named>{_TASK}(?:(?:, (?:and )?| and | & ){_TASK}){{0,20}})",
    re.IGNORECASE,
)
_DOCUMENT_KINDS = {
    "plan": ReferenceKind.PLAN,
    "spec": ReferenceKind.SPEC,
    "design": ReferenceKind.DESIGN,
    "component": ReferenceKind.DESIGN,
    "interface": ReferenceKind.DESIGN,
    "requirement": ReferenceKind.SPEC,
}
_NO_LABELS = frozenset({"ref", "reference", "source", "section"})


def parse_tasks(text: str, feature: str = "") -> tuple[Task, ...]:
    """All tasks in document order; `feature` is named where there are none."""
    return without_cycles(_as_written(text, feature))


def in_circles(text: str) -> tuple[str, ...]:
    """Tasks that could never start if their dependencies were taken at their word."""
    tasks = _as_written(text)
    kept = {task.number: task.depends_on for task in without_cycles(tasks)}
    return tuple(task.number for task in tasks if kept[task.number] != task.depends_on)


def _as_written(text: str, feature: str = "") -> tuple[Task, ...]:
    document = outline(text)
    blocks = _unique(find_blocks(document))
    if not blocks:
        raise _no_tasks(document, feature)
    order = TaskOrder((block.number, block.group) for block in blocks)
    return tuple(_task(document, block, order) for block in blocks)


def _no_tasks(document: Outline, feature: str) -> FeatureError:
    seen = [f"{'#' * heading.level} {heading.text}" for heading in document.headings]
    shown = "; ".join(seen[:_SHOWN_HEADINGS]) or "none"
    more = f"; and {len(seen) - _SHOWN_HEADINGS} more" if len(seen) > _SHOWN_HEADINGS else ""
    return FeatureError(
        f"tasks.md holds no tasks; headings seen: {shown}{more}",
        f"number each task, as in `### Task 1.1: Title`: sparing edit {feature or 'FEATURE'} tasks",
    )


def _unique(blocks: Iterable[TaskBlock]) -> tuple[TaskBlock, ...]:
    """A number that is used twice gets a count, so that no task is taken for another."""
    seen: dict[str, int] = {}
    found: list[TaskBlock] = []
    for block in blocks:
        count = seen[block.number] = seen.get(block.number, 0) + 1
        again = f"{block.number} ({count})"
        found.append(block if count == 1 else replace(block, number=again))
    return tuple(found)


def _task(document: Outline, block: TaskBlock, order: TaskOrder) -> Task:
    fields = block.cells or read_fields(document, block.first, block.last)
    stated = [value for name, value in fields if name in DEPENDS and not _NOTHING.match(value)]
    depends = "; ".join(stated or _needed(document, block))
    references = _references(block, fields, order)
    return Task(
        number=block.number,
        title=block.title,
        body=document.slice(block.first, block.last),
        line=block.first,
        references=references,
        mentions=_mentions(document, block, references),
        depends_on=order.resolve(_BRACKETS.sub(" ", depends), block.number),
        files=_files(value for name, value in fields if name in FILES),
        done_when=_done_when(fields),
        group=block.group,
    )


def _needed(document: Outline, block: TaskBlock) -> list[str]:
    """`(depends on T003, T004)`, `- Depends on 2 and 3`, `Needs task 1.`: without a field."""
    shown = (
        document.lines[number - 1]
        for number in range(block.first, block.last + 1)
        if number not in document.hidden
    )
    return [match["named"] for line in shown for match in _NEEDS.finditer(line)]


def _mentions(
    document: Outline, block: TaskBlock, stated: Sequence[Reference]
) -> tuple[Reference, ...]:
    """What its text names besides, in passing."""
    found: dict[Reference, None] = {}
    for number in range(block.first + 1, block.last + 1):
        if number not in document.hidden:
            line = document.lines[number - 1]
            found.update(dict.fromkeys((*prose_references(line), *design_names(line))))
    return tuple(one for one in found if one not in stated)


def _references(
    block: TaskBlock, fields: Sequence[Field], order: TaskOrder
) -> tuple[Reference, ...]:
    """What the task itself states; its group speaks for it where it is silent."""
    own = [*_stated(fields), *title_references(block.title)]
    kinds = {reference.kind for reference in own}
    group = title_references(block.group, plan_letters=order.foreign_letters)
    return tuple(dict.fromkeys([*own, *(item for item in group if item.kind not in kinds)]))


def _stated(fields: Sequence[Field]) -> Iterator[Reference]:
    for name, value in fields:
        document = DOCUMENT.fullmatch(name)
        if name in SOURCES:
            yield from field_references(value[:_LONGEST_SOURCE])
        elif document is not None:
            word = document[2] or document[3] or ""
            label = "" if word in _NO_LABELS else word
            kind = _DOCUMENT_KINDS[document[1] or document[3]]
            found = field_references(value[:_LONGEST_SOURCE], kind, label)
            yield from found or (heading_names(value) if kind is ReferenceKind.DESIGN else ())


def _files(values: Iterable[str]) -> tuple[str, ...]:
    found: dict[str, None] = {}
    for value in values:
        rest = _CODE.sub(" ", value[:_LONGEST_SOURCE])
        for piece in (*_CODE.findall(value), *re.split(r"[,;\s]+", rest)):
            path = _LINES.sub("", piece.strip(" \t`*,;:()").rstrip("."))
            if _PATH.fullmatch(path):
                found[path] = None
    return tuple(found)


def _done_when(fields: Sequence[Field]) -> str:
    for names in DONE:
        values = [value for name, value in fields if name in names and value]
        if values:
            return "\n".join(values)
    return ""
