"""Looks for secrets in exactly the bytes that are about to be committed.

A hit says where and what kind, never the value. Nothing written in a file can switch this off. The
time it takes is linear in the size of a file, whatever its content; the memory does not grow with
it, because a text is read in pieces that overlap.
"""

from __future__ import annotations

import re
from bisect import bisect_left
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

_BREAK = re.compile("\n")


class Hit(NamedTuple):
    path: str
    line: int
    """The line number; 0 if the file itself is the hit."""
    rule: str
    last: int = 0
    """The last line of a known value that is spread over several."""

    @property
    def words(self) -> str:
        place = f"{self.path}, line {self.line}" if self.line else self.path
        return f"{place}: {self.rule}"


class _Place(NamedTuple):
    start: int
    rule: str
    end: int = 0


def scan(
    files: Iterable[tuple[str, bytes]], known: Iterable[str] = (), most: int = MOST_HITS
) -> tuple[Hit, ...]:
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
        hits += (Hit(name, *row) for row in _lines(path, data, redactor, most))
    return tuple(hits)


def _lines(path: str, data: bytes, known: Redactor, most: int) -> list[tuple[int, str, int]]:
    texts = [_as_text(data)]
    if b"\0" in data:
        # Text of two bytes a letter; in anything else this does no harm.
        texts.append(_as_text(data.replace(b"\0", b"")))
    found: dict[int, tuple[str, int]] = {}
    for text in texts:
        for line, rule, last in _numbered(path, text, known):
            rule, longest = found.get(line, (rule, 0))
            found[line] = rule, max(last, longest)
            if len(found) == most:
                break
    return sorted((line, *row) for line, row in found.items())


def _numbered(path: str, text: str, known: Redactor) -> Iterator[tuple[int, str, int]]:
    """The line of each hit, its rule and the last line of a longer one, piece by piece."""
    line = 1
    for begin in range(0, len(text), PIECE):
        end, before = begin + PIECE, max(0, begin - OVERLAP)
        piece = text[before : end + OVERLAP] if len(text) > PIECE else text
        breaks = [found.start() for found in _BREAK.finditer(text, begin, end)]
        for start, rule, stop in _places(path, piece, known):
            if begin <= before + start < end:
                number = line + bisect_left(breaks, before + start)
                more = piece.count("\n", start, stop) if stop else 0
                yield number, rule, number + more if more else 0
        line += len(breaks)


def _places(path: str, text: str, known: Redactor) -> Iterator[_Place]:
    yield from (_Place(start, KNOWN, end) for start, end in known.places(text))
    yield from (_Place(found.start, found.name) for found in find_formats(text))
    for rule in RULES:
        yield from (_Place(start, rule.name) for start in rule.find(path, text))


def _as_text(data: bytes) -> str:
    """Decode one character per byte, so that any file can be read."""
    return data.decode("latin-1")
