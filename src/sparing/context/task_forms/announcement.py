"""Which of several readings a document itself says is the list of its tasks.

Loose forms (check boxes without numbers, numbered lists) are found everywhere: in a checklist of
an issue's author, under risks, under deliverables. Where a document announces its tasks, by a
heading `## Tasks` or a label `**Tasks:**`, what is there counts, and nothing beside it.
"""

from __future__ import annotations

from collections.abc import Sequence

from sparing.context.documents.ids import lead
from sparing.context.documents.markdown import Outline
from sparing.context.task_forms.block import TaskBlock, headings_above
from sparing.context.task_forms.items import Item
from sparing.context.task_forms.words import LABEL, RESULTS, announced, asides, is_container


def in_place(document: Outline, items: Sequence[Item]) -> list[Item]:
    """The items of a loose form that may be tasks: not beside the work, and where tasks are
    announced only those below."""
    beside = asides(document) if items else frozenset[int]()
    kept = [one for one in items if one.line not in beside]
    places = announced(document) if kept else None
    labelled = [one for one in kept if places and one.line in places.labels]
    if labelled:
        return labelled
    if places and (places.headings or places.labels):
        kept = without_results(document, kept)
    below = [one for one in kept if places and one.line in places.headings]
    others = [one for one in kept if places and one.line not in places.headings]
    if not below or any(_may_hold(document, others)):
        return kept
    return below


def without_results(document: Outline, items: Sequence[Item]) -> list[Item]:
    """Those that are not below `## Deliverables`, `**Prerequisites:**` or the like."""
    starts = {heading.line: heading.text for heading in document.headings}
    wanted = {one.line for one in items}
    kept: set[int] = set()
    outside = False
    for number, raw in enumerate(document.lines, start=1) if items else ():
        label = LABEL.fullmatch(raw.rstrip()) if number not in document.hidden else None
        if number in starts or label:
            outside = RESULTS.search(starts.get(number) or raw) is not None
        elif number in wanted and not outside:
            kept.add(number)
    return [one for one in items if one.line in kept]


def _may_hold(document: Outline, items: Sequence[Item]) -> list[bool]:
    """Whether the heading above each holds work of its own: `Phase 1`, `1. Set up`, the title."""
    above = headings_above(document, [one.line for one in items])
    return [
        head is None or head.level == 1 or is_container(head.text) or lead(head.text) is not None
        for head in above
    ]


def outranks(document: Outline, blocks: Sequence[TaskBlock], earlier: Sequence[TaskBlock]) -> bool:
    """Whether these are where the tasks are announced, and those of an earlier form are not."""
    lines = announced(document).headings
    there = all(block.first in lines for block in blocks)
    return there and 2 * len(blocks) >= len(earlier) and is_elsewhere(document, earlier)


def is_elsewhere(document: Outline, blocks: Sequence[TaskBlock]) -> bool:
    """Whether tasks are announced in the document, and none of these is there."""
    lines = announced(document).headings
    return bool(lines) and not any(block.first in lines for block in blocks)
