"""What the model has done in the turn so far, and with which tools it can go on.

Everything is read out of the request: the double keeps no state of a conversation, as the API
keeps none.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import NamedTuple, cast

from sparing.double.answer import ToolCall
from sparing.double.recognise import PlayedTurn, working_folder
from sparing.double.request import JsonObject, ModelRequest, block_text

READ, WRITE, EDIT = "Read", "Write", "Edit"
STRUCTURED = "StructuredOutput"
TRIES = 2
_NUMBERED = re.compile(r"^ *\d+(?:→|\t)(?P<text>.*)$", re.MULTILINE)


class Done(NamedTuple):
    name: str
    input: JsonObject
    result: str
    failed: bool

    @property
    def path(self) -> str:
        return str(self.input.get("file_path", ""))


class FileEdit(NamedTuple):
    """A file to be written: whole, one passage for another, or something added at its end."""

    path: str
    text: str = ""
    find: str = ""
    add: str = ""


class Toolbox:
    def __init__(self, asked: ModelRequest, turn: PlayedTurn) -> None:
        self.tools = {str(tool["name"]): tool for tool in asked.tools}
        self.done = _done(asked, turn.place)
        self._folder = working_folder(asked)

    def reads(self, paths: Sequence[str]) -> tuple[ToolCall, ...]:
        """Those that were not tried yet, all at once."""
        if READ not in self.tools:
            return ()
        tried = {done.path for done in self.done if done.name == READ}
        wanted = dict.fromkeys(self._absolute(path) for path in paths)
        return tuple(_read(path) for path in wanted if path not in tried)

    def changes(self, changes: Sequence[FileEdit]) -> tuple[ToolCall, ...]:
        """What is left to do for them, all at once."""
        if WRITE not in self.tools:
            return ()
        calls: list[ToolCall] = []
        for change in changes:
            call = self._next(change)
            if call is not None and call not in calls:
                calls.append(call)
        return tuple(calls)

    def lines_read(self) -> list[tuple[str, int]]:
        """Files that were read in this turn, with their number of lines."""
        return [
            (done.path, len(lines(done.result)))
            for done in self.done
            if done.name == READ and not done.failed
        ]

    def text_of(self, path: str) -> list[str] | None:
        """The file's lines as they were last read in this turn; None if they were not."""
        wanted = self._absolute(path)
        found = [done for done in self.done if done.name == READ and done.path == wanted]
        return lines(found[-1].result) if found and not found[-1].failed else None

    def _next(self, change: FileEdit) -> ToolCall | None:
        """What is to be done for it now; None when it is done, or can't be."""
        path = self._absolute(change.path)
        tries = [n for n, done in enumerate(self.done) if done.path == path and _for(change, done)]
        if not tries:
            return self._call(change, path)
        last = self.done[tries[-1]]
        if not last.failed or len(tries) >= TRIES:
            return None
        # Clients refuse to change a file that was not read before.
        again = any(done.name == READ and done.path == path for done in self.done[tries[-1] :])
        return self._call(change, path) if again else _read(path)

    def _call(self, change: FileEdit, path: str) -> ToolCall | None:
        if change.find:
            return _edit(path, change.find, change.text)
        known = self.text_of(change.path)
        if change.add and known:
            line = _unique_line(known)
            return _edit(path, line, f"{line}\n{change.add}") if line else None
        return ToolCall(WRITE, {"file_path": path, "content": change.text or change.add + "\n"})

    def _absolute(self, path: str) -> str:
        return path if path.startswith("/") or not self._folder else f"{self._folder}/{path}"


def lines(result: str) -> list[str]:
    """A file's lines out of what the client's reading tool returns.

    The tool numbers what follows the last line's end as one more, empty line.
    """
    found: list[str] = _NUMBERED.findall(result)
    return found[:-1] if found and not found[-1] else found


def _done(asked: ModelRequest, place: int) -> list[Done]:
    results: dict[str, tuple[str, bool]] = {}
    calls: list[JsonObject] = []
    for message in asked.messages[place:]:
        for block in message.content:
            if block["type"] == "tool_result":
                failed = block.get("is_error") is True
                results[str(block.get("tool_use_id"))] = (block_text(block), failed)
            elif block["type"] == "tool_use":
                calls.append(block)
    return [
        Done(str(call.get("name")), _fields(call.get("input")), *results[str(call.get("id"))])
        for call in calls
    ]


def _fields(value: object) -> JsonObject:
    return cast("JsonObject", value) if isinstance(value, dict) else {}


def _for(change: FileEdit, done: Done) -> bool:
    """Whether that was a try at this change."""
    if change.find:
        return done.name == EDIT and done.input.get("old_string") == change.find
    return done.name == WRITE or (bool(change.add) and done.name == EDIT)


def _unique_line(known: Sequence[str]) -> str:
    """The last line that stands in the file only once."""
    text = "\n".join(known)
    return next((line for line in reversed(known) if line.strip() and text.count(line) == 1), "")


def _read(path: str) -> ToolCall:
    return ToolCall(READ, {"file_path": path})


def _edit(path: str, old: str, new: str) -> ToolCall:
    return ToolCall(EDIT, {"file_path": path, "old_string": old, "new_string": new})
