"""What a model passes to a tool, parsed leniently and checked: it is untrusted input.

A single name counts as a list of one, and a list that was written as text is read. Any other error
is a `ToolMistake`, whose text tells the model what to correct.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable
from typing import NamedTuple, cast

from sparing.codec import JsonObject
from sparing.sandbox_path import told

MOST_PARTS = 24
"""Files, searches or outlines in one call."""
MOST_EDITS = 60
PATTERN_CHARS = 300
DEFAULT_SECONDS = 120
MOST_SECONDS = 600
_RANGE = re.compile(r"(?P<path>.+?):(?P<first>\d{1,9})(?:-(?P<last>\d{0,9}))?", re.DOTALL)


class ToolMistake(Exception):
    """A call that can't be carried out as given, explained for the model."""


class Wanted(NamedTuple):
    """A file, or lines of it."""

    path: str
    first: int = 1
    last: int | None = None
    """The last line; None means up to the end."""
    ranged: bool = False
    """True if lines were named."""


class Looking(NamedTuple):
    read: tuple[Wanted, ...] = ()
    search: tuple[str, ...] = ()
    outline: tuple[str, ...] = ()
    under: tuple[str, ...] = ()
    """Folders or name patterns that searches are limited to."""
    again: bool = False


class Edit(NamedTuple):
    path: str
    find: str = ""
    replace: str = ""
    create: str | None = None
    append: str | None = None


class CommandCall(NamedTuple):
    command: str
    seconds: int


def looking(given: JsonObject) -> Looking:
    wanted = Looking(
        tuple(map(_wanted, _paths(given, "read"))),
        _texts(given, "search"),
        _paths(given, "outline"),
        _paths(given, "under"),
        given.get("again") is True,
    )
    if not (wanted.read or wanted.search or wanted.outline):
        raise ToolMistake('Name something: read=["path" or "path:first-last"], search or outline.')
    if any(len(pattern) > PATTERN_CHARS for pattern in wanted.search):
        raise ToolMistake(f"A pattern may have {PATTERN_CHARS} characters.")
    return wanted


def edits(given: JsonObject) -> tuple[Edit, ...]:
    listed = _listed(given.get("edits"))
    if not listed or len(listed) > MOST_EDITS:
        raise ToolMistake(f"edits is a list of 1 to {MOST_EDITS} objects.")
    return tuple(_edit(number, one) for number, one in enumerate(listed, 1))


def command(given: JsonObject) -> CommandCall:
    words, seconds = given.get("command"), given.get("seconds", DEFAULT_SECONDS)
    if not isinstance(words, str) or not words.strip() or "\0" in words:
        raise ToolMistake("command is a line for the shell.")
    if isinstance(seconds, bool) or not isinstance(seconds, int | float) or not seconds > 0:
        raise ToolMistake(f"seconds is a number from 1 to {MOST_SECONDS}.")
    return CommandCall(words, max(1, min(MOST_SECONDS, int(min(seconds, MOST_SECONDS)))))


def _wanted(name: str) -> Wanted:
    found = _RANGE.fullmatch(name)
    if found is None:
        return Wanted(name)
    first = int(found["first"])
    last = first if found["last"] is None else int(found["last"]) if found["last"] else None
    if first < 1 or (last is not None and last < first):
        raise ToolMistake(f"{name}: lines are counted from 1, as in path:10-40.")
    return Wanted(found["path"], first, last, ranged=True)


def _edit(number: int, one: object) -> Edit:
    if not isinstance(one, dict):
        raise ToolMistake(f"Edit {number} is no object.")
    fields = cast("JsonObject", one)
    said = {name: fields[name] for name in Edit._fields if fields.get(name) is not None}
    if not all(isinstance(value, str) for value in said.values()):
        raise ToolMistake(f"Edit {number}: every value is text.")
    if not said.get("path"):
        raise ToolMistake(f"Edit {number} names no path.")
    ways = [name for name in ("find", "create", "append") if name in said]
    if len(ways) != 1 or ("replace" in said) is not (ways == ["find"]) or said.get("find") == "":
        raise ToolMistake(
            f"Edit {number} ({said['path']}) has exactly one of: find and replace; create; append."
        )
    return Edit(**{**said, "path": told(said["path"])})


def _paths(given: JsonObject, name: str) -> tuple[str, ...]:
    return tuple(map(told, _texts(given, name)))


def _texts(given: JsonObject, name: str) -> tuple[str, ...]:
    listed = _listed(given.get(name))
    if any(not isinstance(one, str) or not one.strip() or "\0" in one for one in listed):
        raise ToolMistake(f"{name} is a list of texts.")
    if len(listed) > MOST_PARTS:
        raise ToolMistake(f"{name} may have {MOST_PARTS} entries in one call.")
    return tuple(dict.fromkeys(cast("Iterable[str]", listed)))


def _listed(value: object) -> list[object]:
    if value is None:
        return []
    if isinstance(value, str) and value.lstrip().startswith("["):
        try:
            value = json.loads(value)
        except (ValueError, RecursionError):
            return [value]
    return cast("list[object]", value) if isinstance(value, list) else [value]
