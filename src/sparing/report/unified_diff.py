"""A unified diff, parsed into files and lines. What can't be parsed is kept as text."""

from __future__ import annotations

import re
from typing import NamedTuple

from sparing.report.word_diff import DiffKind, DiffLine, DiffPart, words

_HUNK = re.compile(r"^@@ -(\d+)(?:,\d+)? \+(\d+)(?:,\d+)? @@ ?(.*)$")
MOST_LINES = 4_000
"""Most lines shown of one file; the rest are only counted."""


class FileDiff(NamedTuple):
    path: str
    added: int
    removed: int
    lines: tuple[DiffLine, ...]
    more: int = 0
    """Number of lines not shown."""
    note: str = ""
    """new file, deleted, renamed, binary."""


def read_diff(text: str) -> tuple[FileDiff, ...]:
    """The files of a diff, in order."""
    parts = re.split(r"(?m)^(?=diff --git )", text)
    return tuple(_file(part.splitlines()) for part in parts if part.startswith("diff --git "))


def _file(lines: list[str]) -> FileDiff:
    path, note, found = _path(lines[0]), "", list[DiffLine]()
    old = new = 0
    in_hunk = False
    for line in lines[1:]:
        match = _HUNK.match(line)
        if match:
            in_hunk, old, new = True, int(match[1]), int(match[2])
            found.append(DiffLine(DiffKind.GAP, old, new, (DiffPart(match[3]),)))
        elif not in_hunk:
            path = _named(line) or path
            note = _noted(line) or note
        elif line.startswith("+"):
            found.append(DiffLine(DiffKind.ADDED, 0, new, (DiffPart(line[1:]),)))
            new += 1
        elif line.startswith("-"):
            found.append(DiffLine(DiffKind.REMOVED, old, 0, (DiffPart(line[1:]),)))
            old += 1
        elif not line.startswith("\\"):
            found.append(DiffLine(DiffKind.SAME, old, new, (DiffPart(line[1:]),)))
            old, new = old + 1, new + 1
    added = sum(one.kind is DiffKind.ADDED for one in found)
    removed = sum(one.kind is DiffKind.REMOVED for one in found)
    shown = _with_words(found[:MOST_LINES])
    return FileDiff(path, added, removed, tuple(shown), max(0, len(found) - MOST_LINES), note)


def _with_words(lines: list[DiffLine]) -> list[DiffLine]:
    """Mark the words that differ where a single removed line precedes a single added one."""
    result = list(lines)
    for place in range(len(lines) - 1):
        gone, come = lines[place], lines[place + 1]
        alone = place == 0 or lines[place - 1].kind is not DiffKind.REMOVED
        after = place + 2 >= len(lines) or lines[place + 2].kind is not DiffKind.ADDED
        pair = gone.kind is DiffKind.REMOVED and come.kind is DiffKind.ADDED
        if pair and alone and after:
            left, right = words(gone.parts[0].text, come.parts[0].text)
            result[place], result[place + 1] = gone._replace(parts=left), come._replace(parts=right)
    return result


def _path(head: str) -> str:
    return head.rpartition(" b/")[2] or head


def _named(line: str) -> str:
    for start in ("+++ b/", "--- a/", "rename to "):
        if line.startswith(start):
            return line.removeprefix(start).rstrip("\t")
    return ""


def _noted(line: str) -> str:
    for start, note in (
        ("new file", "new"), ("deleted file", "deleted"), ("rename from", "renamed"),
        ("Binary files", "binary"),
    ):  # fmt: skip
        if line.startswith(start):
            return note
    return ""
