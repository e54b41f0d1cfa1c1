"""Requests in few words, and the bill out of a reply.

A prompt is written as words: part (T, S, M), a name, tokens, and `*` for a mark of five minutes,
`**` for one of an hour. A token is four characters, by the double's own count.
"""

from __future__ import annotations

import json
import re
from typing import Any, NamedTuple

from tests.double.serving import MODEL, Json, Reply

WORD = re.compile(r"([TSM])(\w*):(\d+)(\**)")
MARKS: dict[str, Json] = {
    "": {},
    "*": {"cache_control": {"type": "ephemeral"}},
    "**": {"cache_control": {"type": "ephemeral", "ttl": "1h"}},
}
BASE = "T:2000* S:1000* Mask:500*"
AUTO: Json = {"cache_control": {"type": "ephemeral"}}
AUTO_HOUR: Json = {"cache_control": {"type": "ephemeral", "ttl": "1h"}}


class Bill(NamedTuple):
    uncached: int = 0
    read: int = 0
    write_5m: int = 0
    write_1h: int = 0


def body(prompt: str, **changes: Any) -> Json:
    """A request of those blocks; `changes` are fields of it."""
    parts: dict[str, list[Json]] = {"T": [], "S": [], "M": []}
    for part, name, tokens, mark in WORD.findall(prompt):
        parts[part].append({**block(part, name, int(tokens)), **MARKS[mark]})
    messages = [{"role": "user", "content": parts["M"] or [block("M", "ask", 1)]}]
    usual = {"model": MODEL, "max_tokens": 100, "messages": messages}
    named = {"tools": parts["T"], "system": parts["S"]}
    return {**usual, **{name: value for name, value in named.items() if value}, **changes}


def block(part: str, name: str, tokens: int) -> Json:
    if part in "MS":
        return {"type": "text", "text": f"{name} ".ljust(4 * tokens, ".")}
    bare = len(json.dumps({"description": "", "name": f"t{name}"}, separators=(",", ":")))
    return {"name": f"t{name}", "description": "." * (4 * tokens - bare)}


def bill(reply: Reply) -> Bill:
    assert reply.status == 200, reply.body
    usage = reply.json["usage"]
    split = usage["cache_creation"]
    written = split["ephemeral_5m_input_tokens"] + split["ephemeral_1h_input_tokens"]
    assert usage["cache_creation_input_tokens"] == written
    return Bill(
        usage["input_tokens"],
        usage["cache_read_input_tokens"],
        split["ephemeral_5m_input_tokens"],
        split["ephemeral_1h_input_tokens"],
    )


def talk(*messages: Json) -> Json:
    return {"messages": list(messages)}


def user(*content: Json | str) -> Json:
    blocks = [{"type": "text", "text": one} if isinstance(one, str) else one for one in content]
    return {"role": "user", "content": blocks}


def agent(*content: Json | str) -> Json:
    return {**user(*content), "role": "assistant"}


def call(number: int, **given: Any) -> Json:
    return {"type": "tool_use", "id": f"toolu_{number}", "name": "Read", "input": given}


def result(number: int, **more: Any) -> Json:
    return {"type": "tool_result", "tool_use_id": f"toolu_{number}", "content": "done", **more}


def marked(one: Json) -> Json:
    return {**one, **MARKS["*"]}


LONG = "a question ".ljust(8000, ".")
ASKED = user(LONG)
"""A question of 2000 tokens."""
