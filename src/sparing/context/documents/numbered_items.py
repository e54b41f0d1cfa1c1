"""Numbered items that stand for sections: `1. **Rubric** — …`, `**Task 3a: Failing test**`.

Many plans have headings for phases only and count the steps below them. An item is taken for a
section if its title is bold and something is said below it. One of a list ends where the list is
no longer indented, a paragraph at the next one that begins with a number in bold.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import NamedTuple

from sparing.context.documents.ids import lead
from sparing.context.documents.markdown import Heading, Outline

_LEVEL = 7
"""Below every heading."""
_ITEM = re.compile(
    r" {0,3}(?P<bullet>[-*+] {1,3})?(?:\[[ xX]\] )?"
    r"(?:(?P<number>\d{1,3})[.)] {1,3}(?P<title>\*\*[^*\n]{2,160}\*\*[^\n]{0,300})"
    r"|\*\*(?P<bold>[^*\n]{1,160})\*\*(?P<rest>[^\n]{0,300}))$"
)
_RULE = re.compile(r" {0,3}(?:-{3,}|\*{3,}|_{3,})[ \t]*$")


class _Item(NamedTuple):
    line: int
    text: str
    listed: bool
    """False for a paragraph, below which lists are not indented."""


def numbered_items(document: Outline) -> Iterator[Heading]:
    """Each as a heading of a rank below all others."""
    starts = {heading.line for heading in document.headings}
    item: _Item | None = None
    last = 0
    for number, raw in enumerate(document.lines, start=1):
        line = raw.rstrip("\r\n")
        shown = number not in document.hidden
        following = _read(number, line) if shown and number not in starts else None
        if item and following and following.listed and not item.listed:
            following = None  # a step of the paragraph
        ended = number in starts or (shown and _ends(line, item))
        if item and (following or ended):
            yield from _section(item, last)
            item = None
        item = following or item
        last = number if line.strip() else last
    if item:
        yield from _section(item, last)


def _read(number: int, line: str) -> _Item | None:
    match = _ITEM.match(line)
    if match is None:
        return None
    if match["number"]:
        return _Item(number, f"{match['number']}. {match['title'].replace('**', '')}", listed=True)
    found = lead(f"{match['bold']}{match['rest']}")
    if found is None or not found.separated or (found.ident.plain and not found.ident.label):
        return None
    return _Item(number, f"{match['bold']}{match['rest']}", listed=match["bullet"] is not None)


def _ends(line: str, item: _Item | None) -> bool:
    if item is None or not line.strip():
        return False
    return _RULE.match(line) is not None or (item.listed and not line.startswith(("  ", "\t")))


def _section(item: _Item, last: int) -> Iterator[Heading]:
    if last > item.line:
        yield Heading(_LEVEL, item.text, item.line, last)
