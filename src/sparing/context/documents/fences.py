"""Which lines of a markdown text are code or comment, and which are prose.

Documents written by models show other documents inside code fences, and those hold fences of
their own. CommonMark would end the outer fence at the inner one's end; here a ```` ```lang ````
line inside a fence opens a nested one. What was opened and never closed must not hide the
rest of a document: such a fence ends at the next heading of rank two or deeper, and such an
HTML comment hides only its own line.
"""

from __future__ import annotations

import re
from bisect import bisect_left
from collections.abc import Sequence
from typing import NamedTuple

_LINE = re.compile(r"[^\r\n]*(?:\r\n|\r|\n)|[^\r\n]+")
_FENCE = re.compile(r"([ \t]*(?:(?:[-*+]|\d{1,9}[.)])[ \t]+)*)(`{3,}|~{3,})([^\r\n]*)")
_DEEP_HEADING = re.compile(r" {0,3}#{2,6}[ \t]")
_RULE = "***"


class Region(NamedTuple):
    """Lines that are no prose; 0-based, `stop` is the first line after them."""

    start: int
    stop: int


class _Fence(NamedTuple):
    line: int
    prefix: str
    run: str
    info: str


class _Reading(NamedTuple):
    fences: tuple[Region, ...]
    unclosed: tuple[int, ...]
    comments: tuple[Region, ...]


class Masked(NamedTuple):
    """As many lines as before, without line ends; a fence has become a rule and blank lines."""

    lines: list[str]
    hidden: tuple[Region, ...]


def split_lines(text: str) -> tuple[str, ...]:
    r"""Lines with their ends, as markdown counts them: only \n, \r\n and \r end one."""
    return tuple(_LINE.findall(text))


def mask(lines: Sequence[str]) -> Masked:
    reading = _read(lines, nested=True)
    if reading.unclosed:
        strict = _read(lines, nested=False)
        reading = reading if strict.unclosed else strict
    fences = _with_unclosed(lines, reading)
    masked = [line.rstrip("\r\n") for line in lines]
    for start, stop in (*fences, *reading.comments):
        opener = _FENCE.match(masked[start])
        masked[start:stop] = [""] * (stop - start)
        # A rule closes and opens the same lists and quotes that the fence did.
        masked[start] = opener[1] + _RULE if opener else ""
    return Masked(masked, fences + reading.comments)


def _read(lines: Sequence[str], *, nested: bool) -> _Reading:
    """One pass over all lines with a stack of open fences."""
    ends = [number for number, line in enumerate(lines) if "-->" in line]
    stack: list[_Fence] = []
    fences: list[Region] = []
    comments: list[Region] = []
    for number, line in enumerate(lines):
        if comments and number < comments[-1].stop:
            continue
        if not stack and line.lstrip().startswith("<!--"):
            end = bisect_left(ends, number)
            last = ends[end] if end < len(ends) else number
            comments.append(Region(number, last + 1))
        elif (fence := _fence(number, line)) is not None:
            _step(stack, fences, fence, nested=nested)
    return _Reading(tuple(fences), tuple(fence.line for fence in stack), tuple(comments))


def _fence(number: int, line: str) -> _Fence | None:
    match = _FENCE.match(line)
    if match is None or (match[2][0] == "`" and "`" in match[3]):
        return None
    return _Fence(number, match[1], match[2], match[3].strip())


def _step(stack: list[_Fence], fences: list[Region], fence: _Fence, *, nested: bool) -> None:
    if not stack:
        stack.append(fence)
        return
    top = stack[-1]
    if fence.run[0] != top.run[0] or len(fence.run) < len(top.run):
        return
    if fence.info:
        if nested:
            stack.append(fence)
    elif not fence.prefix.strip():
        stack.pop()
        if not stack:
            fences.append(Region(top.line, fence.line + 1))


def _with_unclosed(lines: Sequence[str], reading: _Reading) -> tuple[Region, ...]:
    """All fences, outermost only, in order; an unclosed one ends before the next heading."""
    fences = list(reading.fences)
    covered = 0
    for opener in reading.unclosed:
        if opener < covered:
            continue
        covered = opener + 1
        while covered < len(lines) and not _DEEP_HEADING.match(lines[covered]):
            covered += 1
        fences.append(Region(opener, covered))
    return tuple(fences)
