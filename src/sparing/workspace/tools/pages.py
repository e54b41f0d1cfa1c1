"""Files as a model sees them: numbered lines, in as many characters as there is room for.

Nothing is left out silently. What does not fit is named as the range to ask for next, and lines
that a diff under review touches go before all others.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import NamedTuple

CALL_CHARS = 100_000
"""Of one answer. Clients replace longer ones by a short beginning."""
FILE_CHARS = 40_000
"""Of a file for which no lines were named."""
LINE_CHARS = 1_500
"""Of a line, unless it is asked for alone."""
HEAD_CHARS = 200


class Span(NamedTuple):
    """Lines, counted from 1, both ends included."""

    first: int
    last: int


@dataclass(frozen=True, slots=True)
class FilePage:
    """A file, or lines of it, that is to be shown."""

    path: str
    total: int
    """Lines of the whole file."""
    span: Span
    ranged: bool
    lines: Mapping[int, str]
    """Those of the span, as they are shown."""
    marked: frozenset[int]
    """Lines that must not be cut."""

    @property
    def wish(self) -> int:
        size = HEAD_CHARS + _size(self.lines.values())
        if self.ranged or size <= FILE_CHARS:
            return size
        marked = HEAD_CHARS + _size(self.lines[number] for number in self.marked)
        return min(size, max(FILE_CHARS, marked))

    def shown(self, room: int) -> tuple[str, tuple[Span, ...]]:
        """The text, and which lines stand in it."""
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
    """`lines` are those of the whole file, `kept` those of it that must not be cut."""
    first, last = span
    marked = frozenset(
        number for one in kept for number in range(max(one.first, first), min(one.last, last) + 1)
    )
    alone = ranged and first == last
    shown = {
        number: f"{number}\t{line if alone or number in marked else _short(line)}"
        for number, line in enumerate(lines[first - 1 : last], first)
    }
    return FilePage(
        path=path, total=len(lines), span=span, ranged=ranged, lines=shown, marked=marked
    )


def rooms(wishes: Sequence[int], total: int = CALL_CHARS) -> list[int]:
    """Who asks for little gets it; the others share what is left evenly."""
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
    """As editors count them: what follows the last line's end is no line."""
    lines = text.replace("\r\n", "\n").split("\n")
    return lines[:-1] if lines[-1] == "" else lines


def _picked(lines: Mapping[int, str], marked: frozenset[int], room: int) -> set[int]:
    """First what must not be cut, then from the beginning on; always at least one line."""
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
