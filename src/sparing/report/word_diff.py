"""Two versions of a text side by side: which lines differ, and which words in them."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from difflib import SequenceMatcher
from enum import StrEnum
from typing import NamedTuple

CONTEXT = 3
LONGEST_LINE = 2_000
"""Longer lines are not compared word by word."""
MOST_PAIRS = 400
_WORDS = re.compile(r"\w+|\s+|[^\w\s]")


class DiffKind(StrEnum):
    SAME = "same"
    ADDED = "added"
    REMOVED = "removed"
    GAP = "gap"
    """Unchanged lines in between that are not shown."""


class DiffPart(NamedTuple):
    text: str
    changed: bool = False


class DiffLine(NamedTuple):
    kind: DiffKind
    old: int
    """Its number in the earlier text; 0 if it is not in it."""
    new: int
    parts: tuple[DiffPart, ...] = ()


def word_diff(old: str, new: str, context: int = CONTEXT) -> tuple[DiffLine, ...]:
    before, after = old.splitlines(), new.splitlines()
    lines = list(_lines(before, after))
    return tuple(_shortened(lines, context))


def _lines(before: Sequence[str], after: Sequence[str]) -> Iterator[DiffLine]:
    matcher = SequenceMatcher(None, before, after, autojunk=False)
    for kind, a, b, c, d in matcher.get_opcodes():
        if kind == "equal":
            for offset in range(b - a):
                part = (DiffPart(before[a + offset]),)
                yield DiffLine(DiffKind.SAME, a + offset + 1, c + offset + 1, part)
        else:
            yield from _changed(before, after, range(a, b), range(c, d))


def _changed(
    before: Sequence[str], after: Sequence[str], gone: range, come: range
) -> Iterator[DiffLine]:
    """Pair each removed line with the one that replaced it, as far as there is one."""
    pairs = min(len(gone), len(come), MOST_PAIRS)
    said = [words(before[gone[n]], after[come[n]]) for n in range(pairs)]
    for n, at in enumerate(gone):
        parts = said[n][0] if n < pairs else (DiffPart(before[at]),)
        yield DiffLine(DiffKind.REMOVED, at + 1, 0, parts)
    for n, at in enumerate(come):
        parts = said[n][1] if n < pairs else (DiffPart(after[at]),)
        yield DiffLine(DiffKind.ADDED, 0, at + 1, parts)


def words(old: str, new: str) -> tuple[tuple[DiffPart, ...], tuple[DiffPart, ...]]:
    """Both lines split into parts, each marked as changed or not."""
    if max(len(old), len(new)) > LONGEST_LINE:
        return (DiffPart(old, changed=True),), (DiffPart(new, changed=True),)
    before, after = _WORDS.findall(old), _WORDS.findall(new)
    left: list[DiffPart] = []
    right: list[DiffPart] = []
    for kind, a, b, c, d in SequenceMatcher(None, before, after, autojunk=False).get_opcodes():
        changed = kind != "equal"
        left += [DiffPart("".join(before[a:b]), changed)] if a < b else []
        right += [DiffPart("".join(after[c:d]), changed)] if c < d else []
    return tuple(left), tuple(right)


def _shortened(lines: Sequence[DiffLine], context: int) -> Iterator[DiffLine]:
    near = [False] * len(lines)
    for place, line in enumerate(lines):
        if line.kind is not DiffKind.SAME:
            low, high = max(0, place - context), min(len(lines), place + context + 1)
            near[low:high] = [True] * (high - low)
    gap = False
    for line, shown in zip(lines, near, strict=True):
        if shown:
            gap = False
            yield line
        elif not gap:
            gap = True
            yield DiffLine(DiffKind.GAP, line.old, line.new)
