"""Markdown as headings and the exact text under them.

Positions come from markdown-it-py, so that setext headings, lists, quotes and HTML are what
CommonMark says they are; only fences and unclosed blocks are read more tolerantly (`fences`).
Nothing here knows what a document is about.

Which lines of a markdown text are code or comment, and which are prose.

Documents written by models show other documents inside code fences, which have fences of their own.
CommonMark would end the outer fence at the end of the inner one; here a ```` ```lang ```` line
inside a fence opens a nested one. An unclosed block must not hide the rest of a document: such a
fence ends at the next heading of rank two or deeper, and such an HTML comment hides only its own
line.
"""

from __future__ import annotations

import re
from bisect import bisect_left, bisect_right
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cache, lru_cache
from typing import NamedTuple

from markdown_it import MarkdownIt
from markdown_it.token import Token

_FRONT_MATTER_LINES = 100
_CHUNK_LINES = 40
_KEPT_OUTLINES = 64
_KEPT_CHARS = 200_000
"""Of longer texts only the latest is kept, so that what is kept stays small."""
_MAY_BE_HEADING = re.compile(r" {0,3}(?:#{1,6}(?:[ \t]|$)|(?:-+|=+)[ \t]*$)")
_INTERRUPTS = re.compile(r"#{1,6}(?:[ \t]|$)|[-*+] +\S")
_RAW_HTML = re.compile(r"<(?:pre|script|style|textarea|\?|!)", re.IGNORECASE)
_FIELD = re.compile(r"[-*+] |\*\*[^*]{1,60}:\*\*|\*\*[^*]{1,60}\*\*:")


@dataclass(frozen=True, slots=True)
class Heading:
    level: int
    text: str
    line: int
    """1-based line of the heading."""
    end: int
    """1-based last line of its section: before the next heading of same or higher rank."""


@dataclass(frozen=True, slots=True, eq=False)
class Outline:
    """Equal only to itself, so that what is found in one can be kept under it."""

    text: str
    lines: tuple[str, ...]
    """With their ends: joined they are the text."""
    headings: tuple[Heading, ...]
    hidden: frozenset[int]
    """1-based lines inside fences and comments, borders included."""

    def section(self, heading: Heading) -> str:
        return self.slice(heading.line, heading.end)

    def headings_between(self, first: int, last: int) -> tuple[Heading, ...]:
        """The headings on these lines, both included."""
        start = bisect_left(self.headings, first, key=lambda heading: heading.line)
        stop = bisect_right(self.headings, last, key=lambda heading: heading.line)
        return self.headings[start:stop]

    def slice(self, first: int, last: int) -> str:
        """The exact text of these lines, both included."""
        return "".join(self.lines[first - 1 : last])


def outline(text: str) -> Outline:
    """The outline of a text; one dispatch asks for those of a few documents many times."""
    return _kept(text) if len(text) <= _KEPT_CHARS else _latest(text)


@lru_cache(maxsize=_KEPT_OUTLINES)
def _kept(text: str) -> Outline:
    return _outlined(text)


@lru_cache(maxsize=1)
def _latest(text: str) -> Outline:
    return _outlined(text)


def _outlined(text: str) -> Outline:
    lines = split_lines(text)
    masked, regions = mask(lines)
    if masked:
        masked[0] = masked[0].removeprefix("\ufeff")
    front = Region(0, _front_matter(masked))
    masked[front.start : front.stop] = [""] * front.stop
    hidden = frozenset(line + 1 for region in (front, *regions) for line in range(*region))
    found = [heading for chunk in _chunks(masked) for heading in _headings(masked, chunk)]
    return Outline(text, lines, _ranked(found, len(lines)), hidden)


def _front_matter(lines: Sequence[str]) -> int:
    """How many lines a YAML block at the very top takes."""
    if not lines or lines[0].rstrip() != "---":
        return 0
    for number, line in enumerate(lines[1:_FRONT_MATTER_LINES], start=2):
        if line.rstrip() in {"---", "..."}:
            return number
    return 0


def _chunks(lines: Sequence[str]) -> Iterator[Region]:
    """Ranges that may hold a heading, cut only where every list, quote and paragraph ends.

    Parsing them one by one keeps the number of tokens small: with all tokens of a big document
    alive at once, Python's garbage collector alone takes more than linear time.
    """
    start, promising, raw, html = 0, False, False, False
    for number, line in enumerate(lines):
        previous = lines[number - 1] if number else ""
        html = html and bool(previous.strip())
        full = not promising or number - start >= _CHUNK_LINES
        if full and not raw and not html and _starts_block(previous, line):
            if promising:
                yield Region(start, number)
            start, promising = number, False
        promising = promising or _MAY_BE_HEADING.match(line) is not None
        html = html or line.lstrip().startswith("<")
        raw = raw or (html and _RAW_HTML.match(line.lstrip()) is not None)
    if promising:
        yield Region(start, len(lines))


def _starts_block(previous: str, line: str) -> bool:
    """Whether no block that began earlier can continue on this line."""
    if not line or line[0] in " \t":
        return False
    return not previous.strip() or _INTERRUPTS.match(line) is not None


@cache
def _parser() -> MarkdownIt:
    """A parser for blocks only, without link definitions, which can't contain a heading."""
    return MarkdownIt("commonmark").disable(["inline", "text_join", "reference"])


def _headings(lines: Sequence[str], chunk: Region) -> Iterator[Heading]:
    tokens = _parser().parse("\n".join(lines[chunk.start : chunk.stop]))
    for token, inline in zip(tokens, tokens[1:], strict=False):
        if token.type == "heading_open" and token.level == 0 and token.map is not None:
            if token.markup == "-" and _only_a_rule(token, inline):
                continue
            line = chunk.start + token.map[0] + 1
            yield Heading(int(token.tag[1:]), inline.content.strip(), line, 0)


def _only_a_rule(token: Token, inline: Token) -> bool:
    """Whether it is a separator right below a paragraph or field, without the blank line."""
    several = token.map is not None and token.map[1] - token.map[0] > 2
    return several or _FIELD.match(inline.content) is not None


def _ranked(found: Sequence[Heading], last: int) -> tuple[Heading, ...]:
    """The same headings with the ends of their sections; one pass with a stack."""
    ends = [last] * len(found)
    unfinished: list[int] = []
    for number, heading in enumerate(found):
        while unfinished and found[unfinished[-1]].level >= heading.level:
            ends[unfinished.pop()] = heading.line - 1
        unfinished.append(number)
    return tuple(
        Heading(heading.level, heading.text, heading.line, end)
        for heading, end in zip(found, ends, strict=True)
    )


_LINE = re.compile(r"[^\r\n]*(?:\r\n|\r|\n)|[^\r\n]+")
_FENCE = re.compile(r"([ \t]*(?:(?:[-*+]|\d{1,9}[.)])[ \t]+)*)(`{3,}|~{3,})([^\r\n]*)")
_DEEP_HEADING = re.compile(r" {0,3}#{2,6}[ \t]")
_RULE = "***"


class Region(NamedTuple):
    """Lines that are not prose; 0-based, `stop` is the first line after them."""

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
    """The same number of lines, without line endings; a fence becomes a rule and blank lines."""

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
