"""Looks for secrets in exactly the bytes that are about to be committed.

A hit says where and what kind, never the value. Nothing written in a file can switch this off. The
time it takes is linear in the size of a file, whatever its content; the memory does not grow with
it, because a text is read in pieces that overlap.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import NamedTuple

from sparing.redact import Redactor, find_formats
from sparing.workspace.project.secret_rules import RULES, file_rule

KNOWN = "secret of this run"
MOST_HITS = 20
"""Hits reported per file; the first few are enough."""
PIECE = 1024 * 1024
OVERLAP = 64 * 1024
"""Characters on either side of a piece that are read with it: what begins in it may end there."""


class Hit(NamedTuple):
    path: str
    line: int
    """The line number; 0 if the file itself is the hit."""
    rule: str

    @property
    def words(self) -> str:
        place = f"{self.path}, line {self.line}" if self.line else self.path
        return f"{place}: {self.rule}"


class _Place(NamedTuple):
    start: int
    rule: str


def scan(files: Iterable[tuple[str, bytes]], known: Iterable[str] = ()) -> tuple[Hit, ...]:
    """At most one hit per line, in the order of files and lines."""
    redactor = Redactor(known)
    hits: list[Hit] = []
    for path, data in files:
        # A file can be named after a secret.
        name = redactor.clean(path)
        if name != path:
            hits.append(Hit(name, 0, "name of the file"))
        if rule := file_rule(path):
            hits.append(Hit(name, 0, rule))
        hits += (Hit(name, line, rule) for line, rule in _lines(path, data, redactor))
    return tuple(hits)


def _lines(path: str, data: bytes, known: Redactor) -> list[tuple[int, str]]:
    texts = [_as_text(data)]
    if b"\0" in data:
        # Text of two bytes a letter; in anything else this does no harm.
        texts.append(_as_text(data.replace(b"\0", b"")))
    found: dict[int, str] = {}
    for text in texts:
        for line, rule in _numbered(path, text, known):
            found.setdefault(line, rule)
            if len(found) == MOST_HITS:
                break
    return sorted(found.items())


def _numbered(path: str, text: str, known: Redactor) -> Iterator[tuple[int, str]]:
    """The line of each hit and its rule, piece by piece."""
    line = 1
    for begin in range(0, len(text), PIECE):
        end, before = begin + PIECE, max(0, begin - OVERLAP)
        piece = text[before : end + OVERLAP] if len(text) > PIECE else text
        for start, rule in _places(path, piece, known):
            if begin <= before + start < end:
                yield line + text.count("\n", begin, before + start), rule
        line += text.count("\n", begin, end)


def _places(path: str, text: str, known: Redactor) -> Iterator[_Place]:
    yield from (_Place(start, KNOWN) for start, _ in known.places(text))
    yield from (_Place(found.start, found.name) for found in find_formats(text))
    for rule in RULES:
        yield from (_Place(start, rule.name) for start in rule.find(path, text))


def _as_text(data: bytes) -> str:
    """Decode one character per byte, so that any file can be read."""
    return data.decode("latin-1")
