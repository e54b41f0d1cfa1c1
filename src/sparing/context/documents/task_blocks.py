"""Where the tasks of a tasks.md begin and end.

Authors number tasks in a few ways: `Task 1.1`, `T1.1`, `1.1`, `Step 1`, or a list of check
boxes. The strongest way that a document uses decides; weaker ones are then groups or steps. A
numbered heading that only holds tasks numbered below it is a group and no task.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import zip_longest

from sparing.context.documents.fields import known, read_fields
from sparing.context.documents.ids import Ident, Lead, lead
from sparing.context.documents.markdown import Heading, Outline

_BOX = re.compile(r"(?P<indent>[ \t]{0,12})[-*+] \[[ xX]\]\*? (?P<text>.+)")
_NUMBERED = re.compile(r"(?P<indent> {0,3})(?P<number>\d{1,3})[.)] (?P<text>.+)")
_ROW = re.compile(r" {0,3}\|(?P<cells>[^\n]{1,4000})$")
_RULE = re.compile(r"[\s|:-]+$")
_TASKS = re.compile(r"\btasks?\b|\bsteps?\b|\bto.?do\b", re.IGNORECASE)
_MARKS = re.compile(r"(?:\[[A-Za-z]{1,5}-?\d{0,4}\]\s*)+")
"""`[P]`, `[US1]`: said of a task, no part of its title."""
_BOLD = re.compile(r"(?P<indent> {0,3})(?:[-*+] )?(?P<text>\*\*(?:Task |T-?\d|\d+\.\d).+)")
_T = re.compile(r"t\d")
_DOTTED = re.compile(r"\d+[a-z]{0,2}\.")
_SINGLE = re.compile(r"\d+[a-z]?$")
_CHECKLIST = re.compile(
    r"done|acceptance|criteria|checklist|verification|validation", re.IGNORECASE
)


@dataclass(frozen=True, slots=True)
class TaskBlock:
    ident: Ident | None
    number: str
    title: str
    first: int
    last: int
    """1-based lines, both included."""
    level: int
    group: str
    """The heading above, if there is one below the document's title."""


def find_blocks(document: Outline) -> tuple[TaskBlock, ...]:
    """All tasks in document order; empty if there are none."""
    parents = _parents(document.headings)
    for strongest in (_is_task, _is_dotted):
        blocks = _headed(document, parents, strongest)
        if blocks:
            return blocks
    boxes = tuple(_listed(document, parents, _BOX)) or tuple(_listed(document, parents, _BOLD))
    if boxes:
        return _leaves(document, boxes)
    for weaker in (_is_step, _is_single, _is_sibling):
        blocks = _headed(document, parents, weaker)
        if blocks:
            return blocks
    return tuple(_unnumbered(document)) or tuple(_tabled(document)) or tuple(_counted(document))


def _is_task(found: Lead) -> bool:
    label, token = found.ident
    word = label.split()[-1:] == ["task"] or token.startswith("task")
    return word or (not label and _T.match(token) is not None)


def _is_dotted(found: Lead) -> bool:
    return not found.ident.label and _DOTTED.match(found.ident.token) is not None


def _is_step(found: Lead) -> bool:
    return found.ident.label.split()[-1:] in (["step"], ["item"])


def _is_single(found: Lead) -> bool:
    return not found.ident.label and _SINGLE.match(found.ident.token) is not None


def _is_sibling(found: Lead) -> bool:
    """`Q1-Q4: …` or `V1: …` among tasks."""
    return not found.ident.label and found.separated and found.ident.token[:1].isalpha()


def _parents(headings: Sequence[Heading]) -> dict[int, Heading | None]:
    """The heading above each heading, by line."""
    stack: list[Heading] = []
    found: dict[int, Heading | None] = {}
    for heading in headings:
        while stack and stack[-1].level >= heading.level:
            stack.pop()
        found[heading.line] = stack[-1] if stack else None
        stack.append(heading)
    return found


def _headed(
    document: Outline,
    parents: dict[int, Heading | None],
    strongest: Callable[[Lead], bool],
) -> tuple[TaskBlock, ...]:
    leads = [(heading, lead(heading.text)) for heading in document.headings]
    main = {heading.line for heading, found in leads if found and strongest(found)}
    homes = {(h.level, parents[h.line]) for h, _ in leads if h.line in main and parents[h.line]}
    blocks = [
        _block(heading, found, parents[heading.line])
        for heading, found in leads
        if found
        and (
            heading.line in main
            or ((heading.level, parents[heading.line]) in homes and _is_sibling(found))
        )
    ]
    return _leaves(document, blocks)


def _block(heading: Heading, found: Lead, parent: Heading | None) -> TaskBlock:
    return TaskBlock(
        ident=found.ident,
        number=found.text,
        title=_unmarked(found.title),
        first=heading.line,
        last=heading.end,
        level=heading.level,
        group=parent.text if parent and parent.level > 1 else "",
    )


def _leaves(document: Outline, blocks: Sequence[TaskBlock]) -> tuple[TaskBlock, ...]:
    """Without titles and groups; a task ends where the next one begins."""
    kept: list[TaskBlock] = []
    for block, following in zip_longest(blocks, blocks[1:]):
        if following is None or following.first > block.last:
            kept.append(block)
            continue
        own = replace(block, last=following.first - 1)
        if not _only_groups(document, own, following):
            kept.append(own)
    return tuple(kept)


def _only_groups(document: Outline, block: TaskBlock, inner: TaskBlock) -> bool:
    if block.level == 1 and block.first == document.headings[0].line:
        return True  # the document's title, as in `Tasks: 038 — …`
    if block.ident is None or inner.ident is None or not inner.ident.extends(block.ident):
        return False
    return not any(known(item.name) for item in read_fields(document, block.first + 1, block.last))


def _listed(
    document: Outline, parents: dict[int, Heading | None], pattern: re.Pattern[str]
) -> Iterator[TaskBlock]:
    """Tasks that are items of a list, each led by its number."""
    items: list[tuple[int, int, Lead]] = []
    for number, match in _matches(document, pattern):
        found = lead(match["text"])
        if found and found.ident.label.split()[-1:] in ([], ["task"]):
            items.append((number, len(match["indent"].expandtabs(4)), found))
    above = _above(document, [number for number, _, _ in items])
    ends = _list_ends(document, [(number, indent) for number, indent, _ in items])
    for (number, indent, found), heading, end in zip(items, above, ends, strict=True):
        group = heading.text if heading and (heading.level > 1 or parents[heading.line]) else ""
        yield TaskBlock(
            ident=found.ident,
            number=found.text,
            title=_unmarked(found.title),
            first=number,
            last=end,
            level=7 + indent,
            group=group,
        )


def _unnumbered(document: Outline) -> Iterator[TaskBlock]:
    """Check boxes without numbers, counted; those of a closing check list are no tasks."""
    rows = [
        (number, match["text"])
        for number, match in _matches(document, _BOX)
        if len(match["indent"]) < 2
    ]
    above = _above(document, [number for number, _ in rows])
    rows_kept = [
        (number, text, heading)
        for (number, text), heading in zip(rows, above, strict=True)
        if not (heading and _CHECKLIST.search(heading.text))
    ]
    ends = _list_ends(document, [(number, 0) for number, _, _ in rows_kept])
    for count, ((number, text, heading), end) in enumerate(
        zip(rows_kept, ends, strict=True), start=1
    ):
        group = heading.text if heading and heading.level > 1 else ""
        yield TaskBlock(
            ident=None,
            number=str(count),
            title=_unmarked(text.strip(" *")),
            first=number,
            last=end,
            level=7,
            group=group,
        )


def _unmarked(title: str) -> str:
    marks = _MARKS.match(title)
    return title[marks.end() :] if marks and marks.end() < len(title) else title


def _tabled(document: Outline) -> Iterator[TaskBlock]:
    """Rows of a table that says in its head that it holds tasks; the first cell numbers them."""
    rows = [(number, _cells(match["cells"])) for number, match in _matches(document, _ROW)]
    headed, before = False, 0
    for number, cells in rows:
        if number != before + 1:
            headed = any(_TASKS.search(cell) for cell in cells)
        elif headed and len(cells) > 1 and not _RULE.match("".join(cells)):
            found = lead(f"{cells[0]}: {cells[1]}")
            if found:
                yield TaskBlock(
                    ident=found.ident, number=found.text, title=_unmarked(found.title),
                    first=number, last=number, level=7, group="",
                )  # fmt: skip
        before = number


def _cells(row: str) -> list[str]:
    return [cell.strip(" *`") for cell in row.strip().removesuffix("|").split("|")]


def _counted(document: Outline) -> Iterator[TaskBlock]:
    """A numbered list below a heading that speaks of tasks, in a document with nothing better."""
    rows = [(number, match) for number, match in _matches(document, _NUMBERED)]
    above = _above(document, [number for number, _ in rows])
    kept = [
        (number, match, heading)
        for (number, match), heading in zip(rows, above, strict=True)
        if heading and _TASKS.search(heading.text) and not _CHECKLIST.search(heading.text)
    ]
    ends = _list_ends(document, [(number, len(match["indent"])) for number, match, _ in kept])
    for (number, match, heading), end in zip(kept, ends, strict=True):
        group = heading.text if heading.level > 1 else ""
        title = _unmarked(match["text"].strip(" *"))
        yield TaskBlock(
            ident=None, number=match["number"], title=title, first=number, last=end, level=7,
            group=group,
        )  # fmt: skip


def _matches(document: Outline, pattern: re.Pattern[str]) -> Iterator[tuple[int, re.Match[str]]]:
    for number, line in enumerate(document.lines, start=1):
        if number not in document.hidden:
            match = pattern.match(line.rstrip("\r\n"))
            if match is not None:
                yield number, match


def _above(document: Outline, numbers: Iterable[int]) -> list[Heading | None]:
    """The heading that each of these lines stands under."""
    found: list[Heading | None] = []
    position = 0
    for number in numbers:
        while position < len(document.headings) and document.headings[position].line < number:
            position += 1
        found.append(document.headings[position - 1] if position else None)
    return found


def _list_ends(document: Outline, items: Sequence[tuple[int, int]]) -> list[int]:
    """Each item ends before the next heading and before the next item that is not inside it."""
    borders = [(heading.line, -1) for heading in document.headings] + list(items)
    ends: dict[int, int] = {}
    unfinished: list[tuple[int, int]] = []
    for number, indent in sorted(borders):
        while unfinished and unfinished[-1][1] >= indent:
            ends[unfinished.pop()[0]] = number - 1
        if indent >= 0:
            unfinished.append((number, indent))
    return [ends.get(number, len(document.lines)) for number, _ in items]
