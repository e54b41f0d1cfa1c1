"""Sections of a document: what each says, and which of them name a file.

A section is a heading with its own text, without what lies below deeper headings.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import NamedTuple

from sparing.context.documents.markdown import outline, split_lines


class DocumentSection(NamedTuple):
    name: str
    """Its heading; a second one of that name has a number behind it."""
    text: str


def sections_of(text: str) -> tuple[DocumentSection, ...]:
    document, lines = outline(text), split_lines(text)
    starts = [heading.line for heading in document.headings]
    ends = [*(start - 1 for start in starts[1:]), len(lines)][: len(starts)]
    counts: dict[str, int] = {}
    found: list[DocumentSection] = []
    for heading, end in zip(document.headings, ends, strict=True):
        plain = " ".join(heading.text.split())
        counts[plain] = counts.get(plain, 0) + 1
        name = plain if counts[plain] == 1 else f"{plain} ({counts[plain]})"
        found.append(DocumentSection(name, "".join(lines[heading.line - 1 : end])))
    return tuple(found)


def sections_naming(text: str, paths: Iterable[str]) -> tuple[str, ...]:
    """Names of sections in which one of these files is named by its path."""
    wanted = tuple(re.compile(rf"(?<![\w/.-]){re.escape(path)}(?![\w/-])") for path in paths)
    found = sections_of(text) if wanted else ()
    return tuple(one.name for one in found if any(form.search(one.text) for form in wanted))
