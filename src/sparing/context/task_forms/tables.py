"""Tasks that are the rows of tables.

A table with "task" or "step" in its header holds tasks. If there is none, one with a column of
numbers and a column of descriptions does, in a document whose headings are about tasks. The header
also tells what the other columns mean: `Files`, `Depends on`, `Design`, `Acceptance`.
"""

from __future__ import annotations

import re
from bisect import bisect_left, bisect_right
from collections.abc import Iterator, Sequence, Set
from typing import NamedTuple

from sparing.context.documents.fields import PLACES, TASK_FIELDS, Field, field_name
from sparing.context.documents.ids import lead
from sparing.context.documents.markdown import Outline
from sparing.context.task_forms.block import TaskBlock, group_of, headings_above
from sparing.context.task_forms.dropped_tasks import is_dropped
from sparing.context.task_forms.items import STATES, plain_spaces
from sparing.context.task_forms.words import TASKS, is_aside

_LONGEST_ROW = 4_000
_RULE = re.compile(r"[ \t|:]*-[ \t|:-]*")
_STATE = re.compile(rf"(?:\[[ xX~/>✓✔-]?\]|[{STATES}]\ufe0f?)")
_BAR = re.compile(r"(?<!\\)\|")
_NUMBER = re.compile(
    r"#|№|n[ro°º]\.?|id|key|number|ref|nummer|kürzel|numéro|número|núm\.?|номер|编号|序号|番号|번호"
    r"|(?:task|step|issue|ticket|story|aufgabe|tâche|tarea|tarefa|задача|任务|タスク)"
    r" ?-?(?:id|#|no\.?|number|nr\.?|编号|番号)?",
    re.IGNORECASE,
)
_TITLE = re.compile(
    r"tasks?|steps?|title|name|description|what|work|work item|summary|deliverable|to.?do|item"
    r"|subject|action|aufgaben?|titel|beschreibung|bezeichnung|was|tâches?|titre|intitulé"
    r"|description de la tâche|tareas?|título|descripción|tarefas?|descrição|attività|titolo"
    r"|taak|omschrijving|задач[аи]|название|описание|任务|标题|描述|内容|タスク|作業|件名|작업|제목",
    re.IGNORECASE,
)


_NAMES = re.compile(r"(?:[\s,;/&+–—-](?!\d)|\b(?:and|none|n/a)\b)+", re.IGNORECASE)
_OTHER = frozenset({"risk", "risks", "likelihood", "impact", "mitigation", "question", "answer"})


class _Table(NamedTuple):
    head: tuple[str, ...]
    rows: tuple[tuple[int, tuple[str, ...]], ...]
    """Line and cells of each."""

    @property
    def says_tasks(self) -> bool:
        return any(TASKS.search(cell) for cell in self.head)

    @property
    def looks_like_tasks(self) -> bool:
        """A column of descriptions, and one of numbers or one that only tasks have."""
        if self.names_its_rows:
            return True
        title = self._column(_TITLE)
        names = {field_name(cell) for cell in self.head}
        states = bool(names & TASK_FIELDS) or (bool(names & PLACES) and not names & _OTHER)
        return title is not None and (self._column(_NUMBER, title) is not None or states)

    @property
    def names_its_rows(self) -> bool:
        """Whether another column only names identifiers of the first, as one of dependencies does,
        whatever the columns are called."""
        own = [cells[0].strip("`") for _, cells in self.rows]
        known = set(own)
        if len(known) < len(own) or len(own) < 2 or not all(lead(f"{one}:") for one in own):
            return False
        return len(self.head) > 2 and any(
            _only_names(known, [cells[place] for _, cells in self.rows])
            for place in range(1, len(self.head))
        )

    def _column(self, pattern: re.Pattern[str], other_than: int | None = None) -> int | None:
        for place, cell in enumerate(self.head):
            if place != other_than and pattern.fullmatch(cell):
                return place
        return None

    @property
    def number_column(self) -> int:
        """The first one with such a name whose cells are identifiers, or else the first column."""
        for place, cell in enumerate(self.head):
            if _NUMBER.fullmatch(cell) and any(lead(f"{row[place]}:") for _, row in self.rows):
                return place
        return 0

    @property
    def title_column(self) -> int:
        number = self.number_column
        named = self._column(_TITLE, other_than=number)
        return named if named is not None else min(number + 1, len(self.head) - 1)


def tabled(document: Outline) -> tuple[TaskBlock, ...]:
    """Rows with numbers, where most have one; a number that a later table repeats is only named
    there, as in a list of what is blocked."""
    said = _task_tables(document)
    found: list[TaskBlock] = []
    rows = 0
    for table in said:
        blocks = tuple(_blocks(document, table))
        before = {block.number for block in found}
        found.extend(block for block in blocks if block.number not in before)
        rows += len(table.rows) - sum(block.number in before for block in blocks)
    return tuple(found) if 2 * len(found) >= rows else ()


def fill(rows: Sequence[TaskBlock], blocks: Sequence[TaskBlock]) -> bool:
    """Whether most of these blocks hold rows of the tables: then they are groups of tasks."""
    lines = sorted(row.first for row in rows)
    holding = sum(
        bisect_left(lines, block.first) < bisect_right(lines, block.last) for block in blocks
    )
    return len(rows) >= 2 and 2 * holding > len(blocks)


def holds(blocks: Sequence[TaskBlock], inner: Sequence[TaskBlock]) -> bool:
    """Whether there are inner blocks and every one begins inside one of these: they are steps."""
    starts = [block.first for block in blocks]
    places = [bisect_right(starts, one.first) - 1 for one in inner]
    return bool(blocks and inner) and all(
        place >= 0 and one.first <= blocks[place].last
        for place, one in zip(places, inner, strict=True)
    )


def uncounted(document: Outline) -> tuple[TaskBlock, ...]:
    """All rows, numbered by their position."""
    return tuple(_uncounted(document, _task_tables(document)))


def _task_tables(document: Outline) -> list[_Table]:
    tables = list(_tables(document))
    said = [table for table in tables if table.says_tasks]
    if not said:
        above = headings_above(document, [table.rows[0][0] for table in tables])
        said = [
            table
            for table, head in zip(tables, above, strict=True)
            if table.looks_like_tasks and not (head and is_aside(head.text))
        ]
    return said


def _blocks(document: Outline, table: _Table) -> Iterator[TaskBlock]:
    number, title = table.number_column, table.title_column
    above = headings_above(document, (line for line, _ in table.rows))
    for (line, cells), heading in zip(table.rows, above, strict=True):
        found = lead(f"{cells[number].strip('`')}: {cells[title]}")
        if found and number != title and not is_dropped(cells[title], found.title):
            yield TaskBlock(
                ident=found.ident, number=found.text, title=found.title,
                first=line, last=line, level=7, group=group_of(heading),
                cells=_fields(table.head, cells), mark=_mark(cells),
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
            ident=None, number=str(count), title=cells[_named_or_first(table)],
            first=line, last=line, level=7, group=group_of(heading),
            cells=_fields(table.head, cells), mark=_mark(cells),
        )  # fmt: skip


def _named_or_first(table: _Table) -> int:
    for form in (TASKS, _TITLE):
        for place, cell in enumerate(table.head):
            if form.fullmatch(cell):
                return place
    return 0


def _only_names(known: Set[str], cells: Sequence[str]) -> bool:
    """At least one cell names others, and the rest are empty."""
    named = [[one for one in _NAMES.split(cell.strip("`")) if one] for cell in cells]
    return any(named) and all(one in known for names in named for one in names)


def _mark(cells: Sequence[str]) -> str:
    """The box in a column of its own."""
    return next((cell for cell in cells if _STATE.fullmatch(cell)), "")


def _fields(head: Sequence[str], cells: Sequence[str]) -> tuple[Field, ...]:
    pairs = zip(head, cells, strict=False)
    return tuple(Field(field_name(name), cell) for name, cell in pairs if cell)


def _tables(document: Outline) -> Iterator[_Table]:
    """Head, rule, rows; the bars at the ends of a line may be missing."""
    shown = [
        "" if number in document.hidden else plain_spaces(line)
        for number, line in enumerate(document.lines, start=1)
    ]
    place = 1
    while place < len(shown):
        if "|" in shown[place - 1] and _RULE.fullmatch(shown[place]) and "|" in shown[place]:
            head = _cells(shown[place - 1])
            gap = ("",) * len(head)
            rows: list[tuple[int, tuple[str, ...]]] = []
            place += 1
            while place < len(shown) and "|" in shown[place]:
                rows.append((place + 1, (*_cells(shown[place]), *gap)[: len(head)]))
                place += 1
            if rows:
                yield _Table(head, tuple(rows))
        place += 1


def _cells(row: str) -> tuple[str, ...]:
    pieces = _BAR.split(row[:_LONGEST_ROW].strip().removeprefix("|").removesuffix("|"))
    return tuple(re.sub(r"^\*\*(.*)\*\*$", r"\1", piece.strip()) for piece in pieces)
