"""Tasks without the titles and groups above them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from itertools import zip_longest

from sparing.context.documents.fields import known, read_fields
from sparing.context.documents.markdown import Outline
from sparing.context.task_forms.block import TaskBlock


def leaves(document: Outline, blocks: Sequence[TaskBlock]) -> tuple[TaskBlock, ...]:
    """End each task where the next one begins; drop groups, which only contain other tasks."""
    blocks = _whole(blocks)
    kept: list[TaskBlock] = []
    for block, following in zip_longest(blocks, blocks[1:]):
        if following is None:
            kept.append(block)
        elif following.first > block.last:
            if not _empty_group(document, block, following):
                kept.append(block)
        else:
            own = replace(block, last=following.first - 1)
            if not _only_groups(document, own, following):
                kept.append(own)
    return tuple(kept)


def _whole(blocks: Sequence[TaskBlock]) -> Sequence[TaskBlock]:
    """`1.0 Store` and then `1.1 …`, `1.2 …`: a number that ends in zero is a task, and those after
    it are its steps. One such number alone is only odd."""
    places = [place for place, block in enumerate(blocks) if _is_zero(block)]
    if len(places) < 2 or places[0] != 0:
        return blocks
    found: list[TaskBlock] = []
    for start, stop in zip_longest(places, places[1:], fillvalue=len(blocks)):
        last = max(block.last for block in blocks[start:stop])
        found.append(replace(blocks[start], last=last))
    return found


def _is_zero(block: TaskBlock) -> bool:
    head, dot, tail = block.ident.token.rpartition(".") if block.ident else ("", "", "")
    return bool(dot) and head.isdigit() and tail == "0"


def _empty_group(document: Outline, block: TaskBlock, following: TaskBlock) -> bool:
    """`2. Renderers` and then, at the same rank, `2.1 …`: the first says nothing of its own."""
    if block.ident is None or following.ident is None:
        return False
    inner = following.ident.extends(block.ident) and "." in following.ident.token
    return inner and not document.slice(block.first + 1, block.last).strip()


def _only_groups(document: Outline, block: TaskBlock, inner: TaskBlock) -> bool:
    if block.level == 1 and block.first == document.headings[0].line:
        return True  # the document's title, as in `Tasks: 038 — …`
    if block.ident is None or inner.ident is None or not inner.ident.extends(block.ident):
        return False
    return not any(known(item.name) for item in read_fields(document, block.first + 1, block.last))
