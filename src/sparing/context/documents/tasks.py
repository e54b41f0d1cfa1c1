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
    PLACES,
    SOURCES,
    Field,
    read_fields,
)
from sparing.context.documents.markdown import Outline, outline
from sparing.context.documents.references import (
    design_names,
    field_references,
    heading_names,
    prose_references,
    title_references,
)
from sparing.context.documents.task_dependencies import NEEDS, TaskOrder, without_cycles
from sparing.context.task_forms.block import TaskBlock
from sparing.context.task_forms.choice import find_blocks
from sparing.context.task_forms.graph import drawn_edges
from sparing.context.task_forms.marks import plain_title, read_marks
from sparing.errors import FeatureError
from sparing.task import Reference, ReferenceKind, Task

_SHOWN_HEADINGS = 12
_LONGEST_SOURCE = 1_000
_NOTHING = re.compile(r"(?:none|nothing|no|n/a|[-—–])\b|[-—–]?\s*$", re.IGNORECASE)
_BRACKETS = re.compile(r"\([^()\n]{0,400}\)")
_PATH = re.compile(
    r"[\w.~*{}@$+-]*(?:/[\w.~*{}@$+()\[\]-]+)+/?|[\w.*-]*\.\w{1,12}|Makefile|Dockerfile"
)
_LINES = re.compile(r":\d{1,6}(?:-\d{1,6})?$")
_CODE = re.compile(r"`([^`\n]{1,200})`")
_STEP = re.compile(r"^[ \t]*(?:`{3,}|~{3,}|(?:[-*+]|\d{1,3}[.)]) \[[ xX]\])", re.MULTILINE)
"""Where a list of files ends: code or steps below it are not files."""
_CHANGES = re.compile(
    r"(?:^[ \t]*(?:[-*+] |\d{1,3}[.)] )?|[.;] )(?:touch|creat|add|writ|modif|edit|chang|updat|delet"
    r"|remov|implement|extend|bump)\w{0,3} [^`.;\n]{0,80}"
    r"(`[^`\s]{1,200}`(?:(?:,| and|, and) `[^`\s]{1,200}`){0,8})",
    re.IGNORECASE,
)
"""`Touches `a.py` and `b.py`.`: a verb that changes, and then paths."""
_IN_PATH = re.compile(
    r"(?:^|\s)(?:in|to|into|from|at|dans|en|em|nach|aus|in der)\s+"
    r"(`[^`\s]{1,200}`|[\w.@*/-]{1,200})[.]?$",
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
    """All tasks in document order; `feature` is named in the error if there are none."""
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
    order = TaskOrder((block.number, block.group, block.title) for block in blocks)
    return _with_drawn(document, order, [_task(document, block, order) for block in blocks])


def _with_drawn(document: Outline, order: TaskOrder, tasks: Sequence[Task]) -> tuple[Task, ...]:
    """Take dependencies from a drawn graph if no task states any."""
    edges = {} if any(task.depends_on for task in tasks) else drawn_edges(document)
    found = {order.resolve(node, ""): ", ".join(before) for node, before in edges.items()}
    return tuple(
        replace(task, depends_on=order.resolve(found.get((task.number,), ""), task.number))
        if found
        else task
        for task in tasks
    )


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
    shown = [
        document.lines[number - 1].rstrip("\r\n")
        for number in range(block.first, block.last + 1)
        if number not in document.hidden
    ]
    stated = [value for name, value in fields if name in DEPENDS and not _NOTHING.match(value)]
    depends = "; ".join(stated or _needed(shown))
    references = _references(block, fields, order)
    title = plain_title(block.title)
    return Task(
        number=block.number,
        title=title,
        body=document.slice(block.first, block.last),
        line=block.first,
        references=references,
        mentions=_mentions(document, block, references),
        depends_on=order.resolve(_BRACKETS.sub(" ", depends), block.number),
        files=_files(fields) or _files_named(title, block.title, shown[1:]),
        done_when=_done_when(fields),
        group=block.group,
        marks=read_marks(block, fields, shown),
    )


def _needed(lines: Iterable[str]) -> list[str]:
    """The dependencies that running text states without a field."""
    return [match["named"] for line in lines for match in NEEDS.finditer(line)]


def _mentions(
    document: Outline, block: TaskBlock, stated: Sequence[Reference]
) -> tuple[Reference, ...]:
    """Further references that the task's text makes in passing."""
    found: dict[Reference, None] = {}
    for number in range(block.first + 1, block.last + 1):
        if number not in document.hidden:
            line = document.lines[number - 1]
            found.update(dict.fromkeys((*prose_references(line), *design_names(line))))
    return tuple(one for one in found if one not in stated)


def _references(
    block: TaskBlock, fields: Sequence[Field], order: TaskOrder
) -> tuple[Reference, ...]:
    """The task's own references; its group's for kinds of document that it does not name."""
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


def _files(fields: Sequence[Field]) -> tuple[str, ...]:
    found: dict[str, None] = {}
    for name, value in fields:
        if name in FILES or name in PLACES and _CODE.sub("", value).strip(" ,;") == "":
            found.update(dict.fromkeys(_paths(value)))
    return tuple(found)


def _paths(value: str) -> Iterator[str]:
    step = _STEP.search(value)
    value = value[: step.start()] if step else value
    rest = _CODE.sub(" ", value[:_LONGEST_SOURCE])
    for piece in (*_CODE.findall(value), *re.split(r"[,;\s]+", rest)):
        path = _LINES.sub("", piece.strip(" \t`*,;:()").rstrip("."))
        if _PATH.fullmatch(path):
            yield path


def _files_named(title: str, whole: str, below: Iterable[str]) -> tuple[str, ...]:
    """By the title, all of what it was taken from, or what is below it."""
    return _files_in_title(title) or _files_in_title(whole.strip(" *")) or _files_in_text(below)


def _files_in_title(title: str) -> tuple[str, ...]:
    """`Create the model in src/models/invite.py`: the path that ends a title after "in"."""
    match = _IN_PATH.search(title)
    return tuple(_paths(match[1])) if match else ()


def _files_in_text(lines: Iterable[str]) -> tuple[str, ...]:
    """What running text says is changed, without a field."""
    found = (
        path for line in lines for match in _CHANGES.finditer(line) for path in _paths(match[1])
    )
    return tuple(dict.fromkeys(path for path in found if "/" in path))


def _done_when(fields: Sequence[Field]) -> str:
    for names in DONE:
        values = [value for name, value in fields if name in names and value]
        if values:
            return "\n".join(values)
    return ""
