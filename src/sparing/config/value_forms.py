"""The forms that a setting's value can take.

A form describes what it expects and turns what was in a file (`accept`) or in a variable
(`from_text`) into the value, or into None if it is not valid. Every form is a few comparisons:
pydantic models would cost more than `sparing status` may take in total.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
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
# `**` stands for folders, and for them alone.
PATTERN_FILES = r"(?!/|~|!|#)(?!(.*/)?\.\.?(/|$))(?!.*([^/]\*\*|\*\*[^/]))[^\\]{1,200}"
PATTERN_FOLDER = r"((?!/|~|-)(?!(.*/)?\.{1,2}(/|$))[^\\\s*?]{1,200}(?<!/))?"
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


class ThreeWay(NamedTuple):
    """True, false, or a word between them."""

    names: type[StrEnum]

    @property
    def expected(self) -> str:
        return "one of " + ", ".join(self.names)

    def accept(self, raw: object) -> Value | None:
        return self.from_text(str(raw).lower() if isinstance(raw, bool) else str(raw))

    def from_text(self, text: str) -> Value | None:
        return self.names(text) if text in list(self.names) else None


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
    """US dollars. A cap can't be zero, nor so high that it is none."""

    high: int

    @property
    def expected(self) -> str:
        return f"an amount of US dollars above 0 and up to {self.high}"

    def accept(self, raw: object) -> Value | None:
        return Seconds(self.high).accept(raw)

    def from_text(self, text: str) -> Value | None:
        return Seconds(self.high).from_text(text)


class Prices(NamedTuple):
    """One line per model; the last one for a model counts."""

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
