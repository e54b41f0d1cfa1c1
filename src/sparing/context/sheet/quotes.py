"""Locations quoted by the program: exact lines of a commit, identified by a digest.

A short range is quoted verbatim; for a long one, and for a symbol, only the signatures are. Names
are found by simple patterns for common languages.
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from enum import StrEnum
from pathlib import PurePosixPath

from sparing.context.sheet.source_locations import NamedFact
from sparing.printable import printable

MOST_LINES = 10
LINE_CHARS = 160
SIGNATURE_LINES = 6
AFTER_LINE = 2
"""Lines quoted after one that was named alone."""
SHORTEST_NAME = 4
MOST_USES = 3
_WORD = r"[A-Za-z_]\w*"
_DEFINED = re.compile(
    r"^[ \t]*(?:(?:export|default|public|private|protected|static|async|abstract|final|pub)\s+)*"
    r"(?:def|class|func|fn|function|struct|enum|trait|interface|type|const|let|var)\s+"
    rf"(?:\([^)\n]{{0,60}}\)\s*)?(?P<name>{_WORD})"
)
_TARGET = re.compile(rf"^(?P<name>{_WORD}(?:-\w+)*)[ \t]*:(?!=)")
_TEST = re.compile(r"(?:^|/)(?:tests?|spec|__tests__)/|(?:^|/)test_|_test\.|\.(?:test|spec)\.")
_COMMANDS = frozenset({"Makefile", "makefile", "justfile", "package.json", "tox.ini", "noxfile.py"})
_PROSE = frozenset({".md", ".rst", ".txt", ".adoc"})


class FactKind(StrEnum):
    INTERFACE = "interface"
    TEST = "test"
    COMMAND = "command"
    CONVENTION = "convention"
    CODE = "code"


@dataclass(frozen=True, slots=True)
class QuotedFact:
    path: str
    numbers: tuple[int, ...]
    lines: tuple[str, ...]
    """As they may be shown."""
    digest: str
    """Digest of the lines as they are in the commit."""
    kind: FactKind
    question: str = ""
    name: str = ""
    """What is defined there."""
    used: tuple[str, ...] = ()
    """Some places that use the name."""
    uses: int = 0


def quoted(fact: NamedFact, text: str, clean: Callable[[str], str]) -> QuotedFact | None:
    """None if the place is not there. `clean` takes secrets out and keeps every line."""
    raw = split(text)
    numbers = _numbers(fact, raw)
    if not numbers:
        return None
    shown = split(clean(text))
    lines = tuple(_line(shown[n - 1]) if n <= len(shown) else "" for n in numbers)
    name = _name(fact.path, raw[numbers[0] - 1])
    return QuotedFact(
        path=fact.path,
        numbers=numbers,
        lines=lines,
        digest=digest_of(raw, numbers),
        kind=_kind(fact.path, name),
        question=fact.question,
        name=name,
    )


def split(text: str) -> list[str]:
    lines = text.split("\n")
    return lines[:-1] if lines and not lines[-1] else lines


def digest_of(lines: Sequence[str], numbers: Sequence[int]) -> str:
    """Digest of these lines of a file; it differs if one of them is missing."""
    chosen = (lines[n - 1] if n <= len(lines) else "\0" for n in numbers)
    return hashlib.sha256("\n".join(chosen).encode("utf-8", "surrogatepass")).hexdigest()


def with_uses(fact: QuotedFact, texts: Mapping[str, str]) -> QuotedFact:
    """Add where else its name occurs, tests last."""
    if len(fact.name) < SHORTEST_NAME or fact.kind is not FactKind.INTERFACE:
        return fact
    word, found = re.compile(rf"\b{re.escape(fact.name)}\b"), list[str]()
    for path, text in sorted(texts.items(), key=lambda one: (bool(_TEST.search(one[0])), one[0])):
        if path != fact.path and (match := word.search(text)):
            found.append(f"{path}:{text.count(chr(10), 0, match.start()) + 1}")
    return replace(fact, used=tuple(found[:MOST_USES]), uses=len(found))


def defining(symbol: str, texts: Mapping[str, str]) -> str:
    """The one file that defines it; empty if there is none or more."""
    name, found = symbol.rpartition(".")[2].rstrip("()"), list[str]()
    if len(name) < SHORTEST_NAME:
        return ""
    for path, text in texts.items():
        if name in text and _definition(name, split(text)):
            found.append(path)
    return found[0] if len(found) == 1 else ""


def _numbers(fact: NamedFact, lines: Sequence[str]) -> tuple[int, ...]:
    if fact.symbol:
        line = _definition(fact.symbol.rpartition(".")[2], lines)
        return tuple(_signature(lines, line)) if line else ()
    if not fact.first:  # a file as a whole: what it defines
        return tuple(n for n, line in enumerate(lines, 1) if _DEFINED.match(line))[:MOST_LINES]
    if fact.first > len(lines):
        return ()
    last = min(fact.last or fact.first, len(lines))
    if last == fact.first:
        if _DEFINED.match(lines[fact.first - 1]):
            return tuple(_signature(lines, fact.first))
        last = min(fact.first + AFTER_LINE, len(lines))
    whole = range(fact.first, last + 1)
    if len(whole) <= MOST_LINES:
        return tuple(whole)
    signatures = [n for n in whole if _DEFINED.match(lines[n - 1])]
    return tuple((signatures or whole)[:MOST_LINES])


def _definition(name: str, lines: Sequence[str]) -> int:
    """The line that defines a name; 0 if there is none."""
    for number, line in enumerate(lines, 1):
        if name in line:
            for pattern in (_DEFINED, _TARGET):
                match = pattern.match(line)
                if match and match["name"] == name:
                    return number
    return 0


def _signature(lines: Sequence[str], first: int) -> Iterator[int]:
    """The lines of a signature, until its brackets are closed."""
    depth = 0
    for number in range(first, min(first + SIGNATURE_LINES, len(lines) + 1)):
        line = lines[number - 1]
        depth += sum(map(line.count, "([")) - sum(map(line.count, ")]"))
        yield number
        if depth <= 0:
            return


def _name(path: str, line: str) -> str:
    match = _DEFINED.match(line)
    if match is None and PurePosixPath(path).name in _COMMANDS:
        match = _TARGET.match(line)
    return match["name"] if match else ""


def _kind(path: str, name: str) -> FactKind:
    place = PurePosixPath(path)
    if place.name in _COMMANDS or place.suffix == ".sh":
        return FactKind.COMMAND
    if _TEST.search(path):
        return FactKind.TEST
    if place.suffix in _PROSE:
        return FactKind.CONVENTION
    return FactKind.INTERFACE if name else FactKind.CODE


def _line(text: str) -> str:
    shown = printable(text.rstrip("\r"))
    return shown if len(shown) <= LINE_CHARS else f"{shown[: LINE_CHARS - 1]}…"
