"""What an agent can know from its conversation: files, searches, lists, and what it has done.

All of it is read out of the request. Text that the prompt gives counts as well as text that a
tool has returned, in this turn or in an earlier one of the same session.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import NamedTuple, cast

from sparing.double.recognise import documents_in
from sparing.double.request import JsonObject, ModelRequest, block_text
from sparing.double.toolbox import Done, lines, own_parts

PATHS = ("read", "files", "paths")
"""Arguments that are lists of files, of tools that read several."""
SEARCHED = ("search", "patterns")
MAP = "repository map"
QUOTED = "quoted facts"
_QUOTED = re.compile(r"^(?P<path>[^\s:]+):[\d-]+ \(\w+\)", re.MULTILINE)
_LISTING = re.compile(r"\*\*/\*|ls-files")
_DIFFED = re.compile(r"^(?:\+\+\+ b/|--- )(?P<path>[^\s(]+)", re.MULTILINE)


class ToolUsed(NamedTuple):
    """One tool call with its result."""

    place: int
    """Index of the message that contains it."""
    name: str
    input: JsonObject
    result: str
    failed: bool

    @property
    def files(self) -> tuple[str, ...]:
        listed = _listed(self.input, PATHS)
        one = self.input.get("file_path")
        return (*listed, one) if isinstance(one, str) else listed

    @property
    def reads(self) -> bool:
        return bool(self.files) and not self.input.keys() & {"content", "old_string"}

    @property
    def searches(self) -> tuple[str, ...]:
        pattern = self.input.get("pattern", "")
        return (
            *_listed(self.input, (*SEARCHED, "outline")),
            str(pattern),
            str(self.input.get("command", "")),
        )


class AgentMemory:
    def __init__(self, asked: ModelRequest, place: int, folder: str) -> None:
        self.used = tuple(_used(asked))
        self.place = place
        self.folder = folder
        self.documents: dict[str, str] = {}
        for message in asked.messages:
            for block in message.content if message.role == "user" else ():
                if block["type"] == "text":
                    self.documents |= documents_in(block_text(block))
        sheets = (text for name, text in self.documents.items() if name.startswith(QUOTED))
        self.quoted = {path for text in sheets for path in _QUOTED.findall(text)}
        self.names_facts = any(
            "```facts" in block_text(block)
            for message in asked.messages[place:]
            for block in (message.content if message.role == "user" else ())
            if block["type"] == "text"
        )
        self.diffed = {
            path
            for name, text in self.documents.items()
            if name.endswith(".diff")
            for path in _DIFFED.findall(text)
        }

    @property
    def turn(self) -> tuple[ToolUsed, ...]:
        """The tool calls of the current turn."""
        return tuple(one for one in self.used if one.place >= self.place)

    @property
    def steps(self) -> int:
        return len({one.place for one in self.turn})

    def relative(self, path: str) -> str:
        return path.removeprefix(f"{self.folder}/") if self.folder else path

    def knows(self, path: str) -> bool:
        """Whether the file's text is in the conversation, or was asked for in this turn."""
        wanted = self.relative(path)
        if wanted in self.diffed or any(names_file(name, wanted) for name in self.documents):
            return True
        return any(
            wanted == self.relative(one)
            for used in self.used
            if not used.failed or used.place >= self.place
            for one in used.files
        )

    def searched(self, pattern: str) -> bool:
        return any(pattern in said for used in self.used for said in used.searches)

    def has_list(self, *, maps_do: bool) -> bool:
        if maps_do and MAP in self.documents:
            return True
        return any(_LISTING.search(said) for used in self.used for said in used.searches)

    def text(self, path: str) -> str | None:
        """The file as the turn began, or as it was first read since; None if it was not seen."""
        wanted, found = self.relative(path), None
        for used in self.used:
            if used.failed or wanted not in map(self.relative, used.files):
                continue
            if used.place >= self.place and (found is not None or not used.reads):
                break
            found = _after(used, found)
        return found


def _after(used: ToolUsed, before: str | None) -> str | None:
    """A file's text after that call."""
    if "content" in used.input:
        return str(used.input["content"])
    if "old_string" in used.input:
        old, new = str(used.input["old_string"]), str(used.input.get("new_string", ""))
        return None if before is None else before.replace(old, new, 1)
    return "\n".join(lines(used.result)) or before


def given_in(text: str) -> set[str]:
    """Names of all documents in a prompt, and of the files whose changes it contains."""
    documents = documents_in(text)
    diffs = (told for name, told in documents.items() if name.endswith(".diff"))
    return {*documents, *(path for told in diffs for path in _DIFFED.findall(told))}


def names_file(document: str, path: str) -> bool:
    """Whether a document's name is that of the file, or of a part of it."""
    return document == path or document.startswith((f"{path},", f"{path}:", f"{path} "))


def _listed(given: JsonObject, names: tuple[str, ...]) -> tuple[str, ...]:
    values = (given.get(name) for name in names)
    return tuple(
        str(one)
        for value in values
        if isinstance(value, list)
        for one in cast("list[object]", value)
    )


def _used(asked: ModelRequest) -> Iterator[ToolUsed]:
    results: dict[str, tuple[str, bool]] = {}
    for message in asked.messages:
        for block in message.content:
            if block["type"] == "tool_result":
                failed = block.get("is_error") is True
                results[str(block.get("tool_use_id"))] = (block_text(block), failed)
    for place, message in enumerate(asked.messages):
        for block in message.content:
            if block["type"] == "tool_use":
                given: object = block.get("input")
                fields = cast("JsonObject", given) if isinstance(given, dict) else {}
                result = results.get(str(block.get("id")), ("", True))
                # The program's own tools do several things in one call.
                for done in own_parts(Done(str(block.get("name")), fields, *result)):
                    yield ToolUsed(place, *done)
