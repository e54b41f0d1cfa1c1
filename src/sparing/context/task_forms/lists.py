"""Tasks that are items of lists: check boxes, bold or plain identifiers, numbers, and items that
share their fields."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Sequence

from sparing.context.documents.fields import TASK_FIELDS, read_fields
from sparing.context.documents.ids import Lead, lead
from sparing.context.documents.markdown import Heading, Outline
from sparing.context.task_forms.announcement import in_place
from sparing.context.task_forms.block import TaskBlock, group_of, headings_above, list_ends
from sparing.context.task_forms.dropped_tasks import is_dropped
from sparing.context.task_forms.items import Item, below_groups, wrapped
from sparing.context.task_forms.words import (
    about_tasks,
    asides,
    is_aside,
    is_board_column,
    is_container,
    names_a_part,
    speaks_of_tasks,
)

_BOLD = re.compile(r"\*\*(?:Task |T-?\d|\d+\.\d)")
_TASK = re.compile(r"(?:\*\*|__)?Task \d", re.IGNORECASE)
_LED = re.compile(r"(?:\*\*|\[)?(?:Task |[A-Z]{1,10}-?\d|\d+\.\d)")
_NAMED = re.compile(
    r" {0,3}(?P<text>(?:Task \d|[A-Z]{1,10}-?\d)[\d.]{0,8}[a-z]?(?:[:.)] | [—–-] ).+)"
)
"""An identifier that begins a paragraph."""
_OWN_ID = re.compile(
    r"\s*(?:\(|\[#?|<!-- ?(?:id: ?)?|\{#)"
    r"([A-Z]{1,10}-?\d{1,5}(?:\.\d{1,3})?)(?:\)|\]| ?-->|\})[ .]*$"
)
"""`Write the parser (T1)`: an identifier behind the words."""
_SUMMING = re.compile(r"\d{1,3}\.0 ")
_OUTERMOST = 2
_PARAGRAPH_INDENT = 4

Items = Sequence[Item]


def boxed(document: Outline, items: Items) -> tuple[TaskBlock, ...]:
    """Check boxes with numbers. Where the outermost say `Task 1`, numbers below count steps."""
    boxes = _beside_none(document, _wanted(document, items))
    outer = [one for one in boxes if one.indent < _OUTERMOST]
    said = outer and all(_TASK.match(one.text) for one in outer)
    return led_items(document, outer if said else boxes)


def _beside_none(document: Outline, boxes: list[Item]) -> list[Item]:
    """Without `Q1`, `Q2` of a closing check list, if its letters count nothing else."""
    beside = asides(document)
    letters = {_letters(one) for one in boxes if one.line not in beside}
    return [
        one for one in boxes if one.line not in beside or not letters or _letters(one) in letters
    ]


def _letters(one: Item) -> str:
    found = lead(one.text)
    return found.ident.token.rstrip("0123456789.") if found else ""


def _wanted(document: Outline, items: Items) -> list[Item]:
    return [one for one in items if one.box and not _is_declined(document, one)]


def _is_declined(document: Outline, one: Item) -> bool:
    """`- [-] T9 …` below `## Declined`, and `- [ ] ~~…~~`: nobody wants it built."""
    struck = one.text.startswith("~~") and one.text.endswith("~~") and one.box == "[ ]"
    return struck or (one.box == "[-]" and one.line in asides(document))


def has_summing_boxes(items: Items) -> bool:
    """`- [ ] 1.0 Complete the layer`: the boxes after it are steps of what the heading counts."""
    return any(one.box and _SUMMING.match(one.text) for one in items)


def bold(document: Outline, items: Items) -> tuple[TaskBlock, ...]:
    """`**Task 1: …**`, `- **T1** …`"""
    chosen = [
        one for one in items if one.indent < _PARAGRAPH_INDENT and _BOLD.match(one.text)
    ]  # fmt: skip
    return led_items(document, chosen)


def named(document: Outline, items: Items) -> tuple[TaskBlock, ...]:
    """Items and paragraphs that begin with an identifier, below a heading about tasks."""
    listed = [
        one
        for one in items
        if one.indent < _PARAGRAPH_INDENT
        and (
            (not one.number and one.marker and _LED.match(one.text))
            or ("." in one.number and not one.box)
        )
    ]
    paragraphs = [
        Item(number, 0, "", "", match["text"])
        for number, line in enumerate(document.lines, start=1)
        if number not in document.hidden and (match := _NAMED.match(line.rstrip("\r\n")))
    ]
    about = about_tasks(document)
    blocks = led_items(document, sorted([*listed, *paragraphs]))
    above = headings_above(document, [block.first for block in blocks])
    return tuple(
        block for block, heading in zip(blocks, above, strict=True) if heading and heading in about
    )


def unnumbered(document: Outline, items: Items) -> tuple[TaskBlock, ...]:
    """Check boxes without numbers, counted; those of a closing check list are no tasks."""
    kept = in_place(document, below_groups(_wanted(document, items)))
    own = [_OWN_ID.search(one.text) for one in kept]
    if kept and all(own) and len({match[1] for match in own if match}) == len(kept):
        ended = [(one, match) for one, match in zip(kept, own, strict=True) if match]
        return led_items(
            document,
            [one._replace(text=f"{m[1]}: {one.text[: m.start()]}") for one, m in ended],
        )
    return listed_items(document, kept)


def numbered(document: Outline, items: Items) -> tuple[TaskBlock, ...]:
    """A numbered list below a heading that speaks of tasks, or in a document about them."""
    digits = [one for one in items if one.number.isdigit() and one.indent < _PARAGRAPH_INDENT]
    rows = in_place(document, digits)
    above = headings_above(document, [one.line for one in rows])
    every = list(zip(rows, above, strict=True))
    near = [pair for pair in every if pair[1] and speaks_of_tasks(pair[1])]
    about = about_tasks(document)
    return _outermost(document, near or [pair for pair in every if pair[1] in about])


def ordered(document: Outline, items: Items) -> tuple[TaskBlock, ...]:
    """The outermost numbered or lettered lists of a document with nothing better."""
    outer = [one for one in items if one.marker and one.indent < _OUTERMOST and one.number]
    above = headings_above(document, [one.line for one in outer])
    chosen = [
        one
        for one, head in zip(outer, above, strict=True)
        if not (head and (is_aside(head.text) or names_a_part(head)))
    ]
    return listed_items(document, chosen) if len(chosen) >= 2 else ()


def dotted(document: Outline, items: Items) -> tuple[TaskBlock, ...]:
    """`1.` and below it `1.1.`, `1.2.`: nested numbers."""
    rows = [one for one in items if one.number[:1].isdigit()]
    if sum("." in one.number for one in rows) < 2:
        return ()
    return tuple(_blocks(document, [(one, lead(f"{one.number}: {one.text}")) for one in rows]))


def fielded(document: Outline, items: Items) -> tuple[TaskBlock, ...]:
    """Outermost items, numbered or not, most of which state files, dependencies or the like."""
    outer = [one for one in items if one.marker and one.indent < _OUTERMOST]
    blocks = listed_items(document, outer)
    having = [block for block in blocks if _states(document, block.first + 1, block.last)]
    return blocks if len(having) >= 2 and 2 * len(having) >= len(blocks) else ()


def board(document: Outline, items: Items) -> tuple[TaskBlock, ...]:
    """Bullets below `## To do`, `## In progress`, `## Done`."""
    return _below(document, items, lambda heading: is_board_column(heading.text))


def bullets(document: Outline, items: Items) -> tuple[TaskBlock, ...]:
    """Plain bullets below a heading that speaks of tasks, or below `Phase 1`, `Wave 2`."""
    about = about_tasks(document)
    items = in_place(document, [one for one in items if one.marker and one.indent < _OUTERMOST])
    return (
        _below(document, items, speaks_of_tasks)
        or _below(document, items, lambda heading: heading in about)
        or _below(document, items, lambda heading: is_container(heading.text))
    )


def _below(
    document: Outline, items: Items, wanted: Callable[[Heading], bool]
) -> tuple[TaskBlock, ...]:
    outer = [one for one in items if one.marker and one.indent < _OUTERMOST]
    above = headings_above(document, [one.line for one in outer])
    chosen = [one for one, head in zip(outer, above, strict=True) if head and wanted(head)]
    return listed_items(document, chosen) if len(chosen) >= 2 else ()


def _states(document: Outline, first: int, last: int) -> bool:
    return any(field.name in TASK_FIELDS for field in read_fields(document, first, last))


def led_items(document: Outline, items: Iterable[Item]) -> tuple[TaskBlock, ...]:
    """The items that begin with a number, as tasks with that number."""
    pairs: list[tuple[Item, Lead | None]] = []
    for one in items:
        own = lead(one.text)
        found = own or (lead(f"{one.number}: {one.text}") if one.number else None)
        if found and found.ident.label.split()[-1:] in ([], ["task"]):
            pairs.append((one, found))
    return tuple(_blocks(document, pairs))


def listed_items(document: Outline, items: Sequence[Item]) -> tuple[TaskBlock, ...]:
    """The items as tasks, each with its own number or else its position."""
    if all(one.number for one in items):
        return tuple(_blocks(document, [(one, None) for one in items]))
    leads = [lead(one.text) for one in items]
    own = all(found and not found.ident.label for found in leads)
    pairs = [
        (one, found if own or (found and _is_key(found)) else None)
        for one, found in zip(items, leads, strict=True)
    ]
    return tuple(_blocks(document, pairs))


def _is_key(found: Lead) -> bool:
    """`**P0-1**: …` among items without a number."""
    return found.separated and not found.ident.label and not found.ident.plain


def _outermost(
    document: Outline, rows: Sequence[tuple[Item, Heading | None]]
) -> tuple[TaskBlock, ...]:
    """The outermost items below each heading; those below them are steps of a task."""
    least: dict[Heading | None, int] = {}
    for one, heading in rows:
        least[heading] = min(one.indent, least.get(heading, one.indent))
    return listed_items(document, [one for one, heading in rows if one.indent == least[heading]])


def _blocks(document: Outline, pairs: Sequence[tuple[Item, Lead | None]]) -> Iterator[TaskBlock]:
    above = headings_above(document, [one.line for one, _ in pairs])
    ends = list_ends(document, [(one.line, one.indent) for one, _ in pairs])
    rows = zip(pairs, above, ends, strict=True)
    for count, ((one, found), heading, end) in enumerate(rows, start=1):
        if found and is_dropped(one.text, found.title):
            continue
        yield TaskBlock(
            ident=found.ident if found else None,
            number=found.text if found else one.number or str(count),
            title=wrapped(document, one, found.title if found else one.text),
            first=one.line,
            last=end,
            level=7 + one.indent,
            group=group_of(heading),
            mark=one.box,
        )  # fmt: skip
