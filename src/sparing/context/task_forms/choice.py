"""Where the tasks of a document begin and end.

A document may hold many things that look like tasks: parts, phases, tasks, steps. Each form is
tried separately, from the most explicit to the loosest, and the first that finds tasks decides;
looser ones are then groups or steps. Three things are stronger than that order: headings that only
number the parts of a document give way to anything else, numbered headings give way to what the
document announces as its tasks (`announced`), and what has an identifier counts before what it
holds or is held by: blocks filled with named tasks are groups, boxes below named tasks are steps.
Check boxes of one list are alike: if only a few have a number, all are tasks.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from enum import Enum, auto
from typing import NamedTuple

from sparing.context.documents.markdown import Outline
from sparing.context.task_forms import heading_forms, lists, paragraphs, parallel_headings
from sparing.context.task_forms.announcement import is_elsewhere, outranks
from sparing.context.task_forms.block import TaskBlock
from sparing.context.task_forms.code_blocks import fenced
from sparing.context.task_forms.data import listed_data
from sparing.context.task_forms.definitions import defined
from sparing.context.task_forms.elements import elements
from sparing.context.task_forms.items import Item, list_items
from sparing.context.task_forms.leaves import leaves
from sparing.context.task_forms.milestones import held_by_milestones
from sparing.context.task_forms.tables import fill, holds, tabled, uncounted


class Weight(Enum):
    """How much the first form that finds something is worth."""

    DECIDES = auto()
    YIELDS = auto()
    """To tasks that the document announces elsewhere."""
    PARTS = auto()
    """To anything: it may be only the parts of the document."""


class Reading(NamedTuple):
    blocks: tuple[TaskBlock, ...]
    weight: Weight = Weight.DECIDES


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
    headings = heading_forms.Headings(document)
    return Found(_decided(document, _readings(document, items, headings)), items)


def _decided(document: Outline, readings: Iterator[Reading]) -> tuple[TaskBlock, ...]:
    parts: tuple[TaskBlock, ...] = ()
    yielding: tuple[TaskBlock, ...] = ()
    for blocks, weight in readings:
        if not blocks or parallel_headings.only_name_phases(document, blocks):
            continue
        if yielding:
            if outranks(document, blocks, yielding):
                return blocks
        elif weight is Weight.PARTS:
            parts = parts or blocks
        elif weight is Weight.YIELDS and is_elsewhere(document, blocks):
            yielding = blocks
        else:
            return blocks
    return yielding or parts


def _readings(
    document: Outline, items: tuple[Item, ...], headings: heading_forms.Headings
) -> Iterator[Reading]:
    boxes = lists.unnumbered(document, items)
    yield from _explicit(document, items, headings, boxes)
    rows = tabled(document)
    for weak in heading_forms.WEAK:
        blocks = headings.led(weak)
        filled = fill(rows, blocks) or _are_named_inside(rows, blocks)
        yield Reading(held_by_milestones(document, blocks, items))
        yield Reading(rows) if filled else Reading(blocks, _weight(headings, weak, blocks))
    yield Reading(headings.worded(), Weight.YIELDS)
    yield Reading(headings.boxed())
    keys = leaves(document, paragraphs.keyed(document, items))
    stating = headings.fielded()
    yield Reading(keys) if fill(keys, stating) else Reading(stating, Weight.YIELDS)
    yield Reading(parallel_headings.same_parts(document), Weight.YIELDS)
    yield Reading(rows, Weight.YIELDS)
    summed = leaves(document, paragraphs.summaries(document, items))
    worded = leaves(document, paragraphs.worded(document, items))
    for named in (_numbered(summed), keys, worded):
        yield Reading(named if holds(named, boxes) else ())
    yield Reading(boxes)
    yield Reading(uncounted(document), Weight.YIELDS)
    yield Reading(leaves(document, lists.named(document, items)))
    yield from (Reading(summed), Reading(keys))
    yield from _loose(document, items, headings)


def _explicit(
    document: Outline,
    items: tuple[Item, ...],
    headings: heading_forms.Headings,
    boxes: tuple[TaskBlock, ...],
) -> Iterator[Reading]:
    """What is hardly ever anything but a task."""
    yield Reading(elements(document))
    for strong in heading_forms.STRONG:
        yield Reading(headings.announced(strong), _weight(headings, strong))
    yield Reading(parallel_headings.slugged(document))
    if lists.has_summing_boxes(items):
        yield Reading(headings.led(heading_forms.is_task_group))
    led = leaves(document, lists.boxed(document, items))
    yield Reading(boxes if led and 2 * len(led) < len(boxes) else led)
    yield Reading(leaves(document, lists.bold(document, items)))
    yield Reading(listed_data(document) or fenced(document))


def _loose(
    document: Outline, items: tuple[Item, ...], headings: heading_forms.Headings
) -> Iterator[Reading]:
    """What may be tasks where there is nothing better."""
    for stated in (paragraphs.labelled, paragraphs.worded):
        yield Reading(leaves(document, stated(document, items)))
    yield Reading(lists.numbered(document, items))
    yield Reading(paragraphs.counted(document, items))
    yield Reading(headings.lettered())
    yield Reading(defined(document))
    yield Reading(leaves(document, lists.dotted(document, items)))
    for listed in (lists.fielded, lists.board, lists.bullets, lists.ordered):
        yield Reading(listed(document, items))
    yield Reading(parallel_headings.phases(document))


def _numbered(blocks: tuple[TaskBlock, ...]) -> tuple[TaskBlock, ...]:
    """These, if any begins with an identifier; otherwise they may be names of groups."""
    return blocks if any(block.ident for block in blocks) else ()


def _are_named_inside(rows: Sequence[TaskBlock], blocks: Sequence[TaskBlock]) -> bool:
    """Whether rows with names of their own (`TASK-001`) stand below headings that only count."""
    named = all(row.ident and not row.ident.token[:1].isdigit() for row in rows)
    counting = all(block.ident and block.ident.token[:1].isdigit() for block in blocks)
    return named and counting and holds(blocks, rows)


def _weight(
    headings: heading_forms.Headings, test: heading_forms.Test, blocks: Sequence[TaskBlock] = ()
) -> Weight:
    if headings.only_parts(test) or (blocks and not any(block.title for block in blocks)):
        return Weight.PARTS
    return Weight.DECIDES if test is heading_forms.STRONG[0] else Weight.YIELDS
