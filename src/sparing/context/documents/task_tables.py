"""Tasks that are the rows of tables.

A table that says "task" or "step" in its head holds tasks. Where none does, one with a column of
numbers and a column of descriptions does, in a document whose headings speak of tasks. The head
also says what the other columns mean: `Files`, `Depends on`, `Design`, `Acceptance`.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import NamedTuple

from sparing.context.documents.fields import Field, field_name
from sparing.context.documents.ids import lead
from sparing.context.documents.markdown import Outline
from sparing.context.documents.task_lists import (
    TaskBlock,
    group_of,
    headings_above,
    plain_title,
)

_ROW = re.compile(r" {0,3}\|(?P<cells>[^\n]{1,4000})$")
_RULE = re.compile(r"[\s|:-]+$")
_BAR = re.compile(r"(?<!\\)\|")
_TASKS = re.compile(r"\btasks?\b|\bsteps?\b|\bto.?do\b", re.IGNORECASE)
_NUMBER = re.compile(r"#|n[or]\.?|id|number|(?:task|step) ?(?:id|#|no\.?|number)?", re.IGNORECASE)
_TITLE = re.compile(
    r"tasks?|steps?|title|name|description|what|work|summary|deliverable|to.?do", re.IGNORECASE
)


class _Table(NamedTuple):
    head: tuple[str, ...]
    rows: tuple[tuple[int, tuple[str, ...]], ...]
    """Line and cells of each."""

    @property
    def says_tasks(self) -> bool:
        return any(_TASKS.search(cell) for cell in self.head)

    @property
    def looks_like_tasks(self) -> bool:
        return self._column(_NUMBER) is not None and self._column(_TITLE) is not None

    def _column(self, pattern: re.Pattern[str], other_than: int | None = None) -> int | None:
        for place, cell in enumerate(self.head):
            if place != other_than and pattern.fullmatch(cell):
                return place
        return None

    @property
    def number_column(self) -> int:
        """The first that is called so and whose cells are identifiers, or else the first."""
        for place, cell in enumerate(self.head):
            if _NUMBER.fullmatch(cell) and any(lead(f"{row[place]}:") for _, row in self.rows):
                return place
        return 0

    @property
    def title_column(self) -> int:
        number = self.number_column
        named = self._column(_TITLE, other_than=number)
        return named if named is not None else min(number + 1, len(self.head) - 1)


def tabled(document: Outline) -> Iterator[TaskBlock]:
    tables = list(_tables(document))
    said = [table for table in tables if table.says_tasks]
    if not said and any(_TASKS.search(heading.text) for heading in document.headings):
        said = [table for table in tables if table.looks_like_tasks]
    blocks = [block for table in said for block in _blocks(document, table)]
    yield from blocks or _uncounted(document, said)


def _blocks(document: Outline, table: _Table) -> Iterator[TaskBlock]:
    number, title = table.number_column, table.title_column
    above = headings_above(document, (line for line, _ in table.rows))
    for (line, cells), heading in zip(table.rows, above, strict=True):
        found = lead(f"{cells[number].strip('`')}: {cells[title]}")
        if found and number != title:
            yield TaskBlock(
                ident=found.ident, number=found.text, title=plain_title(found.title),
                first=line, last=line, level=7, group=group_of(heading),
                cells=_fields(table.head, cells),
            )  # fmt: skip


def _uncounted(document: Outline, tables: Sequence[_Table]) -> Iterator[TaskBlock]:
    """Rows without numbers, counted."""
    rows = [
        (table, line, cells)
        for table in tables
        for line, cells in table.rows
        if cells[_named_or_first(table)]
    ]
    above = headings_above(document, (line for _, line, _ in rows))
    for count, ((table, line, cells), heading) in enumerate(zip(rows, above, strict=True), 1):
        yield TaskBlock(
            ident=None, number=str(count), title=plain_title(cells[_named_or_first(table)]),
            first=line, last=line, level=7, group=group_of(heading),
            cells=_fields(table.head, cells),
        )  # fmt: skip


def _named_or_first(table: _Table) -> int:
    named = [place for place, cell in enumerate(table.head) if _TASKS.fullmatch(cell)]
    return named[0] if named else 0


def _fields(head: Sequence[str], cells: Sequence[str]) -> tuple[Field, ...]:
    pairs = zip(head, cells, strict=False)
    return tuple(Field(field_name(name), cell) for name, cell in pairs if cell)


def _tables(document: Outline) -> Iterator[_Table]:
    lines: list[tuple[int, tuple[str, ...]]] = []
    for number, line in enumerate(document.lines, start=1):
        match = None if number in document.hidden else _ROW.match(line.rstrip("\r\n"))
        if match is None:
            yield from _table(lines)
            lines = []
        else:
            lines.append((number, _cells(match["cells"])))
    yield from _table(lines)


def _table(lines: Sequence[tuple[int, tuple[str, ...]]]) -> Iterator[_Table]:
    if len(lines) > 2 and _RULE.match("".join(lines[1][1])):
        head = lines[0][1]
        gap = ("",) * len(head)
        yield _Table(head, tuple((n, (*cells, *gap)[: len(head)]) for n, cells in lines[2:]))


def _cells(row: str) -> tuple[str, ...]:
    pieces = _BAR.split(row.rstrip().removesuffix("|"))
    return tuple(re.sub(r"^\*\*(.*)\*\*$", r"\1", piece.strip()) for piece in pieces)
