"""The items of a document's lists, read once: bullets, numbers, boxes and bold paragraphs.

An item's text may begin with a box (`[x]`, ☐, ✅) or a word for its state (`TODO`). A line that is
indented so far that markdown takes it for code is not an item.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Iterator, Sequence
from typing import NamedTuple

from sparing.context.documents.markdown import Outline
from sparing.context.task_forms.words import is_container

STATES = "☐☑☒⬜✅✔🔲🔳🟩🟨🟥⏳🚧🔄□■◻◼"
_SPACES = str.maketrans(dict.fromkeys("\u00a0\u2007\u202f\u3000", " "))
_ITEM = re.compile(
    r"(?P<indent>[ \t]{0,40})"
    r"(?:(?P<bullet>[-*+•◦‣→▶►▪●○·]|\*{2,6}(?= (?:TODO|DONE)\b))[ \t]+"
    r"|(?P<number>\d{1,4}(?:\.\d{1,4}){1,4}[.)]?|\d{1,4}[.)、]|[A-Za-z][.)])[ \t]+)?"
    rf"(?P<box>\[[ xX~/>✓✔✗.-]?\](?P<starred>\*?)(?=\s|\*\*)[ \t]*"
    rf"|[{STATES}]\ufe0f?[ \t]*|(?:TODO|DONE|DOING|WIP|NEXT|WAITING)\b:?[ \t]+)?"
    r"(?P<text>\S.*)"
)
_BOLD = re.compile(r"\*\*[^*\s]|__[^_\s]")
_COMMENT = re.compile(r"<!--.{0,200}?-->")
_GOES_ON = re.compile(r"[ \t]+[^\W\d_A-Z][^:\n]{2,}$")
_ENDS = (".", ":", ";", "!", "?", ")", "_")
_MOST_LINES = 4
_CODE_INDENT = 4
_OUTERMOST = 2


class Item(NamedTuple):
    line: int
    indent: int
    """In columns; tab stops are every four columns."""
    marker: str
    """Its bullet or number; empty for a paragraph that begins with a box or in bold."""
    box: str
    """As written; empty if it has none."""
    text: str

    @property
    def number(self) -> str:
        """`1.2` of the marker `1.2.`; empty for a bullet."""
        return self.marker.rstrip(".)、") if self.marker[:1].isalnum() else ""


def plain_spaces(line: str) -> str:
    """The same line with ordinary spaces and without its end."""
    return line.rstrip("\r\n").translate(_SPACES)


def list_items(document: Outline) -> tuple[Item, ...]:
    return tuple(_items(document))


def _items(document: Outline) -> Iterator[Item]:
    headings = {heading.line for heading in document.headings}
    open_items: list[tuple[int, int]] = []
    after_item = False
    for number, raw in enumerate(document.lines, start=1):
        if number in document.hidden:
            after_item = False
            continue
        line = plain_spaces(raw)
        if number in headings:
            open_items.clear()
        match = None if number in headings else _ITEM.match(line)
        item = _item(number, match) if match else None
        if item is None or match is None:
            after_item = after_item and bool(line.strip())
            continue
        while open_items and open_items[-1][0] >= item.indent:
            open_items.pop()
        inner = open_items[-1][1] if open_items else 0
        if open_items and not after_item and item.indent >= inner + _CODE_INDENT:
            continue
        if item.marker:
            open_items.append((item.indent, item.indent + len(item.marker) + 1))
        after_item = True
        yield item


def _item(number: int, match: re.Match[str]) -> Item | None:
    marker = match["bullet"] or match["number"] or ""
    box = (match["box"] or "").strip()
    if not marker and not (box and not box.isalpha()) and not _BOLD.match(match["text"]):
        return None
    indent = len(match["indent"].expandtabs(4))
    text = match["text"].rstrip()
    return Item(number, indent, marker, box, text)


def below_groups(boxes: Sequence[Item]) -> list[Item]:
    """The outermost boxes; where these only name groups, as `Planning` and `Implementation` do,
    those one level below them."""
    margin = min((one.indent for one in boxes), default=0) + _OUTERMOST
    outer = [one for one in boxes if one.indent < margin]
    inner = [one for one in boxes if one.indent >= margin]
    holding = _holding(outer, inner)
    least = min((one.indent for one in inner), default=0)
    nested = [one for one in inner if one.indent == least]
    named = all(is_name_of_group(one.text) for one in holding)
    if not holding or not named or any(is_name_of_group(one.text) for one in nested):
        return outer
    return sorted([*(one for one in outer if one not in holding), *nested])


def _holding(outer: Sequence[Item], inner: Sequence[Item]) -> frozenset[Item]:
    """The outer boxes below which there are others, if that is at least two and more than half."""
    lines = [one.line for one in outer]
    places = {bisect_right(lines, one.line) - 1 for one in inner}
    found = frozenset(outer[place] for place in places if place >= 0)
    return found if len(found) >= 2 and 2 * len(found) > len(outer) else frozenset()


def is_name_of_group(text: str) -> bool:
    """`Planning`, `Phase 2: Storage`: it says no work."""
    plain = _COMMENT.sub("", text).strip(" *_:")
    return " " not in plain or is_container(plain)


def wrapped(document: Outline, item: Item, title: str) -> str:
    """The title with the lines on which its sentence goes on: indented, in lower case."""
    for number in range(item.line + 1, item.line + _MOST_LINES):
        line = plain_spaces(document.lines[number - 1]) if number <= len(document.lines) else ""
        goes_on = _GOES_ON.match(line) and not title.rstrip().endswith(_ENDS)
        if number in document.hidden or not goes_on:
            break
        title = f"{title.rstrip()} {line.strip()}"
    return title
