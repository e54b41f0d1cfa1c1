"""Where the tasks of a document begin and end.

A document may hold many things that look like tasks: parts, phases, tasks, steps. Each form is
tried separately, from the most explicit to the loosest, and the first that finds tasks decides;
looser ones are then groups or steps. Headings that only number the parts of a document are used
only if nothing else is found.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from sparing.context.documents.markdown import Outline
from sparing.context.task_forms import headed, lists, paragraphs
from sparing.context.task_forms.block import TaskBlock
from sparing.context.task_forms.data import listed_data
from sparing.context.task_forms.definitions import defined
from sparing.context.task_forms.elements import elements
from sparing.context.task_forms.items import Item, list_items
from sparing.context.task_forms.leaves import leaves
from sparing.context.task_forms.tables import fill, tabled, uncounted


@dataclass(frozen=True, slots=True)
class Found:
    blocks: tuple[TaskBlock, ...]
    items: tuple[Item, ...]


def find_blocks(document: Outline) -> tuple[TaskBlock, ...]:
    """All tasks in document order; empty if there are none."""
    return read_blocks(document).blocks


def read_blocks(document: Outline) -> Found:
    """The tasks, and the items of all lists."""
    items = list_items(document)
    headings = headed.Headings(document)
    second: tuple[TaskBlock, ...] = ()
    for blocks, only_parts in _readings(document, items, headings):
        if blocks and not only_parts:
            return Found(blocks, items)
        second = second or blocks
    return Found(second, items)


def _readings(
    document: Outline, items: tuple[Item, ...], headings: headed.Headings
) -> Iterator[tuple[tuple[TaskBlock, ...], bool]]:
    """What each form finds, and whether it may be only the parts of the document."""
    yield elements(document), False
    for strong in headed.STRONG:
        yield headings.led(strong), headings.only_parts(strong)
    if lists.has_summing_boxes(items):
        yield headings.led(headed.is_task_group), False
    for listed in (lists.boxed, lists.bold):
        yield leaves(document, listed(document, items)), False
    yield listed_data(document), False
    rows = tabled(document)
    for weak in headed.WEAK:
        blocks = headings.led(weak)
        yield (rows, False) if fill(rows, blocks) else (blocks, headings.only_parts(weak))
    yield headings.worded(), False
    yield headings.boxed(), False
    yield headings.fielded(), False
    yield rows, False
    yield lists.unnumbered(document, items), False
    yield uncounted(document), False
    yield leaves(document, lists.named(document, items)), False
    for stated in (paragraphs.summaries, paragraphs.keyed, paragraphs.labelled, paragraphs.worded):
        yield leaves(document, stated(document, items)), False
    yield lists.numbered(document, items), False
    yield paragraphs.counted(document, items), False
    yield headings.lettered(), False
    yield defined(document), False
    yield leaves(document, lists.dotted(document, items)), False
    for listed in (lists.fielded, lists.board, lists.bullets, lists.ordered):
        yield listed(document, items), False
