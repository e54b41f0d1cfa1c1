"""Headings that are tasks because they are alike: they have a slug in brackets, the same parts
below them, or they count phases that hold nothing finer.

A list that only names such phases, as a record of progress does, is about them and holds no tasks.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Sequence
from functools import lru_cache
from itertools import zip_longest
from typing import NamedTuple

from sparing.context.documents.markdown import Heading, Outline
from sparing.context.task_forms.block import TaskBlock, group_of, parents_of
from sparing.context.task_forms.words import is_aside, is_phase, speaks_of_tasks

_SLUG = re.compile(r"\[(?P<number>[A-Za-z][\w:./-]{1,40})\][ :—–-]+(?P<title>\S.*)")
_PHASE = re.compile(
    r"(?:[^\w\s]{1,3} ?)?(?P<word>[^\W\d_]{3,20}) ?#?(?P<number>\d{1,3}(?:[-–]\d{1,3})?)"
    r"(?P<title>(?:\s?[:.：．、)—–]| -) ?\S.*)?$"
)
_NAMED = re.compile(r"(?P<word>[^\W\d_]{3,20}) ?#?(?P<number>\d{1,3})\b")
_LEAST_PARTS = 2
_LONGEST = 300
_KEPT = 2


class _Row(NamedTuple):
    heading: Heading
    number: str
    title: str
    word: str = ""


def slugged(document: Outline) -> tuple[TaskBlock, ...]:
    """`### [auth:login-form] Draw the form`: at least two of one rank."""
    rows = [
        _Row(one, match["number"], match["title"])
        for one in document.headings
        if (match := _SLUG.match(one.text))
    ]
    ranks = Counter(row.heading.level for row in rows)
    rank = ranks.most_common(1)[0][0] if ranks else 0
    return _blocks(document, [row for row in rows if row.heading.level == rank])


def same_parts(document: Outline) -> tuple[TaskBlock, ...]:
    """Headings of one rank, at least two, all with the same parts: `Problem`, `Changes`, `Scope`.
    A part that speaks of tasks holds them itself."""
    parts = _parts(document)
    ranks: dict[int, list[Heading]] = {}
    for one in document.headings:
        if one.line in parts:
            ranks.setdefault(one.level, []).append(one)
    for _, headings in sorted(ranks.items()):
        if len(headings) >= 2:
            shared = set[str].intersection(*(parts[one.line] for one in headings))
            if len(shared) >= _LEAST_PARTS:
                return _blocks(document, [_counted(*pair) for pair in enumerate(headings, 1)])
    return ()


def _parts(document: Outline) -> dict[int, set[str]]:
    """The names of the headings right below each, by its line; without those that hold tasks."""
    parents = parents_of(document.headings)
    found: dict[int, set[str]] = {}
    holding: set[int] = set()
    for one in document.headings:
        above = parents[one.line]
        if above is not None and above.level > 1 and not is_aside(above.text):
            found.setdefault(above.line, set()).add(one.text.casefold())
            if speaks_of_tasks(one):
                holding.add(above.line)
    return {line: names for line, names in found.items() if line not in holding}


def phases(document: Outline) -> tuple[TaskBlock, ...]:
    """`## Phase 1 — …`, `### Day 1-2: …`: at least two, without those that hold others."""
    rows = [row for row in _phases(document) if row.title]
    kept = [
        row
        for row, after in zip_longest(rows, rows[1:])
        if after is None or after.heading.line > row.heading.end
    ]
    return _blocks(document, kept)


def only_name_phases(document: Outline, blocks: Sequence[TaskBlock]) -> bool:
    """Whether most of these items name a phase that has a heading of its own."""
    own = phase_names(document)
    starts = {heading.line for heading in document.headings} if own else set[int]()
    if not own or any(block.first in starts for block in blocks):
        return False
    return 2 * sum(bool(own & names_in(block.title)) for block in blocks) > len(blocks)


@lru_cache(maxsize=_KEPT)
def phase_names(document: Outline) -> frozenset[tuple[str, str]]:
    """The phases that have headings: `("milestone", "2")`."""
    return frozenset((row.word, row.number) for row in _phases(document))


def names_in(text: str) -> frozenset[tuple[str, str]]:
    """Words with a number in a text."""
    found = _NAMED.finditer(text[:_LONGEST])
    return frozenset((match["word"].casefold(), match["number"]) for match in found)


def _phases(document: Outline) -> Iterator[_Row]:
    for one in document.headings:
        match = _PHASE.match(one.text)
        if match and is_phase(match["word"]):
            title = (match["title"] or "").lstrip(" :.：．、)—–-")
            yield _Row(one, match["number"], title, match["word"].casefold())


def _counted(count: int, heading: Heading) -> _Row:
    match = _PHASE.match(heading.text)
    if match and match["title"]:
        return _Row(heading, match["number"], match["title"].lstrip(" :.：．、)—–-"))
    return _Row(heading, str(count), heading.text)


def _blocks(document: Outline, rows: Sequence[_Row]) -> tuple[TaskBlock, ...]:
    parents = parents_of(document.headings)
    if len(rows) < 2:
        return ()
    repeated = len({row.number for row in rows}) < len(rows)
    return tuple(
        TaskBlock(
            ident=None,
            number=str(count) if repeated else row.number,
            title=row.title,
            first=row.heading.line,
            last=row.heading.end,
            level=row.heading.level,
            group=group_of(parents[row.heading.line]),
            mark=row.heading.text,
        )
        for count, row in enumerate(rows, start=1)
    )
