"""Tests that are written in the file they test, as in Rust: taken from one version to another.

Only whole modules marked `#[cfg(test)]` are known. Braces in strings, characters and comments do
not count.
"""

from __future__ import annotations

import re
from typing import NamedTuple

_MODULE = re.compile(
    r"#\[cfg\(test\)\]\s*(?:#\[[^\]]*\]\s*)*(?:pub(?:\([^)]*\))?\s+)?mod\s+(\w+)\s*\{"
)
_TOKEN = re.compile(
    r"//[^\n]*|/\*.*?\*/|r(#*)\".*?\"\1|\"(?:\\.|[^\"\\])*\"|'(?:\\[^']*|[^'\\])'|[{}]", re.DOTALL
)


_OWN = re.compile(r"(?:macro_rules!\s*|\bmacro\s+|\bas\s+)((?:debug_)?assert(?:_eq|_ne)?|panic)\b")


class _Block(NamedTuple):
    name: str
    begin: int
    end: int


def with_old_tests(before: str, now: str) -> str:
    """The new code with the test modules that it had before; new ones are left out."""
    old = {one.name: before[one.begin : one.end] for one in _blocks(before)}
    if not old:
        return now
    for block in reversed(_blocks(now)):
        now = now[: block.begin] + old.pop(block.name, "") + now[block.end :]
    return "\n".join((now, *old.values()))


def own_assertions(before: str, now: str) -> tuple[str, ...]:
    """Assertions of the language that the code has now defined itself: tests in the same crate
    use those instead."""
    old, new = ({match[1] for match in _OWN.finditer(text)} for text in (before, now))
    return tuple(sorted(new - old))


def _blocks(text: str) -> list[_Block]:
    found: list[_Block] = []
    for match in _MODULE.finditer(text):
        if not found or match.start() >= found[-1].end:
            found.append(_Block(match[1], match.start(), _closed(text, match.end())))
    return found


def _closed(text: str, begin: int) -> int:
    """Where the brace before this place is closed; the end of the text if it never is."""
    depth = 1
    for token in _TOKEN.finditer(text, begin):
        depth += {"{": 1, "}": -1}.get(token[0], 0)
        if not depth:
            return token.end()
    return len(text)
