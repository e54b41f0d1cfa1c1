"""The section of a document that an identifier names.

A heading led by the identifier as a whole token is better than one that mentions it, and that is
better than one for its prefix (`1A.1` lies in `1A`). Case never matters. If two headings are
equally good, neither is taken: the caller gives the whole document, which costs more than the right
section and less than a wrong one.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from enum import StrEnum
from functools import cached_property
from typing import NamedTuple

from sparing.context.documents.ids import Ident, Lead, fit, lead, mentions, parse_ident
from sparing.context.documents.markdown import Heading, Outline, outline
from sparing.context.documents.numbered_items import numbered_items

_WORD = re.compile(r"[^\W_]+")
_ALIAS_FIT = 92
_UNSEPARATED = 3


class Via(StrEnum):
    """How a section was found."""

    LEAD = "lead"
    MENTION = "mention"
    PREFIX = "prefix"
    NAME = "name"
    ITEM = "item"
    """A numbered item, where no heading has that number."""
    NUMBER = "number"
    """By the task's own number or its group's, although the task does not name the section."""


class SectionMatch(NamedTuple):
    heading: Heading
    via: Via


class _Entry(NamedTuple):
    heading: Heading
    lead: Lead | None


class SectionIndex:
    """The headings of one document, looked up by identifier or by name."""

    def __init__(self, document: Outline) -> None:
        self.document = document
        self._led: dict[str, list[tuple[Ident, _Entry]]] = {}
        self._mentioned: dict[str, list[tuple[Ident, _Entry]]] = {}
        self._worded: dict[str, list[_Entry]] = {}
        for heading in document.headings:
            self._add(_Entry(heading, lead(heading.text)))

    @cached_property
    def _items(self) -> dict[str, list[tuple[Ident, _Entry]]]:
        found: dict[str, list[tuple[Ident, _Entry]]] = {}
        for heading in numbered_items(self.document):
            if own := lead(heading.text):
                for token in {own.ident.token, own.ident.alias} - {""}:
                    found.setdefault(token, []).append((own.ident, _Entry(heading, own)))
        return found

    def _add(self, entry: _Entry) -> None:
        for item in entry.lead.idents if entry.lead else ():
            for token in {item.token, item.alias} - {""}:
                self._led.setdefault(token, []).append((item, entry))
        for item in mentions(entry.heading.text):
            self._mentioned.setdefault(item.token, []).append((item, entry))
        for word in dict.fromkeys(_words(entry.heading.text)):
            self._worded.setdefault(word, []).append(entry)

    def find(self, identifier: str) -> SectionMatch | None:
        """The best heading, or None if none fits or several fit equally well."""
        found = self.find_all(identifier)
        return found[0] if len(found) == 1 else None

    def find_all(self, identifier: str) -> tuple[SectionMatch, ...]:
        """The best heading, or all that a range covers; empty if one is missing.

        `Steps 1-3` includes a step 2b between them.
        """
        wanted = parse_ident(identifier)
        if not wanted:
            named = self._named(identifier)
            return (named,) if named else ()
        ends = [self._ident(item, loose=False) for item in (wanted[0], wanted[-1])]
        if len(wanted) > 1 and ends[0] and ends[1]:
            between = self._between(ends[0].heading, ends[1].heading)
            if between:
                return tuple(SectionMatch(heading, ends[0].via) for heading in between)
        every = [self._ident(item, loose=False) for item in wanted]
        found = tuple(dict.fromkeys(item for item in every if item))
        return found if all(every) else ()

    def find_items(self, identifier: str) -> tuple[SectionMatch, ...]:
        """The same among numbered items, for documents that give headings to groups only."""
        found = [self._item(wanted) for wanted in parse_ident(identifier)]
        return tuple(dict.fromkeys(item for item in found if item)) if all(found) else ()

    def _item(self, wanted: Ident) -> SectionMatch | None:
        tokens = dict.fromkeys((wanted.token, wanted.alias))
        pairs = [pair for token in tokens for pair in self._items.get(token, ())]
        fitting = [entry for item, entry in pairs if _lead_fit(wanted, item, entry, loose=False)]
        return _only(fitting, Via.ITEM) if fitting else None

    def _between(self, first: Heading, last: Heading) -> tuple[Heading, ...]:
        """Both and their siblings between them, if they are siblings."""
        inner = self.document.headings_between(first.line, last.line)
        if first.line >= last.line or first.level != last.level:
            return ()
        siblings = tuple(heading for heading in inner if heading.level <= first.level)
        return siblings if all(item.level == first.level for item in siblings) else ()

    def _ident(self, wanted: Ident, *, loose: bool) -> SectionMatch | None:
        tokens = dict.fromkeys((wanted.token, wanted.alias))
        led = [pair for token in tokens for pair in self._led.get(token, ())]
        ranked = [(_lead_fit(wanted, item, entry, loose), entry) for item, entry in led]
        best = max((score for score, _ in ranked), default=0)
        if best > 0:
            return _only((entry for score, entry in ranked if score == best), Via.LEAD)
        about = [entry for entry in self._mentioning(wanted) if _may_be_about(entry, wanted)]
        if about:
            return _only(about, Via.MENTION)
        parent = wanted.parent
        dotted = parent is not None and wanted.token.startswith(f"{parent.token}.")
        found = self._ident(parent, loose=dotted or loose) if parent else None
        return found and found._replace(via=Via.PREFIX)

    def _mentioning(self, wanted: Ident) -> list[_Entry]:
        pairs = self._mentioned.get(wanted.token, ())
        same = (entry for item, entry in pairs if not wanted.plain or item.label == wanted.label)
        return list(dict.fromkeys(same))

    def _named(self, name: str) -> SectionMatch | None:
        words = _words(name)
        if not words:
            return None
        ranked = [(_name_fit(words, entry), entry) for entry in self._worded.get(words[0], ())]
        best = max((score for score, _ in ranked), default=0)
        if best == 0:
            return None
        return _only((entry for score, entry in ranked if score == best), Via.NAME)


def extract_section(markdown: str, identifier: str) -> str | None:
    """The exact text of the section that the identifier names, through its last line."""
    index = SectionIndex(outline(markdown))
    found = index.find(identifier)
    return None if found is None else index.document.section(found.heading)


def _lead_fit(wanted: Ident, found: Ident, entry: _Entry, loose: bool) -> int:
    score = fit(wanted, found, loose=loose) if found.token == wanted.token else _ALIAS_FIT
    separated = entry.lead is not None and entry.lead.separated
    return score if separated or score == 0 else score - _UNSEPARATED


def _words(text: str) -> tuple[str, ...]:
    return tuple(_WORD.findall(text.casefold()))


def _name_fit(words: tuple[str, ...], entry: _Entry) -> int:
    own = _words(entry.lead.title) if entry.lead else _words(entry.heading.text)
    full = _words(entry.heading.text)
    if words in (own, full):
        return 3
    if words in (own[: len(words)], full[: len(words)]):
        return 2
    spans = (full[start : start + len(words)] for start in range(len(full)))
    return 1 if words in spans else 0


def _may_be_about(entry: _Entry, wanted: Ident) -> bool:
    """Whether the heading can be about `wanted`: not if led by another identifier of that kind.

    `Step 1.4: Update section 1.5` is not 1.5, and `1B: … (after 1A)` is not 1A.
    """
    if entry.lead is None:
        return True
    own = entry.lead.ident
    if own.token == wanted.token:
        return True
    return own.token[:1].isdigit() != wanted.token[:1].isdigit()


def _only(entries: Iterable[_Entry], via: Via) -> SectionMatch | None:
    """The only heading, or the outermost if it contains all others."""
    headings = sorted({entry.heading for entry in entries}, key=lambda heading: heading.line)
    outer = headings[0]
    if all(heading.end <= outer.end for heading in headings[1:]):
        return SectionMatch(outer, via)
    return None
