"""Items of milestones: `## M1: Prototype` and below it boxes, numbers or bullets.

A milestone may be the work itself; where all hold lists, the lists are the work, whatever form
each is in.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Sequence

from sparing.context.documents.fields import TASK_FIELDS, read_fields
from sparing.context.documents.markdown import Outline
from sparing.context.task_forms.block import TaskBlock
from sparing.context.task_forms.items import Item
from sparing.context.task_forms.lists import listed_items

_MILESTONE = re.compile(r"m-?\d{1,2}$")


def held_by_milestones(
    document: Outline, blocks: Sequence[TaskBlock], items: Sequence[Item]
) -> tuple[TaskBlock, ...]:
    """The items of all milestones; none if some of these blocks are not milestones, hold no list
    or no boxes at all, or state fields of a task. They are counted through."""
    if not blocks or not all(one.ident and _MILESTONE.match(one.ident.token) for one in blocks):
        return ()
    chosen: list[Item] = []
    lines = [one.line for one in items]
    for block in blocks:
        own = items[bisect_right(lines, block.first) : bisect_right(lines, block.last)]
        inside = [one for one in own if one.marker]
        boxes = [one for one in inside if one.box] or inside
        least = min((one.indent for one in boxes), default=0)
        if not boxes or _states(document, block):
            return ()
        chosen.extend(one._replace(marker="-") for one in boxes if one.indent == least)
    return listed_items(document, chosen) if any(one.box for one in chosen) else ()


def _states(document: Outline, block: TaskBlock) -> bool:
    fields = read_fields(document, block.first + 1, block.last)
    return any(field.name in TASK_FIELDS for field in fields)
