"""What a change to one document means for those that were written after it.

A part is a heading with its own text, or a list item that begins with an identifier (`FR-2: …`). It
depends on a part of an earlier document if it names it: by its identifier, or by its heading if the
line also names the document. A document that names no part of any earlier one may depend on all of
them; one that names only parts of the plan depends on the spec through the plan.
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Collection, Iterable, Mapping, Sequence
from enum import StrEnum
from typing import NamedTuple

from sparing.context.documents.ids import Ident, lead, mentions
from sparing.context.documents.markdown import Heading, outline

_ITEM = re.compile(r" {0,3}(?:[-*+]|\d{1,3}[.)])[ \t]+(.*)")
_LIST = re.compile(r" {0,3}(?:[-*+]|\d{1,3}[.)])[ \t]")
_TICKED = re.compile(r"\[[xX]\]")
_WORD = re.compile(r"[^\W_]+")
_TITLE = 1
"""Level of a document's own title, which covers all of it and is never referred to."""


class DocumentPart(NamedTuple):
    name: str
    """Its heading, plus the identifier of a list item; repeated names are numbered."""
    text: str
    idents: frozenset[Ident] = frozenset()
    """Its own identifiers and those of the headings around it."""
    title: tuple[str, ...] = ()
    """The words of its heading."""


class ChangeKind(StrEnum):
    CHANGED = "changed"
    ADDED = "added"
    REMOVED = "removed"


class PartChange(NamedTuple):
    document: str
    name: str
    """Empty where a whole file changed with the base branch."""
    kind: ChangeKind

    @property
    def place(self) -> str:
        return f"{self.document} § {self.name}" if self.name else f"{self.document} (base branch)"


class Dependents(NamedTuple):
    """The parts of one document that depend on changes to others."""

    parts: tuple[str, ...] = ()
    whole: str = ""
    """Why all of it may be affected; empty if only single parts are, or nothing."""
    causes: tuple[PartChange, ...] = ()

    def __bool__(self) -> bool:
        return bool(self.parts or self.whole)


def parts_of(text: str) -> tuple[DocumentPart, ...]:
    """All parts of a document, in order, including the text before its first heading."""
    document = outline(text)
    found: list[DocumentPart] = []
    first = document.headings[0].line if document.headings else len(document.lines) + 1
    opening = document.slice(1, first - 1)
    if opening.strip():
        found.append(DocumentPart("its beginning", opening))
    ends = [*(one.line - 1 for one in document.headings[1:]), len(document.lines)]
    for heading, end in zip(document.headings, ends, strict=False):
        around = _around(document.headings, heading)
        found += _section(heading, document.lines[heading.line - 1 : end], around)
    return _numbered(found)


def _around(headings: Sequence[Heading], inner: Heading) -> frozenset[Ident]:
    """Identifiers of a heading and of the headings above it."""
    holds = [one for one in headings if one.line <= inner.line <= inner.end <= one.end]
    leads = [lead(one.text) for one in holds if one.level > _TITLE or one is inner]
    return frozenset(ident for one in leads if one for ident in one.idents)


def _section(
    heading: Heading, lines: Sequence[str], around: frozenset[Ident]
) -> list[DocumentPart]:
    """The section without list items that have identifiers, followed by those items as parts."""
    name = " ".join(heading.text.split())
    own, items = [lines[0]], list[tuple[frozenset[Ident], str, list[str]]]()
    inside = False
    for line in lines[1:]:
        begun = _identified(line)
        if begun is not None:
            items.append((*begun, [line]))
        elif inside and line.strip() and (_LIST.match(line) or not line[0].isspace()):
            inside = False
            own.append(line)
            continue
        else:
            (items[-1][2] if inside else own).append(line)
        inside = inside or begun is not None
    words = () if heading.level == _TITLE else _words(heading.text)
    section = DocumentPart(name, "".join(own), around, words)
    return [
        section,
        *(DocumentPart(f"{name}: {id}", "".join(t), ids | around) for ids, id, t in items),
    ]


def _identified(line: str) -> tuple[frozenset[Ident], str] | None:
    """The identifier that a list item begins with, if it has meaning without a label."""
    item = _ITEM.match(line)
    found = lead(item[1]) if item else None
    if found is None or not found.separated or all(one.plain for one in found.idents):
        return None
    return frozenset(found.idents), found.text


def _numbered(parts: Iterable[DocumentPart]) -> tuple[DocumentPart, ...]:
    found: dict[str, DocumentPart] = {}
    for part in parts:
        name, count = part.name, 1
        while name in found:
            count += 1
            name = f"{part.name} ({count})"
        found[name] = part._replace(name=name)
    return tuple(found.values())


def hashes_of(text: str) -> dict[str, str]:
    """Hash of each part's content, ignoring blank lines and trailing blanks."""
    return {part.name: text_hash(part.text) for part in parts_of(text)}


def text_hash(text: str) -> str:
    """Hash of a text, ignoring ticked boxes: they show progress, not content."""
    lines = (_TICKED.sub("[ ]", line.rstrip()) for line in text.splitlines() if line.strip())
    plain = "\n".join(lines)
    return hashlib.sha256(plain.encode("utf-8", "surrogatepass")).hexdigest()[:16]


def changes_between(
    document: str, before: Mapping[str, str], now: Mapping[str, str]
) -> tuple[PartChange, ...]:
    """Compare the hashes of the parts; changes are in the order of the current document."""
    new = [
        PartChange(document, name, ChangeKind.CHANGED if name in before else ChangeKind.ADDED)
        for name, value in now.items()
        if before.get(name) != value
    ]
    gone = [PartChange(document, name, ChangeKind.REMOVED) for name in before if name not in now]
    return (*new, *gone)


def dependents(text: str, above: Mapping[str, str], changes: Collection[PartChange]) -> Dependents:
    """The parts of a document affected by changes in the documents `above` (text by file name)."""
    parts = parts_of(text)
    targets = {name: {one.name: one for one in parts_of(each)} for name, each in above.items()}
    linked = {name for name, found in targets.items() if _linked(parts, name, found.values())}
    if changes and not linked:
        return Dependents((), "it names no section of another document", tuple(changes))
    users: dict[str, bool] = {}
    causes: list[PartChange] = []
    whole = ""
    for change in changes:
        target = targets.get(change.document, {}).get(change.name) or _gone(change.name)
        named = [part.name for part in parts if names(part, change.document, target)]
        users.update(dict.fromkeys(named, True))
        new = not named and change.kind is ChangeKind.ADDED and change.document in linked
        whole = whole or (f"{change.place} is new" if new else "")
        causes += [change] if named or new else []
    return Dependents(tuple(one.name for one in parts if one.name in users), whole, tuple(causes))


def _linked(
    parts: Iterable[DocumentPart], document: str, targets: Collection[DocumentPart]
) -> bool:
    return any(names(part, document, target) for part in parts for target in targets)


def _gone(name: str) -> DocumentPart:
    """Stand-in for a part that was removed, of which only the name is known."""
    heading, colon, item = name.rpartition(": ")
    found = [lead(one) for one in (name, item if colon else "")]
    idents = frozenset(ident for one in found if one for ident in one.idents)
    return DocumentPart(name, "", idents, _words(heading or name))


def names(part: DocumentPart, document: str, target: DocumentPart) -> bool:
    """Whether a part of a later document refers to the part `target` of `document`."""
    mentioned = mentions(part.text)
    if any(_same(ident, one) for ident in target.idents for one in mentioned):
        return True
    if not target.title:
        return False
    kind = document.removesuffix(".md")
    return any(_titled(line, kind, target.title) for line in part.text.splitlines())


def _same(wanted: Ident, said: Ident) -> bool:
    if wanted.token != said.token:
        return bool(wanted.alias) and wanted.alias == said.token
    return not wanted.plain or wanted.label == said.label


def _titled(line: str, kind: str, title: tuple[str, ...]) -> bool:
    """Whether a line contains the exact heading and also names its document."""
    said = _words(line)
    if kind not in said:
        return False
    return any(said[start : start + len(title)] == title for start in range(len(said)))


def _words(text: str) -> tuple[str, ...]:
    return tuple(_WORD.findall(text.casefold()))
