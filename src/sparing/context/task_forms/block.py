"""One task's place in a document, whatever form states it."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from sparing.context.documents.fields import Field
from sparing.context.documents.ids import Ident
from sparing.context.documents.markdown import Heading, Outline


@dataclass(frozen=True, slots=True)
class TaskBlock:
    ident: Ident | None
    number: str
    title: str
    first: int
    last: int
    """1-based lines, both included."""
    level: int
    group: str
    """The heading above, if there is one below the document's title."""
    cells: tuple[Field, ...] = ()
    """Fields from the columns of a table or the keys of an object."""
    mark: str = ""
    """What its box or its heading says of its state, as written."""


def headings_above(document: Outline, numbers: Iterable[int]) -> list[Heading | None]:
    """The heading that each of these lines is under; the lines are in ascending order."""
    found: list[Heading | None] = []
    position = 0
    for number in numbers:
        while position < len(document.headings) and document.headings[position].line < number:
            position += 1
        found.append(document.headings[position - 1] if position else None)
    return found


def group_of(heading: Heading | None) -> str:
    return heading.text if heading and heading.level > 1 else ""


def parents_of(headings: Sequence[Heading]) -> dict[int, Heading | None]:
    """The heading above each heading, by line."""
    stack: list[Heading] = []
    found: dict[int, Heading | None] = {}
    for heading in headings:
        while stack and stack[-1].level >= heading.level:
            stack.pop()
        found[heading.line] = stack[-1] if stack else None
        stack.append(heading)
    return found


def list_ends(document: Outline, items: Sequence[tuple[int, int]]) -> list[int]:
    """The last line of each item (line and indent): before the next heading and the next item
    that is not nested in it."""
    borders = [(heading.line, -1) for heading in document.headings] + list(items)
    ends: dict[int, int] = {}
    unfinished: list[tuple[int, int]] = []
    for number, indent in sorted(borders):
        while unfinished and unfinished[-1][1] >= indent:
            ends[unfinished.pop()[0]] = number - 1
        if indent >= 0:
            unfinished.append((number, indent))
    return [ends.get(number, len(document.lines)) for number, _ in items]
