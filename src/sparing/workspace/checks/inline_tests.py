"""Tests that are written in the file they test, as in Rust: taken from one version to another.

Known are whole modules marked `#[cfg(test)]`, also under further conditions, and single functions
marked as tests. Braces in strings, characters and comments do
not count.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from pathlib import PurePosixPath
from typing import NamedTuple

_CONDITION = r"#\[cfg\(\s*(?:test\b|(?:all|any)\(\s*test\b)[^\]]*\]\s*"
_MORE = r"(?:#\[[^\]]*\]\s*)*(?:pub(?:\([^)]*\))?\s+)?"
_TESTS = re.compile(
    rf"{_CONDITION}{_MORE}mod\s+(\w+)\s*\{{"
    rf"|#\[(?:\w+::)*test\b[^\]]*\]\s*{_MORE}(?:async\s+)?fn\s+(\w+)[^{{;]*\{{"
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


def is_test_module(path: str, parents: Iterable[str]) -> bool:
    """Whether one of the files above it declares this file as a module of tests."""
    place = PurePosixPath(path)
    name = place.parent.name if place.name == "mod.rs" else place.stem
    declared = re.compile(rf"{_CONDITION}{_MORE}mod\s+{re.escape(name)}\s*;")
    return any(declared.search(text) for text in parents)


def parents_of(path: str) -> tuple[str, ...]:
    """Files that may declare a file as their module."""
    place = PurePosixPath(path)
    folder = place.parent.parent if place.name == "mod.rs" else place.parent
    names = [folder / name for name in ("lib.rs", "main.rs", "mod.rs")]
    return tuple(str(one) for one in (*names, folder.with_suffix(".rs")) if str(one) != path)


def _blocks(text: str) -> list[_Block]:
    found: list[_Block] = []
    for match in _TESTS.finditer(text):
        if not found or match.start() >= found[-1].end:
            name = match[1] or f"fn {match[2]}"
            found.append(_Block(name, match.start(), _closed(text, match.end())))
    return found


def _closed(text: str, begin: int) -> int:
    """Where the brace before this place is closed; the end of the text if it never is."""
    depth = 1
    for token in _TOKEN.finditer(text, begin):
        depth += {"{": 1, "}": -1}.get(token[0], 0)
        if not depth:
            return token.end()
    return len(text)
