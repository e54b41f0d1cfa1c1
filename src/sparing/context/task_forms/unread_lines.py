"""Lines that clearly state a task but belong to none that was read.

A task that is not found is never built, so none of them is skipped silently: the author is asked.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterator, Sequence

from sparing.context.documents.ids import lead
from sparing.context.documents.markdown import Outline
from sparing.context.task_forms import parallel_headings
from sparing.context.task_forms.announcement import without_results
from sparing.context.task_forms.block import TaskBlock, list_ends
from sparing.context.task_forms.choice import Found
from sparing.context.task_forms.items import Item, is_name_of_group
from sparing.context.task_forms.marks import plain_title
from sparing.context.task_forms.words import asides

_LIST_LEVEL = 7
_SHOWN = 5
_TICKED = frozenset({"", "[x]", "[X]", "[✓]", "[✔]"})


def unread_lines(document: Outline, found: Found) -> tuple[int, ...]:
    """1-based lines of open check boxes that are neither a task, nor inside one, nor a group."""
    blocks = sorted(found.blocks, key=lambda block: block.first)
    boxes = [one for one in found.items if one.box[:1] in "[☐⬜" and one.box not in _TICKED]
    groups = _groups(blocks)
    beside = asides(document)
    holding = _holding(document, boxes, blocks)
    open_boxes = [
        one
        for one in boxes
        if one.line not in beside and one.line not in holding and not _is_group(one, groups)
    ]
    open_boxes = without_results(document, open_boxes)
    told = _titles(blocks)
    phased = parallel_headings.phase_names(document)
    return tuple(
        one.line
        for one in _outside(open_boxes, blocks)
        if _words(one.text) not in told
        and not one.text.startswith("~~")
        and not phased & parallel_headings.names_in(one.text)
    )


def _titles(blocks: Sequence[TaskBlock]) -> frozenset[str]:
    """Tasks that a board or a summary may name again."""
    return frozenset(_words(block.title) for block in blocks)


def _words(text: str) -> str:
    return plain_title(text).casefold().strip(" .*_`")


def _holding(
    document: Outline, boxes: Sequence[Item], blocks: Sequence[TaskBlock]
) -> frozenset[int]:
    """Lines of boxes that only name a group and have tasks nested below them."""
    ends = list_ends(document, [(one.line, one.indent) for one in boxes])
    starts = [block.first for block in blocks]
    return frozenset(
        one.line
        for one, end in zip(boxes, ends, strict=True)
        if is_name_of_group(one.text) and bisect_right(starts, one.line) < bisect_right(starts, end)
    )


def complaint(document: Outline, lines: Sequence[int]) -> str:
    """What the author is told about them."""
    shown = [f"line {number} `{document.lines[number - 1].strip()[:60]}`" for number in lines]
    more = f" and {len(shown) - _SHOWN} more" if len(shown) > _SHOWN else ""
    one = len(lines) == 1
    return (
        f"{', '.join(shown[:_SHOWN])}{more} "
        f"{'looks like a task and belongs' if one else 'look like tasks and belong'} to none that "
        "was read: "
        "number each like the other tasks, indent it below the task of which it is a step, or move "
        "it below a heading such as `## Definition of done`"
    )


def _outside(boxes: Sequence[Item], blocks: Sequence[TaskBlock]) -> Iterator[Item]:
    starts = [block.first for block in blocks]
    for one in boxes:
        place = bisect_right(starts, one.line) - 1
        block = blocks[place] if place >= 0 else None
        if (
            block is None
            or one.line > block.last
            or one.line != block.first
            and _beside(one, block)
        ):
            yield one


def _beside(one: Item, block: TaskBlock) -> bool:
    """Whether a box has the same rank as a task's own box, and so is not a step of it."""
    boxed = block.level >= _LIST_LEVEL and bool(block.mark) and not block.cells
    return boxed and one.indent <= block.level - _LIST_LEVEL


def _groups(blocks: Sequence[TaskBlock]) -> frozenset[str]:
    """The groups that the numbers of the tasks belong to: `2` for `2.1`."""
    found: set[str] = set()
    for block in blocks:
        above = block.ident.parent if block.ident else None
        while above is not None and above.token not in found:
            found.add(above.token)
            above = above.parent
    return frozenset(found)


def _is_group(one: Item, groups: frozenset[str]) -> bool:
    own = lead(one.text) or (lead(f"{one.number}:") if one.number else None)
    return own is not None and own.ident.token in groups
