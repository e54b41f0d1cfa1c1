"""The forms that a setting's value can take.

A kind says in words what it expects and turns what stood in a file (`accept`) or in a
variable (`from_text`) into the value, or into None where that is not possible. Every kind is a
few comparisons: pydantic models would cost more than `sparing status` may take in all.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from enum import StrEnum
from typing import NamedTuple, Protocol, cast

Value = str | int | float | tuple[str, ...]
PATTERN_MODEL = r"[A-Za-z0-9][A-Za-z0-9._:/@\[\]-]{0,199}"
PATTERN_DATABASE = r"(postgres(ql)?://(?![^\s?]*:[^\s?@]*@)(?!\S*[?&]password=)\S{1,1000})?"
PATTERN_OWN_PATH = r"((/|~/).{1,4000})?"
PATTERN_BRANCH = r"((?!.*(\.\.|//|/\.|@\{|\.lock(/|$)))[^\W][\w./+@#-]{0,199}(?<![./]))?"
PATTERN_PRICE = PATTERN_MODEL + r"( [0-9]{1,6}(\.[0-9]{1,6})?){5}"
PATTERN_POINT = r"[A-Za-z0-9._:-]{0,200}(@[0-9]{1,6})?"
PATTERN_COMMAND = r"\S.{0,999}"
PATTERN_FILES = r"(?!/|~|!|#)(?!(.*/)?\.\.?(/|$))[^\\]{1,200}"
PATTERN_HOST = r"\*|[A-Za-z0-9]([A-Za-z0-9.-]{0,251}[A-Za-z0-9])?(:[0-9]{1,5})?"
PATTERN_PHRASE = r"[^|;\n]{1,100}"
PATTERN_NAME = r"[A-Za-z0-9][A-Za-z0-9_-]{0,63}"
MOST_LINES = 50


class ValueForm(Protocol):
    @property
    def expected(self) -> str:
        """What a good value is, to be read after "is not"."""
        ...

    def accept(self, raw: object) -> Value | None: ...

    def from_text(self, text: str) -> Value | None: ...


class OneOf(NamedTuple):
    names: type[StrEnum] | tuple[str, ...]

    @property
    def expected(self) -> str:
        return "one of " + ", ".join(self.names)

    def accept(self, raw: object) -> Value | None:
        kind = str if isinstance(self.names, tuple) else self.names
        return kind(raw) if isinstance(raw, str) and raw in list(self.names) else None

    def from_text(self, text: str) -> Value | None:
        return self.accept(text)


class Whole(NamedTuple):
    low: int
    high: int

    @property
    def expected(self) -> str:
        return f"a whole number from {self.low} to {self.high}"

    def accept(self, raw: object) -> Value | None:
        # `true` is an int for Python, never for a reader of the file.
        if not isinstance(raw, int) or isinstance(raw, bool):
            return None
        return raw if self.low <= raw <= self.high else None

    def from_text(self, text: str) -> Value | None:
        return self.accept(int(text)) if re.fullmatch("-?[0-9]{1,18}", text) else None


class Switch(NamedTuple):
    expected: str = "true or false"

    def accept(self, raw: object) -> Value | None:
        return raw if isinstance(raw, bool) else None

    def from_text(self, text: str) -> Value | None:
        return {"true": True, "false": False}.get(text.strip().lower())


class Seconds(NamedTuple):
    high: int

    @property
    def expected(self) -> str:
        return f"a number of seconds above 0 and up to {self.high}"

    def accept(self, raw: object) -> Value | None:
        if not isinstance(raw, int | float) or isinstance(raw, bool):
            return None
        return float(raw) if 0 < raw <= self.high else None

    def from_text(self, text: str) -> Value | None:
        plain = re.fullmatch(r"[0-9]{1,18}(\.[0-9]{1,18})?", text)
        return self.accept(float(text)) if plain else None


class Money(NamedTuple):
    """US dollars. Nobody can set a cap to nothing, and none is so high that it is none."""

    high: int

    @property
    def expected(self) -> str:
        return f"an amount of US dollars above 0 and up to {self.high}"

    def accept(self, raw: object) -> Value | None:
        return Seconds(self.high).accept(raw)

    def from_text(self, text: str) -> Value | None:
        return Seconds(self.high).from_text(text)


class Prices(NamedTuple):
    """A line a model; the last one for a model counts."""

    expected: str = 'a list of lines such as "my-model 3 15 0.30 3.75 6"'

    def accept(self, raw: object) -> Value | None:
        if not isinstance(raw, list | tuple):
            return None
        lines = list(cast("Iterable[object]", raw))
        good = all(isinstance(one, str) and re.fullmatch(PATTERN_PRICE, one) for one in lines)
        return tuple(cast("list[str]", lines)) if good else None

    def from_text(self, text: str) -> Value | None:
        return self.accept([line.strip() for line in text.split(",")] if text.strip() else [])


class Lines(NamedTuple):
    """A list of texts; in a variable they are parted by `between`."""

    expected: str
    pattern: str
    between: str = ","

    def accept(self, raw: object) -> Value | None:
        if not isinstance(raw, list | tuple):
            return None
        found = list(cast("Iterable[object]", raw))
        lines = [Text("", self.pattern).accept(one) for one in found]
        return None if None in lines or len(lines) > MOST_LINES else tuple(map(str, lines))

    def from_text(self, text: str) -> Value | None:
        return self.accept([line.strip() for line in text.split(self.between) if line.strip()])


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
        return f"a table of {numbers} by {names}; in a variable: {one}={self.low}"

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
        return f"a table of lists of headings by {names}; in a variable: {self.known[0]}: One | Two"

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


class Text(NamedTuple):
    expected: str
    pattern: str

    def accept(self, raw: object) -> Value | None:
        if not isinstance(raw, str) or not raw.isprintable():
            return None
        return raw if re.fullmatch(self.pattern, raw) else None

    def from_text(self, text: str) -> Value | None:
        return self.accept(text)


class FolderPath(NamedTuple):
    """A folder inside the repository, whatever the file system thinks of case and dots."""

    expected: str = "a relative folder inside the repository, without .. or .git"

    def accept(self, raw: object) -> Value | None:
        if not isinstance(raw, str) or len(raw) > 200:
            return None
        folder = raw.removesuffix("/")
        return folder if all(_is_plain(part) for part in folder.split("/")) else None

    def from_text(self, text: str) -> Value | None:
        return self.accept(text)


class Names(NamedTuple):
    """A list of names out of a closed set; repeated ones count once."""

    known: tuple[str, ...]

    @property
    def expected(self) -> str:
        return "a list of " + ", ".join(self.known)

    def accept(self, raw: object) -> Value | None:
        if not isinstance(raw, list | tuple):
            return None
        items = list(cast("Iterable[object]", raw))
        good = all(isinstance(item, str) and item in self.known for item in items)
        return tuple(dict.fromkeys(cast("list[str]", items))) if good else None

    def from_text(self, text: str) -> Value | None:
        return self.accept([name.strip() for name in text.split(",")] if text.strip() else [])


def _is_plain(part: str) -> bool:
    letters = all(letter.isalnum() or letter in "._- " for letter in part)
    # Some file systems drop trailing dots and blanks, or know .git by a short name.
    unclear = not part.strip(". ") or part[0] in "- " or part[-1] in ". "
    return letters and not unclear and part.casefold() != ".git"
