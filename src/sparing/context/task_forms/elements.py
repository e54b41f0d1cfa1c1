"""Tasks as elements: `<task id="1"><name>…</name><files>…</files></task>`.

Nothing is parsed as XML: tags are searched for line by line, so that no entity is ever expanded.
"""

from __future__ import annotations

import re
from bisect import bisect_left
from collections.abc import Iterator

from sparing.context.documents.fields import Field, field_name
from sparing.context.documents.ids import lead
from sparing.context.documents.markdown import Outline
from sparing.context.task_forms.block import TaskBlock, group_of, headings_above

_OPEN = re.compile(
    r"[ \t]{0,40}<(?P<name>task|todo|story)(?P<attributes>(?:\s[^<>]{0,400}?)?)(?P<empty>/?)>",
    re.IGNORECASE,
)
_ATTRIBUTE = re.compile(r"([\w:-]{1,40})\s?=\s?(?:\"([^\"\n]{0,400})\"|'([^'\n]{0,400})')")
_CHILD_OPEN = re.compile(r"<(?P<name>[A-Za-z][\w-]{0,40})(?:\s[^<>]{0,200})?>")
_CHILD_END = re.compile(r"</([A-Za-z][\w-]{0,40})>")
_TITLES = ("name", "title", "summary", "subject", "description")
_MOST_TEXT = 20_000


def elements(document: Outline) -> tuple[TaskBlock, ...]:
    rows = list(_rows(document))
    above = headings_above(document, [first for first, _, _ in rows])
    blocks: list[TaskBlock] = []
    for count, ((first, last, match), heading) in enumerate(zip(rows, above, strict=True), start=1):
        text = document.slice(first, last)
        fields = {
            **{field_name(name): one or two for name, one, two in _attributes(match)},
            **dict(_children(text[match.end() : match.end() + _MOST_TEXT])),
        }
        title = next((fields[name] for name in _TITLES if fields.get(name)), "")
        found = lead(title)
        number = fields.get("id") or (found.text if found else "") or str(count)
        blocks.append(
            TaskBlock(
                ident=found.ident if found else None,
                number=number.strip(),
                title=found.title if found and not fields.get("id") else title or number,
                first=first,
                last=last,
                level=7,
                group=group_of(heading),
                cells=tuple(Field(name, value) for name, value in fields.items()),
            )
        )
    return tuple(blocks)


def _attributes(match: re.Match[str]) -> list[tuple[str, str, str]]:
    return _ATTRIBUTE.findall(match["attributes"])


def _rows(document: Outline) -> Iterator[tuple[int, int, re.Match[str]]]:
    """First and last line of each outermost task, and its opening tag."""
    opened: tuple[int, re.Match[str]] | None = None
    for number, line in enumerate(document.lines, start=1):
        if number in document.hidden:
            continue
        if opened is None:
            match = _OPEN.match(line)
            if match is None:
                continue
            opened = (number, match)
        name = opened[1]["name"].casefold()
        if (opened[0] == number and opened[1]["empty"]) or f"</{name}" in line.casefold():
            yield opened[0], number, opened[1]
            opened = None


def _children(text: str) -> Iterator[tuple[str, str]]:
    """The elements inside, each with its text; one without an end is left out."""
    ends: dict[str, list[int]] = {}
    for match in _CHILD_END.finditer(text):
        ends.setdefault(match[1].casefold(), []).append(match.start())
    position = 0
    while match := _CHILD_OPEN.search(text, position):
        name, position = match["name"].casefold(), match.end()
        later = ends.get(name, [])
        place = bisect_left(later, position)
        if place < len(later):
            yield field_name(name), text[position : later[place]].strip()
            position = later[place]
