"""A conversation assembled from any vendor's items, in the blocks of the double's own request.

Our tools have other names if the client prefixes them with a server's name; the rules that play a
model know only one, so names are changed on the way in and back on the way out.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from typing import cast

from sparing.codec import JsonObject
from sparing.double.refusal import Refusal
from sparing.double.request import Message, ModelRequest

OWN = "mcp__s__"
OURS = frozenset({"look", "change", "run"})
FAILED = ("Nothing was changed", "the tool is broken", "unsupported ", "Unknown tool")
"""How results of failed calls begin."""
MOST_TOKENS = 1 << 30
"""Limit for an answer if the request names none."""


def inner_name(name: str) -> str:
    return OWN + name if name in OURS else name


def outer_name(name: str) -> str:
    bare = name.removeprefix(OWN)
    return bare if bare in OURS else name


@dataclass(slots=True)
class ReadConversation:
    system: list[JsonObject] = field(default_factory=list[JsonObject])
    messages: list[Message] = field(default_factory=list[Message])

    def say(self, role: str, text: str) -> None:
        block: JsonObject = {"type": "text", "text": text}
        if role == "system" and not self.messages:
            self.system.append(block)
        elif text:
            self._add(role, block)

    def call(self, id: str, name: str, given: JsonObject) -> None:
        block = {"type": "tool_use", "id": id, "name": inner_name(name), "input": given}
        self._add("assistant", block)

    def result(self, id: str, text: str) -> None:
        """Add a result; these formats can't mark failed calls, so the text's beginning decides."""
        failed = text.startswith(FAILED)
        block = {"type": "tool_result", "tool_use_id": id, "content": text, "is_error": failed}
        self._add("user", block)

    def _add(self, role: str, block: JsonObject) -> None:
        last = self.messages[-1] if self.messages else None
        if last is not None and last.role == role and _joins(last, block):
            self.messages[-1] = Message(role, (*last.content, block))
        else:
            self.messages.append(Message(role, (block,)))

    def request(
        self, model: str, tools: Iterable[JsonObject], form: JsonObject | None, *, stream: bool
    ) -> ModelRequest:
        if not self.messages:
            raise Refusal(400, "at least one message is required")
        body = {"output_config": {"format": {"schema": form}}} if form is not None else {}
        return ModelRequest(
            body=body,
            model=model,
            max_tokens=MOST_TOKENS,
            stream=stream,
            tools=tuple(tools),
            system=tuple(self.system),
            messages=tuple(self.messages),
        )


def _joins(last: Message, block: JsonObject) -> bool:
    """Whether a block belongs to the last message; a prompt after results is a new turn."""
    return last.role == "assistant" or last.content[-1]["type"] == block["type"]


def tool(name: object, words: object, schema: object) -> JsonObject:
    if not isinstance(name, str) or not name:
        raise Refusal(400, "a tool without a name")
    return {"name": inner_name(name), "description": words or "", "input_schema": schema or {}}


def prompt_text(asked: ModelRequest) -> str:
    """All that a provider sees of a request, in order; ids are left out, as they always differ."""
    return "\n".join(_parts(asked))


def _parts(asked: ModelRequest) -> Iterator[str]:
    yield from (compact(tool) for tool in asked.tools)
    yield compact(asked.body)
    yield from (str(block["text"]) for block in asked.system)
    for message in asked.messages:
        for block in message.content:
            shown = {name: block[name] for name in block if name not in ("id", "tool_use_id")}
            text = block.get("text")
            yield f"{message.role} {text if isinstance(text, str) else compact(shown)}"


def compact(value: object) -> str:
    return json.dumps(value, separators=(",", ":"), ensure_ascii=False)


def object_in(value: object) -> JsonObject:
    return cast("JsonObject", value) if isinstance(value, dict) else {}


def objects_in(value: object) -> list[JsonObject]:
    items = cast("list[object]", value) if isinstance(value, list) else []
    return [cast("JsonObject", item) for item in items if isinstance(item, dict)]


def words_of(value: object) -> str:
    """A text, or the texts of a list of parts."""
    if isinstance(value, str):
        return value
    return "\n".join(str(part.get("text", "")) for part in objects_in(value))


def arguments(text: object) -> JsonObject:
    """A tool's arguments from a JSON string; an empty object for anything else."""
    try:
        return object_in(json.loads(str(text)))
    except ValueError:
        return {}
