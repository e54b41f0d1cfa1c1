"""The edits of a call, applied to texts before a byte is written: all of them, or none.

A passage must occur exactly once in its file, or it is unclear which one was meant. Several edits
of one file follow each other, each on the result of the one before.
"""

from __future__ import annotations

import difflib
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

from sparing.workspace.tools.arguments import Edit, ToolMistake

QUOTED_CHARS = 160
NEAR = 0.6
NEAR_LINES = 5_000
NOTHING = "Nothing was changed."


@dataclass(frozen=True, slots=True)
class Edited:
    texts: Mapping[str, str]
    """The new text of every file that is to be written."""
    words: tuple[str, ...]
    """What each edit did."""


def apply(edits: Sequence[Edit], read: Callable[[str], str | None]) -> Edited:
    """Apply all edits; `read` returns a file's text, or None if there is none."""
    texts: dict[str, str] = {}
    said: list[str] = []
    for number, edit in enumerate(edits, 1):
        before = texts[edit.path] if edit.path in texts else read(edit.path)
        try:
            texts[edit.path], words = _applied(edit, before)
        except ToolMistake as mistake:
            which = f"Edit {number} of {len(edits)}, " if len(edits) > 1 else ""
            raise ToolMistake(f"{NOTHING} {which}{edit.path}: {mistake}") from None
        said.append(f"{edit.path}: {words}")
    return Edited(texts, tuple(said))


def _applied(edit: Edit, before: str | None) -> tuple[str, str]:
    if edit.create is not None:
        words = "created" if before is None else "written anew"
        return edit.create, f"{words}, {edit.create.count(chr(10))} lines"
    if before is None:
        raise ToolMistake("there is no such file. To make one, use create.")
    if edit.append is not None:
        crlf = "\r\n" in before and "\r\n" not in edit.append
        added = edit.append.replace("\n", "\r\n") if crlf else edit.append
        start = before if not before or before.endswith("\n") else before + "\r\n"[not crlf :]
        return start + added, f"added after line {start.count(chr(10))}"
    return _replaced(edit, before)


def _replaced(edit: Edit, before: str) -> tuple[str, str]:
    find, replace = edit.find, edit.replace
    count = before.count(find)
    if count == 0 and "\r\n" in before and "\r\n" not in find:
        find, replace = find.replace("\n", "\r\n"), replace.replace("\n", "\r\n")
        count = before.count(find)
    if count == 0:
        raise ToolMistake(f"the text to find is not there. {_nearest(edit.find, before)}")
    if count > 1:
        raise ToolMistake(
            f"the text to find stands there {count} times, first in lines {_places(find, before)}. "
            "Add lines around it until it stands there once."
        )
    if find == replace:
        raise ToolMistake("find and replace are equal.")
    start = before.index(find)
    line = before.count("\n", 0, start) + 1
    old, new = find.count("\n") + 1, replace.count("\n") + 1
    grown = "" if old == new else f", {old} lines became {new}"
    return f"{before[:start]}{replace}{before[start + len(find) :]}", f"line {line}{grown}"


def _places(find: str, text: str) -> str:
    places: list[str] = []
    start = text.find(find)
    while start >= 0 and len(places) < 5:
        places.append(str(text.count("\n", 0, start) + 1))
        start = text.find(find, start + len(find))
    return ", ".join(places)


def _nearest(find: str, text: str) -> str:
    """A hint where it was probably meant, which may save the model another call."""
    wanted = next((line.strip() for line in find.split("\n") if line.strip()), "")[:QUOTED_CHARS]
    lines = [line.strip()[:QUOTED_CHARS] for line in text.split("\n")][:NEAR_LINES]
    exact = [n for n, line in enumerate(lines) if wanted and line == wanted]
    near = [] if exact else difflib.get_close_matches(wanted, set(lines), 1, NEAR)
    number = exact[0] if exact else lines.index(near[0]) if near else None
    if number is None:
        return "Look at the file, then copy the lines as they are."
    return f"Nearest is line {number + 1}: {lines[number]!r}. Copy the lines as they are."
