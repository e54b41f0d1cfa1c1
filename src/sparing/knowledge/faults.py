"""Parts of a page that can't be read as intended. Reported to people, never fixed: the bytes
stay."""

from __future__ import annotations

import re
from collections.abc import Iterator

from sparing.knowledge.page import COUNT, BankEntry, Page, read_page, visible

_GLUED = re.compile(r" {0,3}###[^#\s]")
_BARE = re.compile(r" {0,3}###[ \t]*#*[ \t]*\Z")
_OPEN = {"```": "a fence", "~~~": "a fence", "<!--": "a comment"}


def faults(page: Page) -> tuple[str, ...]:
    """Faults with their line, counted from 1."""
    found = [*_headings(page), *_entries(page), *_unclosed(page)]
    return tuple(f"line {line}: {words}" for line, words in sorted(found))


def _headings(page: Page) -> Iterator[tuple[int, str]]:
    for number, line in enumerate(visible(page.lines), 1):
        if line is None:
            continue
        if _GLUED.match(line):
            yield number, f"a heading without a space is not an entry: {line.strip()[:60]}"
        elif _BARE.match(line):
            yield number, "an entry without a name"


def _entries(page: Page) -> Iterator[tuple[int, str]]:
    seen: dict[str, int] = {}
    for entry in page.entries:
        line = entry.first + 1
        first = seen.setdefault(entry.key, line)
        if first != line:
            yield line, f"{entry.title[:60]} stands on line {first} already; that one is judged"
        if fault := _fault(entry):
            yield line, f"{entry.title[:60]} {fault}"


def _fault(entry: BankEntry) -> str:
    count = entry.field(COUNT)
    if count is not None and not re.match(r"\d{1,6}\b", count.value):
        return f"has no number as its count: {count.value[:20] or 'nothing'}; taken as 1"
    return "" if entry.text.strip() else "has no words"


def _unclosed(page: Page) -> Iterator[tuple[int, str]]:
    """A fence or comment that is never closed, which hides every entry after it."""
    probe = read_page(page.kind, f"{page.text}\n### probe\n")
    if probe.entries and probe.entries[-1].title == "probe":
        return
    for number in range(len(page.lines), 0, -1):
        line = page.lines[number - 1].lstrip()
        mark = next((mark for mark in _OPEN if line.startswith(mark)), "")
        if mark:
            yield number, f"{_OPEN[mark]} that is not closed hides what follows"
            return
