"""What a model can still see of a conversation: files it read, verdicts it gave, lines to quote."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import PurePosixPath
from typing import cast

from sparing.double.playbook import as_object
from sparing.double.recognise import PlayedTurn
from sparing.double.request import JsonObject, ModelRequest, block_text
from sparing.double.toolbox import LOOK, READ, STRUCTURED, Done, Toolbox, lines, own_parts
from sparing.double.verdicts import QuotableLine

_ADDED = re.compile(r"^\+(?!\+\+ )(?P<text>.*\S.*)$", re.MULTILINE)
_SHORTEST = 12
"""Fewest characters of a line to quote: shorter ones occur too often."""


def first_line(asked: ModelRequest, path: str) -> str:
    """The first line of a file that was read earlier, however long ago."""
    for done in _reads(asked):
        if done.path.endswith(path):
            found = lines(done.result)
            return found[0] if found else ""
    return f"{path} was not read in this conversation"


def last_findings(asked: ModelRequest, place: int) -> int:
    """How many findings the newest verdict before that message has; 0 without one."""
    for message in reversed(asked.messages[:place]):
        for block in message.content if message.role == "assistant" else ():
            said = _verdict(block)
            if said is not None:
                return len(cast("list[object]", said.get("findings") or []))
    return 0


def quotable(turn: PlayedTurn, tools: Toolbox) -> list[QuotableLine]:
    """Lines of what is judged: of the change, else of the newest document, else of a file read."""
    diff = turn.documents.get("changes.diff", "")
    papers = [name for name in turn.documents if name.endswith(".md")]
    if diff:
        found = [QuotableLine("changes.diff", text) for text in _ADDED.findall(diff)]
    elif papers:
        text = turn.documents[papers[-1]]
        found = [QuotableLine(papers[-1], line) for line in text.splitlines()]
    else:
        paths = [path for path, _ in tools.lines_read()][-1:]
        found = [
            QuotableLine(f"{PurePosixPath(path).name}:{number}", line)
            for path in paths
            for number, line in enumerate(tools.text_of(path) or [], 1)
        ]
    return [quote for quote in found if len(quote.text.strip()) >= _SHORTEST]


def _reads(asked: ModelRequest) -> Iterator[Done]:
    """Every file that was read, the newest first."""
    results: dict[str, str] = {}
    for message in reversed(asked.messages):
        for block in reversed(message.content):
            if block["type"] == "tool_result":
                results[str(block.get("tool_use_id"))] = block_text(block)
            elif block["type"] == "tool_use" and block.get("name") in (READ, LOOK):
                result = results.get(str(block.get("id")), "")
                done = Done(str(block["name"]), block["input"], result, failed=False)
                yield from own_parts(done)


def _verdict(block: JsonObject) -> JsonObject | None:
    if block["type"] == "tool_use" and block.get("name") == STRUCTURED:
        return block["input"]
    text = block_text(block) if block["type"] == "text" else ""
    said = as_object(text[text.find("{") :]) if "{" in text else None
    return said if said is not None and "findings" in said else None
