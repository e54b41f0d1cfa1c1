"""One task's place in a tasks.md, and tasks that are items of lists: check boxes, bold or plain
identifiers, numbers."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

from sparing.context.documents.fields import Field
from sparing.context.documents.ids import Ident, Lead, lead
from sparing.context.documents.markdown import Heading, Outline

_MARKS = re.compile(r"(?:\[[A-Za-z]{1,5}-?\d{0,4}\]\s*)+")
"""`[P]`, `[US1]`: said of a task, no part of its title."""
_BOLD_WORDS = re.compile(r"\*\*([^*\n]{1,200})\*\*")
_BOX = re.compile(
    r"(?P<indent>[ \t]{0,12})(?:[-*+] |(?=[☐☑☒⬜✅]))(?:\[[ xX~/>-]?\]\*?|[☐☑☒⬜✅]) (?P<text>.+)"
)
_BOLD = re.compile(r"(?P<indent> {0,3})(?:[-*+] )?(?P<text>\*\*(?:Task |T-?\d|\d+\.\d).+)")
_LED = re.compile(
    r"(?P<indent> {0,3})(?:[-*+] (?P<text>(?:\*\*|\[)?(?:Task |[A-Z]{1,5}-?\d|\d+\.\d).+)"
    r"|(?P<dotted>\d{1,3}\.\d{1,3}(?:\.\d{1,3})?[.)]? .+)"
    r"|(?P<named>(?:Task \d|[A-Z]{1,5}-?\d)[\d.]{0,8}[a-z]?(?:[:.)] | [—–-] ).+))"
)
"""An identifier without box or bold, in a document with nothing better."""
_NUMBERED = re.compile(r"(?P<indent> {0,3})(?P<number>\d{1,3})[.)] (?P<text>.+)")
_TASKS = re.compile(r"\btasks?\b|\bsteps?\b|\bto.?do\b", re.IGNORECASE)
_CHECKLIST = re.compile(
    r"done|acceptance|criteria|checklist|verification|validation", re.IGNORECASE
)
_ASIDE = re.compile(
    r"not now|later|out of scope|non.?goals|notes?\b|risk|question|dependenc|order|strategy"
    r"|overview|summary|assumption|references|legend|format|background|changelog|example",
    re.IGNORECASE,
)


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
    """What the columns of a table say of it."""


def unmarked(title: str) -> str:
    marks = _MARKS.match(title)
    return title[marks.end() :] if marks and marks.end() < len(title) else title


def plain_title(text: str) -> str:
    """Without marks and without the asterisks of bold words."""
    return unmarked(_BOLD_WORDS.sub(r"\1", text).strip().removeprefix("**").removesuffix("**"))


def headings_above(document: Outline, numbers: Iterable[int]) -> list[Heading | None]:
    """The heading that each of these lines stands under."""
    found: list[Heading | None] = []
    position = 0
    for number in numbers:
        while position < len(document.headings) and document.headings[position].line < number:
            position += 1
        found.append(document.headings[position - 1] if position else None)
    return found


def group_of(heading: Heading | None) -> str:
    return heading.text if heading and heading.level > 1 else ""


def boxed(document: Outline) -> tuple[TaskBlock, ...]:
    """Numbered check boxes, or else bold items."""
    return tuple(_listed(document, _BOX)) or tuple(_listed(document, _BOLD))


def led(document: Outline) -> tuple[TaskBlock, ...]:
    """Items that begin with an identifier, below a heading that speaks of tasks."""
    every = list(_listed(document, _LED))
    about = _about_tasks(document)
    above = headings_above(document, [block.first for block in every])
    return tuple(
        block for block, heading in zip(every, above, strict=True) if heading and heading in about
    )


def _listed(document: Outline, pattern: re.Pattern[str]) -> Iterator[TaskBlock]:
    """Tasks that are items of a list, each led by its number."""
    items: list[tuple[int, int, Lead]] = []
    for number, match in _matches(document, pattern):
        found = lead(next(text for text in match.groups()[1:] if text))
        if found and found.ident.label.split()[-1:] in ([], ["task"]):
            items.append((number, len(match["indent"].expandtabs(4)), found))
    above = headings_above(document, [number for number, _, _ in items])
    ends = _list_ends(document, [(number, indent) for number, indent, _ in items])
    for (number, indent, found), heading, end in zip(items, above, ends, strict=True):
        yield TaskBlock(
            ident=found.ident,
            number=found.text,
            title=unmarked(found.title),
            first=number,
            last=end,
            level=7 + indent,
            group=group_of(heading),
        )


def unnumbered(document: Outline) -> Iterator[TaskBlock]:
    """Check boxes without numbers, counted; those of a closing check list are no tasks."""
    rows = [
        (number, match["text"])
        for number, match in _matches(document, _BOX)
        if len(match["indent"]) < 2
    ]
    above = headings_above(document, [number for number, _ in rows])
    rows_kept = [
        (number, text, heading)
        for (number, text), heading in zip(rows, above, strict=True)
        if not (heading and _CHECKLIST.search(heading.text))
    ]
    ends = _list_ends(document, [(number, 0) for number, _, _ in rows_kept])
    for count, ((number, text, heading), end) in enumerate(
        zip(rows_kept, ends, strict=True), start=1
    ):
        yield TaskBlock(
            ident=None, number=str(count), title=plain_title(text), first=number, last=end,
            level=7, group=group_of(heading),
        )  # fmt: skip


def counted(document: Outline) -> tuple[TaskBlock, ...]:
    """A numbered list below a heading that speaks of tasks, or in a document about them."""
    rows = list(_matches(document, _NUMBERED))
    above = headings_above(document, [number for number, _ in rows])
    every = [(n, match, heading) for (n, match), heading in zip(rows, above, strict=True)]
    near = [one for one in every if one[2] and _speaks(one[2])]
    about = _about_tasks(document)
    return tuple(_numbered(document, near or [one for one in every if one[2] in about]))


def _numbered(
    document: Outline, rows: Sequence[tuple[int, re.Match[str], Heading | None]]
) -> Iterator[TaskBlock]:
    """The outermost items; those below them are steps of a task."""
    outermost: dict[Heading | None, int] = {}
    for _, match, heading in rows:
        indent = len(match["indent"])
        outermost[heading] = min(indent, outermost.get(heading, indent))
    kept = [row for row in rows if len(row[1]["indent"]) == outermost[row[2]]]
    ends = _list_ends(document, [(number, len(match["indent"])) for number, match, _ in kept])
    for (number, match, heading), end in zip(kept, ends, strict=True):
        yield TaskBlock(
            ident=None, number=match["number"], title=plain_title(match["text"]), first=number,
            last=end, level=7, group=group_of(heading),
        )  # fmt: skip


def _speaks(heading: Heading) -> bool:
    return bool(_TASKS.search(heading.text)) and not _CHECKLIST.search(heading.text)


def _about_tasks(document: Outline) -> frozenset[Heading]:
    """Headings that speak of tasks, or stand below one, and are about nothing else."""
    found: set[Heading] = set()
    stack: list[tuple[Heading, bool, bool]] = []
    for heading in document.headings:
        while stack and stack[-1][0].level >= heading.level:
            stack.pop()
        speaks, aside = stack[-1][1:] if stack else (False, False)
        own = _speaks(heading)
        other = _ASIDE.search(heading.text) or _CHECKLIST.search(heading.text)
        stack.append((heading, speaks or own, aside or (not own and other is not None)))
        if stack[-1][1] and not stack[-1][2]:
            found.add(heading)
    return frozenset(found)


def _matches(document: Outline, pattern: re.Pattern[str]) -> Iterator[tuple[int, re.Match[str]]]:
    for number, line in enumerate(document.lines, start=1):
        if number not in document.hidden:
            match = pattern.match(line.rstrip("\r\n"))
            if match is not None:
                yield number, match


def _list_ends(document: Outline, items: Sequence[tuple[int, int]]) -> list[int]:
    """Each item ends before the next heading and before the next item that is not inside it."""
    borders = [(heading.line, -1) for heading in document.headings] + list(items)
    ends: dict[int, int] = {}
    unfinished: list[tuple[int, int]] = []
    for number, indent in sorted(borders):
        while unfinished and unfinished[-1][1] >= indent:
            ends[unfinished.pop()[0]] = number - 1
        if indent >= 0:
            unfinished.append((number, indent))
    return [ends.get(number, len(document.lines)) for number, _ in items]
