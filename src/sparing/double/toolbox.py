"""What the model has done in the turn so far, and with which tools it can continue.

Everything is read from the request: the double keeps no state of a conversation, just as the API
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
LOOK, CHANGE = "mcp__s__look", "mcp__s__change"
"""The program's own tools, whose arguments are lists."""
STRUCTURED = "StructuredOutput"
TRIES = 2
KNOWN = "already in your context"
_PART = re.compile(r"^== ", re.MULTILINE)
_SHOWN = re.compile(r".*, (?:\d+ lines|lines \d+-\d+ of \d+)\n")
_LEFT_OUT = "[lines "
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
    """A change to a file: written whole, one passage replaced, or text added at its end."""

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
        """Calls for all files that were not tried yet, at once."""
        tried = {done.path for done in self.done if done.name == READ}
        wanted = dict.fromkeys(self._absolute(path) for path in paths)
        missing = [path for path in wanted if path not in tried]
        return self._listed(tuple(_read(path) for path in missing))

    def changes(self, changes: Sequence[FileEdit]) -> tuple[ToolCall, ...]:
        """Calls for all that is left to do, at once."""
        calls: list[ToolCall] = []
        for change in changes:
            call = self._next(change)
            if call is not None and call not in calls:
                calls.append(call)
        return self._listed(tuple(calls))

    def _listed(self, calls: tuple[ToolCall, ...]) -> tuple[ToolCall, ...]:
        """The calls in the form that the available tools take: one by one, or as one list."""
        if LOOK not in self.tools:
            return tuple(call for call in calls if call.name in self.tools)
        reads = [str(call.input["file_path"]) for call in calls if call.name == READ]
        edits = [own_edit(call) for call in calls if call.name != READ]
        if reads:
            return (ToolCall(LOOK, {"read": reads}),)
        known = CHANGE if CHANGE in self.tools else ""
        return (ToolCall(known, {"edits": edits}),) if edits and known else ()

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
        """The next call for a change; None if it is done or impossible."""
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
    """Tool calls of this turn; a file said to be in the context is taken from earlier turns."""
    before = {part.path: part for part in _parts(asked, 0, place) if not part.failed}
    return [
        before[part.path] if KNOWN in part.result and part.path in before else part
        for part in _parts(asked, place, len(asked.messages))
    ]


def _parts(asked: ModelRequest, first: int, end: int) -> list[Done]:
    results: dict[str, tuple[str, bool]] = {}
    calls: list[JsonObject] = []
    for message in asked.messages[first:end]:
        for block in message.content:
            if block["type"] == "tool_result":
                failed = block.get("is_error") is True
                results[str(block.get("tool_use_id"))] = (block_text(block), failed)
            elif block["type"] == "tool_use":
                calls.append(block)
    return [
        part
        for call in calls
        if str(call.get("id")) in results
        for part in own_parts(
            Done(str(call.get("name")), _fields(call.get("input")), *results[str(call.get("id"))])
        )
    ]


def own_parts(done: Done) -> list[Done]:
    """A call of the program's own tools, split by file into calls of the client's tools."""
    if done.name == LOOK:
        paths = cast("list[str]", done.input.get("read") or [])
        parts = _PART.split(done.result)[1:]
        told = dict(zip(paths, (*parts, *[""] * len(paths)), strict=False))
        reads = [
            Done(READ, {"file_path": path}, text, done.failed or not _NUMBERED.search(text))
            for path, text in ((path, _all_numbered(part)) for path, part in told.items())
        ]
        rest = {name: value for name, value in done.input.items() if name != "read"}
        return [*reads, done._replace(input=rest)] if rest else reads
    if done.name == CHANGE:
        edits = cast("list[JsonObject]", done.input.get("edits") or [])
        return [Done(*client_edit(edit), done.result, done.failed) for edit in edits]
    return [done]


def _all_numbered(part: str) -> str:
    """A file as the client's tool shows it: ours numbers one line in five."""
    head = _SHOWN.match(part)
    if head is None:
        return part
    body = part[head.end() :].removesuffix("\n\n").split("\n")
    kept = (line for line in body if not line.startswith(_LEFT_OUT))
    bare = (re.sub(r"^\d+\t", "", line) for line in kept)
    return "\n".join(f"{number}\t{line}" for number, line in enumerate(bare, 1))


def own_edit(call: ToolCall) -> JsonObject:
    path = call.input["file_path"]
    if call.name == WRITE:
        return {"path": path, "create": call.input["content"]}
    return {"path": path, "find": call.input["old_string"], "replace": call.input["new_string"]}


def client_edit(edit: JsonObject) -> ToolCall:
    path = str(edit.get("path"))
    if "create" in edit:
        return ToolCall(WRITE, {"file_path": path, "content": edit["create"]})
    return _edit(path, str(edit.get("find", "")), str(edit.get("replace", "")))


def _fields(value: object) -> JsonObject:
    return cast("JsonObject", value) if isinstance(value, dict) else {}


def _for(change: FileEdit, done: Done) -> bool:
    """Whether that was a try at this change."""
    if change.find:
        return done.name == EDIT and done.input.get("old_string") == change.find
    return done.name == WRITE or (bool(change.add) and done.name == EDIT)


def _unique_line(known: Sequence[str]) -> str:
    """The last line that occurs only once in the file."""
    text = "\n".join(known)
    return next((line for line in reversed(known) if line.strip() and text.count(line) == 1), "")


def _read(path: str) -> ToolCall:
    return ToolCall(READ, {"file_path": path})


def _edit(path: str, old: str, new: str) -> ToolCall:
    return ToolCall(EDIT, {"file_path": path, "old_string": old, "new_string": new})
