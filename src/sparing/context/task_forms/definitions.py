"""Tasks in a definition list: the term is an identifier, its definitions are title and fields."""

from __future__ import annotations

import re
from collections.abc import Iterator

from sparing.context.documents.fields import field_name, known
from sparing.context.documents.ids import lead
from sparing.context.documents.markdown import Outline
from sparing.context.task_forms.block import TaskBlock, group_of, headings_above, list_ends

_TERM = re.compile(r" {0,3}(?P<term>[^\s:|<>#][^\r\n:]{0,120})$")
_DEFINITION = re.compile(r" {0,3}:[ \t]+(?P<text>\S.*)$")
_LABEL = re.compile(r"[*_]{0,2}([^*_:\n]{1,48}?)[*_]{0,2}:")


def defined(document: Outline) -> tuple[TaskBlock, ...]:
    """At least two terms that begin with an identifier, or else at least two with fields."""
    rows = list(_terms(document))
    led = [row for row in rows if lead(f"{row[1]}:")]
    chosen = led if len(led) >= 2 else [row for row in rows if row[3]]
    if len(chosen) < 2:
        return ()
    above = headings_above(document, [row[0] for row in chosen])
    ends = list_ends(document, [(row[0], 0) for row in chosen])
    blocks: list[TaskBlock] = []
    for count, ((line, term, title, _), head, end) in enumerate(
        zip(chosen, above, ends, strict=True), start=1
    ):
        found = lead(f"{term}:") if chosen is led else None
        alone = found is not None and not found.title
        blocks.append(
            TaskBlock(
                ident=found.ident if found else None,
                number=found.text if found else str(count),
                title=(title if alone else found.title if found else term),
                first=line,
                last=end,
                level=7,
                group=group_of(head),
            )
        )
    return tuple(blocks)


def _terms(document: Outline) -> Iterator[tuple[int, str, str, bool]]:
    """Line, term, first definition that is not a field, and whether there are fields."""
    lines = document.lines
    number = 1
    while number < len(lines):
        term = None if number in document.hidden else _TERM.match(lines[number - 1].rstrip("\r\n"))
        number += 1
        if term is None:
            continue
        first, title, fields = number - 1, "", False
        while number <= len(lines) and number not in document.hidden:
            match = _DEFINITION.match(lines[number - 1].rstrip("\r\n"))
            if match is None:
                break
            label = _LABEL.match(match["text"])
            if label and known(field_name(label[1])):
                fields = True
            else:
                title = title or match["text"]
            number += 1
        if number > first + 1:
            yield first, term["term"].strip(" *`"), title or "", fields
