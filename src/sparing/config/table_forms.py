"""The forms of settings that are tables: names with words, numbers or phrases.

Each is kept as lines, so that a variable can say what a file says.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from typing import NamedTuple, cast

from sparing.config.value_forms import (
    MOST_LINES,
    PATTERN_MODEL,
    PATTERN_NAME,
    PATTERN_PHRASE,
    Value,
)


class Pairs(NamedTuple):
    """A table of names and words, kept as lines `name word`; a table in it joins its name."""

    expected: str
    depth: int = 1

    def accept(self, raw: object) -> Value | None:
        if isinstance(raw, dict):
            lines = list(_pairs(cast("dict[str, object]", raw), self.depth))
        else:
            lines = list(cast("Iterable[object]", raw)) if isinstance(raw, list | tuple) else [None]
        pattern = r"\.".join((PATTERN_NAME,) * self.depth) + f" {PATTERN_MODEL}"
        good = all(isinstance(one, str) and re.fullmatch(pattern, one) for one in lines)
        return tuple(cast("list[str]", lines)) if good and len(lines) <= MOST_LINES else None

    def from_text(self, text: str) -> Value | None:
        parts = (part.strip() for part in text.split(",") if part.strip())
        return self.accept([part.replace("=", " ", 1) for part in parts])


class ChoiceTable(NamedTuple):
    """A table of names and words out of a closed set, kept as lines `name word`."""

    known: tuple[str, ...]
    example: str

    @property
    def expected(self) -> str:
        words = ", ".join(self.known)
        return f"a table of names with one of {words}; in an environment variable: {self.example}"

    def accept(self, raw: object) -> Value | None:
        lines = Pairs("").accept(raw)
        good = isinstance(lines, tuple) and all(self._fits(one) for one in lines)
        return lines if good else None

    def _fits(self, line: str) -> bool:
        return line.partition(" ")[2] in self.known

    def from_text(self, text: str) -> Value | None:
        lines = Pairs("").from_text(text)
        return None if lines is None else self.accept(lines)


def _pairs(table: Mapping[str, object], depth: int) -> Iterator[str | None]:
    for name, word in table.items():
        if depth > 1 and isinstance(word, dict):
            for line in _pairs(cast("dict[str, object]", word), depth - 1):
                yield None if line is None else f"{name}.{line}"
        else:
            yield f"{name} {word}" if isinstance(word, str) else None


class CountTable(NamedTuple):
    """A table of names out of a closed set and whole numbers, kept as lines `name number`."""

    known: tuple[str, ...]
    low: int
    high: int

    @property
    def expected(self) -> str:
        one, names = self.known[0], ", ".join(self.known)
        numbers = f"whole numbers from {self.low} to {self.high}"
        return f"a table of {numbers} by {names}; in an environment variable: {one}={self.low}"

    def accept(self, raw: object) -> Value | None:
        if isinstance(raw, dict):
            pairs = list(cast("dict[str, object]", raw).items())
            if not all(isinstance(one, int) and not isinstance(one, bool) for _, one in pairs):
                return None
            raw = [f"{name} {one}" for name, one in pairs]
        lines = list(cast("Iterable[object]", raw)) if isinstance(raw, list | tuple) else [None]
        good = all(isinstance(line, str) and self._fits(line) for line in lines)
        return tuple(cast("list[str]", lines)) if good else None

    def _fits(self, line: str) -> bool:
        name, _, number = line.partition(" ")
        plain = re.fullmatch("[0-9]{1,9}", number)
        return name in self.known and plain is not None and self.low <= int(number) <= self.high

    def from_text(self, text: str) -> Value | None:
        parts = (part.strip() for part in text.split(",") if part.strip())
        return self.accept([part.replace("=", " ", 1) for part in parts])


class PhraseTable(NamedTuple):
    """A table of names out of a closed set and lists of phrases, kept as lines `name: a | b`."""

    known: tuple[str, ...]

    @property
    def expected(self) -> str:
        names = ", ".join(self.known)
        example = f"{self.known[0]}: One | Two"
        return f"a table of lists of headings by {names}; in an environment variable: {example}"

    def accept(self, raw: object) -> Value | None:
        if isinstance(raw, dict):
            table = cast("dict[str, object]", raw)
            raw = [_phrase_line(name, value) for name, value in table.items()]
        lines = list(cast("Iterable[object]", raw)) if isinstance(raw, list | tuple) else [None]
        good = all(isinstance(line, str) and self._fits(line) for line in lines)
        return tuple(cast("list[str]", lines)) if good else None

    def _fits(self, line: str) -> bool:
        name, colon, phrases = line.partition(": ")
        plain = all(re.fullmatch(PATTERN_PHRASE, one) for one in phrases.split(" | ") if phrases)
        return name in self.known and bool(colon) and plain

    def from_text(self, text: str) -> Value | None:
        return self.accept([part.strip() for part in text.split(";") if part.strip()])


def _phrase_line(name: str, phrases: object) -> str | None:
    if not isinstance(phrases, list | tuple):
        return None
    words = list(cast("Iterable[object]", phrases))
    good = all(isinstance(one, str) for one in words)
    return f"{name}: {' | '.join(cast('list[str]', words))}" if good else None
