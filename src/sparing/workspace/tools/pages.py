"""Files as a model sees them: with line numbers, within a limit of characters.

A number costs as much as a word and is sent again with every call, so one line in five has its
number, and the first and the last that are shown (design/0108).

Nothing is left out silently. What does not fit is named as the range to ask for next, and lines
touched by a diff under review take precedence.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import NamedTuple

CALL_CHARS = 100_000
"""Characters of one answer. Clients replace longer ones by a short excerpt."""
FILE_CHARS = 40_000
"""Characters of a file for which no lines were named."""
LINE_CHARS = 1_500
"""Characters of a line, unless it is requested alone."""
HEAD_CHARS = 200
NUMBERED_EVERY = 5
_LIKE_OURS = re.compile(r"\d+\t|== |\[")
"""Beginnings of lines that could be taken for a number, a heading or a note of an answer."""


class Span(NamedTuple):
    """A range of lines, counted from 1, both ends included."""

    first: int
    last: int


@dataclass(frozen=True, slots=True)
class FilePage:
    """A file, or a range of its lines, to be shown."""

    path: str
    total: int
    """How many lines the whole file has."""
    span: Span
    ranged: bool
    lines: Mapping[int, str]
    """The lines of the span, as they are shown."""
    marked: frozenset[int]
    """Numbers of lines that must not be cut."""

    @property
    def wish(self) -> int:
        size = HEAD_CHARS + _size(self.lines.values())
        if self.ranged or size <= FILE_CHARS:
            return size
        marked = HEAD_CHARS + _size(self.lines[number] for number in self.marked)
        return min(size, max(FILE_CHARS, marked))

    def shown(self, room: int) -> tuple[str, tuple[Span, ...]]:
        """The text, and which lines it contains."""
        picked = _picked(self.lines, self.marked, room - HEAD_CHARS)
        spans = tuple(spans_of(sorted(picked)))
        parts = [f"== {self.path}, {_counted(self.span, self.total)}"]
        reached = self.span.first - 1
        for span in spans:
            parts += [*self._gap(reached + 1, span.first - 1)]
            parts += [self.lines[number] for number in range(span.first, span.last + 1)]
            reached = span.last
        parts += [*self._gap(reached + 1, self.span.last)]
        return "\n".join(parts), spans

    def _gap(self, first: int, last: int) -> Iterator[str]:
        if first <= last:
            yield f"[lines {first}-{last} are not shown: read {self.path}:{first}-{last}]"


def page_of(
    path: str, lines: Sequence[str], span: Span, kept: Sequence[Span] = (), *, ranged: bool = False
) -> FilePage:
    """Make a page; `lines` are those of the whole file, `kept` the spans that must not be cut."""
    first, last = span
    marked = frozenset(
        number for one in kept for number in range(max(one.first, first), min(one.last, last) + 1)
    )
    alone = ranged and first == last
    starts = {first, last, *(number for number in marked if number - 1 not in marked)}
    shown: dict[int, str] = {}
    for number, line in enumerate(lines[first - 1 : last], first):
        text = line if alone or number in marked else _short(line)
        named = number in starts or not number % NUMBERED_EVERY or _LIKE_OURS.match(line)
        shown[number] = f"{number}\t{text}" if named else text
    return FilePage(
        path=path, total=len(lines), span=span, ranged=ranged, lines=shown, marked=marked
    )


def rooms(wishes: Sequence[int], total: int = CALL_CHARS) -> list[int]:
    """Divide the room: small wishes are met, the others share the rest evenly."""
    given = [0] * len(wishes)
    waiting = sorted(range(len(wishes)), key=lambda place: wishes[place])
    while waiting:
        place = waiting.pop(0)
        given[place] = min(wishes[place], total // (len(waiting) + 1))
        total -= given[place]
    return given


def spans_of(numbers: Iterable[int]) -> Iterator[Span]:
    """Sorted numbers as ranges."""
    listed = list(numbers)
    if not listed:
        return
    breaks = [place for place, (a, b) in enumerate(pairwise(listed), 1) if b != a + 1]
    for start, end in pairwise((0, *breaks, len(listed))):
        yield Span(listed[start], listed[end - 1])


def split_lines(text: str) -> list[str]:
    """Lines as editors count them: nothing follows a final line break."""
    lines = text.replace("\r\n", "\n").split("\n")
    return lines[:-1] if lines[-1] == "" else lines


def _picked(lines: Mapping[int, str], marked: frozenset[int], room: int) -> set[int]:
    """Choose lines: first those that must not be cut, then from the start; at least one."""
    picked: set[int] = set()
    for number in (*sorted(marked), *(n for n in lines if n not in marked)):
        room -= len(lines[number]) + 1
        if room < 0 and picked:
            break
        picked.add(number)
    return picked


def _size(lines: Iterable[str]) -> int:
    return sum(len(line) + 1 for line in lines)


def _short(line: str) -> str:
    if len(line) <= LINE_CHARS:
        return line
    return f"{line[:LINE_CHARS]} [… {len(line) - LINE_CHARS} more characters; read this line alone]"


def _counted(span: Span, total: int) -> str:
    whole = span == Span(1, total)
    return f"{total} lines" if whole else f"lines {span.first}-{span.last} of {total}"
