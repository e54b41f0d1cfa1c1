"""Tasks that are written as plain lines in a code block: `Task 1: …`, as plans for prompts do.

What is in a code block is an example, unless the heading above announces the tasks and the lines
count them.
"""

from __future__ import annotations

import re

from sparing.context.documents.ids import ident
from sparing.context.documents.markdown import Outline
from sparing.context.task_forms.block import TaskBlock, group_of, headings_above
from sparing.context.task_forms.data import Fenced, fences
from sparing.context.task_forms.words import announced

_LANGUAGES = frozenset({"", "text", "txt", "yaml", "yml", "markdown", "md"})
_LINE = re.compile(
    r"^(?:task|step) (?P<number>\d{1,3}(?:\.\d{1,3})?)[ \t]*[:.)—–-][ \t]*(?P<title>[^\n]*)",
    re.IGNORECASE | re.MULTILINE,
)


def fenced(document: Outline) -> tuple[TaskBlock, ...]:
    """At least two such lines in one block."""
    lines = announced(document).headings
    found: list[TaskBlock] = []
    for one in fences(document, _LANGUAGES) if lines else ():
        rows = list(_LINE.finditer(one.text)) if one.first in lines else []
        if len(rows) >= 2:
            found.extend(_blocks(document, one, rows))
    return tuple(found)


def _blocks(document: Outline, text: Fenced, rows: list[re.Match[str]]) -> list[TaskBlock]:
    starts = [text.first + text.text.count("\n", 0, row.start()) for row in rows]
    last = text.first + text.text.count("\n") - 1
    ends = [*(start - 1 for start in starts[1:]), last]
    above = headings_above(document, starts)
    return [
        TaskBlock(
            ident=ident("", row["number"]),
            number=row["number"],
            title=row["title"].strip() or _next_line(document, first, end),
            first=first,
            last=end,
            level=7,
            group=group_of(heading),
        )
        for row, first, end, heading in zip(rows, starts, ends, above, strict=True)
    ]


def _next_line(document: Outline, first: int, last: int) -> str:
    below = (document.lines[number - 1].strip(" \t\r\n:-") for number in range(first + 1, last + 1))
    return next((line for line in below if line), "")
