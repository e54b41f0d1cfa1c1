"""One page of the knowledge bank: a markdown file that people and programs edit.

Read tolerantly and written back to the byte: a page is its lines, an entry is a range of them.
Changes touch the lines they are about and no other, so that a hand-made form survives.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from enum import StrEnum
from typing import NamedTuple


class EntryKind(StrEnum):
    PATTERN = "pattern"
    ANTI_PATTERN = "anti-pattern"
    HEURISTIC = "heuristic"
    PRINCIPLE = "principle"


FILES = {
    "patterns.md": EntryKind.PATTERN,
    "anti-patterns.md": EntryKind.ANTI_PATTERN,
    "heuristics.md": EntryKind.HEURISTIC,
    "constitution.md": EntryKind.PRINCIPLE,
}
LAST_OBSERVED = "last observed"
COUNT = "observation count"
STALE = "⚠️ STALE"
_ENTRY = re.compile(r" {0,3}###[ \t]+(\S.*?)[ \t]*#*[ \t]*\Z")
_HIGHER = re.compile(r" {0,3}##?([ \t]|\Z)")
_FENCE = re.compile(r" {0,3}(`{3,}|~{3,})")
_FIELD = re.compile(
    r"([-*+])[ \t]+(\*\*|__)?((?:⚠️ )?[A-Za-z][A-Za-z ]{0,30}?)(?:(?:\*\*|__)?[ \t]*:(?:\*\*|__)?)"
    r"(?:[ \t]+(.*))?\Z"
)
_PREFIX = re.compile(r"(anti-)?patterns?:\s*|heuristics?:\s*|\d+\.\s+", re.IGNORECASE)


class Field(NamedTuple):
    name: str
    """In lower case."""
    value: str
    line: int


@dataclass(frozen=True, slots=True)
class BankEntry:
    kind: EntryKind
    title: str
    text: str
    """All of it, without its heading."""
    fields: tuple[Field, ...]
    first: int
    end: int
    """`first` and `end` delimit its lines in the page, without the empty ones after it."""

    def field(self, name: str) -> Field | None:
        """The last one of that name: lists grow at their end."""
        return next((field for field in reversed(self.fields) if field.name == name), None)

    def value(self, name: str) -> str:
        found = self.field(name)
        return found.value if found else ""

    @property
    def key(self) -> str:
        """How judgements name it."""
        return title_key(self.title)

    @property
    def count(self) -> int:
        digits = re.match(r"\d{1,6}", self.value(COUNT))
        return int(digits.group()) if digits else 1

    @property
    def is_stale(self) -> bool:
        return any(field.name == STALE.lower() for field in self.fields)


@dataclass(frozen=True, slots=True)
class Page:
    kind: EntryKind
    lines: tuple[str, ...]
    """Lines with their line ends."""
    entries: tuple[BankEntry, ...]

    @property
    def text(self) -> str:
        return "".join(self.lines)

    @property
    def newline(self) -> str:
        return "\r\n" if self.lines and self.lines[0].endswith("\r\n") else "\n"


def read_page(kind: EntryKind, text: str) -> Page:
    """Read any text; what is no entry is kept as it is."""
    lines = tuple(_lines(text))
    seen = tuple(visible(lines))
    starts = [n for n, line in enumerate(seen) if line is not None and _ENTRY.match(line)]
    entries = tuple(_entry(kind, seen, lines, start) for start in starts)
    return Page(kind, lines, entries)


def title_key(title: str) -> str:
    """Titles are compared without their kind's word, marks and case."""
    bare = _PREFIX.sub("", title.replace(STALE, "").strip(), count=1)
    return " ".join(re.findall(r"\w+", bare.lower()))


def _lines(text: str) -> Iterator[str]:
    """Lines split at newlines only, not at other Unicode line ends."""
    parts = text.split("\n")
    yield from (f"{part}\n" for part in parts[:-1])
    if parts[-1]:
        yield parts[-1]


def visible(lines: Iterable[str]) -> Iterator[str | None]:
    """Each line without its end; None inside of a fence or a comment."""
    fence, comment = "", False
    for line in lines:
        bare = line.rstrip("\r\n")
        opened = _FENCE.match(bare)
        if fence:
            closes = opened is not None and opened[1].startswith(fence)
            fence = "" if closes and not bare.strip(" `~") else fence
            yield None
        elif comment or bare.lstrip().startswith("<!--"):
            comment = "-->" not in bare
            yield None
        elif opened:
            fence = opened[1]
            yield None
        else:
            yield bare


def _entry(
    kind: EntryKind, visible: tuple[str | None, ...], lines: tuple[str, ...], start: int
) -> BankEntry:
    end = start + 1
    while end < len(visible) and not _ends(visible[end]):
        end += 1
    while end > start + 1 and not lines[end - 1].strip():
        end -= 1
    heading = _ENTRY.match(visible[start] or "")
    assert heading is not None
    numbered = ((n, visible[n]) for n in range(start + 1, end))
    fields = (_field(n, line) for n, line in numbered if line is not None)
    text = "".join(lines[start + 1 : end])
    return BankEntry(kind, heading[1], text, tuple(f for f in fields if f), start, end)


def _ends(line: str | None) -> bool:
    if line is None:
        return False
    return bool(_ENTRY.match(line) or _HIGHER.match(line)) or line.strip() in ("---", "***", "___")


def _field(number: int, line: str) -> Field | None:
    found = _FIELD.match(line)
    return Field(found[3].lower(), (found[4] or "").strip(), number) if found else None
