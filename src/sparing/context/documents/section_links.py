"""Sections of a document: what each says, which of them changed, and which depend on others.

A section is a heading with its own text, without what lies below deeper headings. It depends on
another document by identifiers (`AC-2`, `C3`, `Step 1.2`) that it mentions, and on files by their
paths. Where a changed place has no identifier nobody can tell, and all that follows depends on it.
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Iterable, Sequence
from difflib import SequenceMatcher
from typing import NamedTuple

from sparing.context.documents.ids import Ident, lead, mentions
from sparing.context.documents.markdown import outline, split_lines

_ITEM = re.compile(r"\s*(?:[-*+]|\d+[.)])?\s*(?:\[[ xX]\]\s*)?[*_`|\s]*")


class DocumentSection(NamedTuple):
    name: str
    """Its heading; a second one of that name has a number behind it."""
    text: str

    @property
    def digest(self) -> str:
        """Equal as long as its words are, whatever the blanks between them."""
        return hashlib.sha256(" ".join(self.text.split()).encode()).hexdigest()[:16]


class DocumentChange(NamedTuple):
    sections: tuple[str, ...]
    """Names of those that are new, different or gone."""
    idents: frozenset[Ident]
    """What the changed lines are about."""
    unnamed: bool
    """Some change is about nothing that has an identifier."""


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


def section_digests(text: str) -> tuple[tuple[str, str], ...]:
    return tuple((one.name, one.digest) for one in sections_of(text))


def document_change(old: str, new: str) -> DocumentChange:
    before = {one.name: one for one in sections_of(old)}
    after = {one.name: one for one in sections_of(new)}
    names = tuple(
        name
        for name in dict.fromkeys((*after, *before))
        if (before[name].digest if name in before else "")
        != (after[name].digest if name in after else "")
    )
    idents, unnamed = set[Ident](), False
    for name in names:
        sides = (before.get(name), after.get(name))
        found = _changed_idents(*(one.text if one else "" for one in sides))
        idents |= found
        unnamed = unnamed or not found
    return DocumentChange(names, frozenset(idents), unnamed)


def _changed_idents(old: str, new: str) -> frozenset[Ident]:
    """Of each changed line the identifier that leads it, or the nearest one above it."""
    sides = (old.splitlines(), new.splitlines())
    blocks = SequenceMatcher(None, *sides, autojunk=False).get_opcodes()
    spots = [
        (lines, number)
        for kind, *ends in blocks
        if kind != "equal"
        for lines, first, last in ((sides[0], *ends[:2]), (sides[1], *ends[2:]))
        for number in range(first, last)
        if lines[number].strip()
    ]
    return frozenset(one for lines, number in spots for one in _above(lines, number))


def _above(lines: Sequence[str], number: int) -> tuple[Ident, ...]:
    for line in reversed(lines[: number + 1]):
        if found := _led(line):
            return found
    return ()


def _led(line: str) -> tuple[Ident, ...]:
    """`- **AC-1**: …`, `### C3: …`, `| R2 | …`; a plain number of a list says nothing."""
    plain = line.lstrip("#").strip()
    start = _ITEM.match(plain)
    found = lead(plain[start.end() :] if start else plain)
    return tuple(one for one in found.idents if _telling(one)) if found else ()


def _telling(one: Ident) -> bool:
    return bool(one.label) or not one.token[:1].isdigit()


def own_idents(section: DocumentSection) -> frozenset[Ident]:
    """What the section is about: its heading's identifiers and those that lead its lines."""
    return frozenset(one for line in section.text.splitlines() for one in _led(line))


def dependent_sections(text: str, idents: Iterable[Ident]) -> tuple[DocumentSection, ...]:
    """Those that mention one of these identifiers."""
    wanted = frozenset(idents)
    return tuple(one for one in sections_of(text) if wanted and _mentions(one.text, wanted))


def mentions_any(text: str, idents: Iterable[Ident]) -> bool:
    wanted = frozenset(idents)
    return bool(wanted) and _mentions(text, wanted)


def _mentions(text: str, wanted: frozenset[Ident]) -> bool:
    names = {name for one in wanted for name in (one.token, one.alias) if name and not one.plain}
    labelled = {(one.label, one.token) for one in wanted if one.label}
    return any(
        (_telling(one) and not one.plain and (one.token in names or one.alias in names))
        or (one.label, one.token) in labelled
        for one in mentions(text)
    )


def sections_naming(text: str, paths: Iterable[str]) -> tuple[str, ...]:
    """Names of sections in which one of these files is named by its path."""
    wanted = tuple(re.compile(rf"(?<![\w/.-]){re.escape(path)}(?![\w/-])") for path in paths)
    found = sections_of(text) if wanted else ()
    return tuple(one.name for one in found if any(form.search(one.text) for form in wanted))
