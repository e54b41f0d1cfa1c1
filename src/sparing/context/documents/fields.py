"""The fields of a task: `**Done when:** …`, `- **File**: …`, `Depends on: …`, `### Done when`.

Bold labels are fields wherever they start a line, with the colon inside or outside; plain ones only
if they are known. A value continues over the lines that belong to it. Fields inside fences are
examples, not fields.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import NamedTuple

from sparing.context.documents.field_words import ALIASES, SIGNS
from sparing.context.documents.markdown import Outline

DONE = (
    frozenset(
        {"done", "done when", "done if", "done criteria", "dod", "definition of done"}
        | {"complete when", "completed when", "completion criteria", "exit criteria"}
    ),
    frozenset({"acceptance", "acceptance criteria", "acceptance criterion", "success criteria"}),
    frozenset({"ac", "acs"}),
    frozenset({"verify", "verification", "expected", "expected result"}),
)
FILES = frozenset(
    {"file", "files", "target file", "target files", "files modified", "files changed"}
    | {"files to modify", "files to create", "test file", "modifies", "creates", "touches"}
    | {"path", "paths", "affected files", "files touched", "file path", "file paths"}
)
PLACES = frozenset({"component", "components", "module", "modules", "location", "where", "scope"})
"""Fields whose values count as files if they consist only of paths in code spans."""
DEPENDS = frozenset(
    {"depends on", "depends", "dependency", "dependencies", "deps", "blocked by", "requires"}
    | {"prerequisite", "prerequisites", "after"}
)
SOURCES = frozenset(
    {"why", "source", "implements", "traces to", "traceability", "trace", "ref", "refs"}
    | {"reference", "references", "covers", "based on"}
)
DOCUMENT = re.compile(
    r"(plan|design|spec)(?: (ref|reference|source|item|step|task|section|phase|stage|component"
    r"|interface)s?)?|(component|interface|requirement)s?"
)
MARKS = frozenset({"status", "parallel", "optional"})
_KNOWN = DONE[0] | DONE[1] | DONE[2] | FILES | DEPENDS | SOURCES | MARKS
TASK_FIELDS = (
    DONE[0] | DONE[1] | FILES | DEPENDS | MARKS
    | {"requirements", "estimate", "effort", "priority", "owner", "assignee", "story points"}
)  # fmt: skip
"""Fields that only a task has."""

_START = re.compile(
    r"(?P<indent>[ \t>]{0,40})(?P<bullet>(?:[-*+]|\d{1,3}[.)]|:)[ \t]{1,4})?"
    r"(?:\[[ xX~/>-]?\][ \t]{1,4})?"
    r"(?:[*_]{1,2}(?P<inside>[^*_:：\n]{1,48})[:：][*_]{1,2}"
    r"|[*_]{1,2}(?P<outside>[^*_:：\n]{1,48})[*_]{1,2}[ \u00a0]?[:：]"
    r"|_(?P<italic>[^\W\d_][^\W\d_ ]{0,12}(?: [^\W\d_]{1,15}){0,3})[:：](?=[^_\n]{1,200}_[ \t]*$)"
    r"|(?P<plain>[^\W\d_][^\W\d_]{0,20}(?:[ '-][^\W\d_()]{1,20}|[ ]?\([^()\n]{1,20}\)){0,4})"
    r"[ \u00a0]?[:：]"
    rf"|(?P<sign>[{SIGNS}])\ufe0f?)[ \t]*"
)
_INLINE = re.compile(rf"\*\*(?P<label>[^*:\n]{{1,48}}):\*\*[ \t]*|(?P<sign>[{SIGNS}])\ufe0f?[ \t]*")
_IN_CODE = re.compile(
    r"`(?P<label>requires|depends on|after|blocked by): *(?P<value>[^`\n]{1,160})`"
)
_IN_BRACES = re.compile(
    r"[{\[(](?P<label>[^\W\d_][^\W\d_ ]{1,15}(?: [^\W\d_]{1,10})?): *"
    r"(?P<value>[^{}\[\]()\n]{1,160})[}\])]"
)
"""`{deps: T1}`, `(files: a.py)`"""
_INLINE_NAMES = FILES | DEPENDS | MARKS
"""Fields that may be given inline; a section named in brackets is only a mention."""
_ITEM = re.compile(r"[ \t>]{0,40}(?:[-*+]|\d{1,3}[.)])[ \t]")
_RULE = re.compile(r" {0,3}(?:-{3,}|\*{3,}|_{3,})[ \t]*$")


class Field(NamedTuple):
    name: str
    """In lower case, without any text in brackets."""
    value: str


def read_fields(document: Outline, first: int, last: int) -> tuple[Field, ...]:
    """The fields in these lines (1-based, both included), in order."""
    found: list[Field] = []
    for number in range(first, last + 1):
        if number not in document.hidden:
            found.extend(_of_line(document, number, last))
    for heading in document.headings_between(first, last):
        name = field_name(heading.text.rstrip(": "))
        if known(name):
            below = document.slice(heading.line + 1, heading.end).strip()
            found.append(Field(name, below.removesuffix("---").rstrip()))
        elif (label := _START.match(heading.text)) and label["plain"]:
            found.append(Field(field_name(label["plain"]), heading.text[label.end() :]))
    return tuple(found)


def known(name: str) -> bool:
    return name in _KNOWN or DOCUMENT.fullmatch(name) is not None


def _of_line(document: Outline, number: int, last: int) -> Iterator[Field]:
    line = document.lines[number - 1].rstrip("\r\n")
    for match in _IN_CODE.finditer(line):
        yield Field(match["label"], match["value"])
    for match in _IN_BRACES.finditer(line):
        name = field_name(match["label"])
        if name in _INLINE_NAMES and line.count("`", 0, match.start()) % 2 == 0:
            yield Field(name, match["value"])
    start = _START.match(line)
    labels = start.group("inside", "outside", "italic", "plain", "sign") if start else ()
    name = field_name(next((label for label in labels if label), ""))
    if start is None or (start["plain"] and not known(name)):
        return
    pieces = [
        piece
        for piece in _INLINE.finditer(line, start.end())
        if line.count("`", 0, piece.start()) % 2 == 0
    ]
    ends = [piece.start() for piece in pieces]
    head = line[start.end() : ends[0] if ends else len(line)].strip()
    head = head.removesuffix("_") if start["italic"] else head
    more = () if ends else _continuation(document, range(number + 1, last + 1), start, head)
    yield Field(name, "\n".join((head, *more)).strip())
    for piece, end in zip(pieces, [*ends[1:], len(line)], strict=False):
        label = piece["label"] or piece["sign"]
        yield Field(field_name(label), line[piece.end() : end].strip(" |·"))


def _continuation(
    document: Outline, numbers: range, start: re.Match[str], head: str
) -> Iterator[str]:
    """The lines after a label that belong to its value: a paragraph, or the block below it."""
    blank, empty = False, not head
    for number in numbers:
        line, code = document.lines[number - 1].rstrip("\r\n"), number in document.hidden
        if not line.strip() and not code:
            blank = True
            continue
        if not code and _ends_value(line, start, below=not head):
            return
        below = not head and (code or _ITEM.match(line) is not None)
        if blank and not empty and not below and not _deeper(line, start):
            return
        yield line
        blank, empty = False, False


def _ends_value(line: str, start: re.Match[str], *, below: bool) -> bool:
    if line.startswith("#") or _RULE.match(line):
        return True
    if _deeper(line, start) or (below and _ITEM.match(line) and not start["bullet"]):
        return False
    following = _START.match(line)
    if following is not None and (not following["plain"] or known(field_name(following["plain"]))):
        return True
    return start["bullet"] is not None


def _deeper(line: str, start: re.Match[str]) -> bool:
    return len(line) - len(line.lstrip(" \t>")) > len(start["indent"])


def field_name(label: str) -> str:
    """In lower case and in English."""
    name = " ".join(label.partition("(")[0].casefold().replace("_", " ").split())
    return ALIASES.get(name, name)
