"""Reading a request of the Messages API: what is understood, and what is refused as the API does.

Unknown fields are accepted, since clients send new ones every week; their effect on the cache is
decided in `blocks`. The text is data and is never shown in an error.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import NamedTuple, NoReturn, cast

from sparing.codec import JsonObject
from sparing.double.refusal import Refusal

ROLES = ("user", "assistant", "system")
LIVES = ("5m", "1h")
UNMARKED = frozenset({"thinking", "redacted_thinking"})
"""Blocks that are cached with others and carry no mark of their own."""


class Message(NamedTuple):
    role: str
    content: tuple[JsonObject, ...]


@dataclass(frozen=True, slots=True)
class ModelRequest:
    body: JsonObject
    model: str
    max_tokens: int
    stream: bool
    tools: tuple[JsonObject, ...]
    system: tuple[JsonObject, ...]
    messages: tuple[Message, ...]


def read_json(body: bytes) -> JsonObject:
    try:
        value: object = json.loads(body, parse_constant=_no_constant)
    except (ValueError, RecursionError):
        raise Refusal(400, "The request body is not valid JSON") from None
    if not isinstance(value, dict):
        raise Refusal(400, "The request body is not a JSON object")
    return cast("JsonObject", value)


def read_asked(body: JsonObject, *, counting: bool = False) -> ModelRequest:
    """Read a request; `counting`: only to count tokens, without an answer."""
    model, stream = body.get("model"), body.get("stream") is True
    if not isinstance(model, str) or not model:
        _refuse("model", "Field required")
    max_tokens = 0 if counting else _max_tokens(body, stream=stream)
    asked = ModelRequest(
        body=body,
        model=model,
        max_tokens=max_tokens,
        stream=stream,
        tools=_tools(body.get("tools")),
        system=_blocks("system", body.get("system") or []),
        messages=_messages(body.get("messages")),
    )
    for where, block in placed(asked):
        _check_mark(where, block)
    return asked


def placed(asked: ModelRequest) -> Iterator[tuple[str, JsonObject]]:
    """Every block with its place, in the order in which they form the prompt."""
    yield from ((f"tools.{n}", tool) for n, tool in enumerate(asked.tools))
    yield from ((f"system.{n}", block) for n, block in enumerate(asked.system))
    for number, message in enumerate(asked.messages):
        for n, block in enumerate(message.content):
            yield f"messages.{number}.content.{n}", block


def newest(asked: ModelRequest) -> str:
    """The text of the last message, including tool results."""
    return "\n".join(block_text(block) for block in asked.messages[-1].content)


def asked_form(asked: ModelRequest) -> JsonObject | None:
    """The schema that an answer's text must have; None if it is free."""
    config: object = asked.body.get("output_config")
    form: object = cast("JsonObject", config).get("format") if isinstance(config, dict) else None
    schema: object = cast("JsonObject", form).get("schema") if isinstance(form, dict) else None
    return cast("JsonObject", schema) if isinstance(schema, dict) else None


def is_aside(asked: ModelRequest) -> bool:
    """Whether it is a client's own request beside a turn, such as a title: a form and no tools."""
    return not asked.tools and asked_form(asked) is not None


def block_text(block: JsonObject) -> str:
    """The text of a text block or tool result."""
    if block.get("type") == "text":
        return str(block.get("text", ""))
    content = block.get("content", "")
    if isinstance(content, list):
        return "\n".join(block_text(item) for item in cast("list[JsonObject]", content))
    return content if isinstance(content, str) else ""


def is_empty_text(block: JsonObject) -> bool:
    return block.get("type") == "text" and not block.get("text")


def _max_tokens(body: JsonObject, *, stream: bool) -> int:
    value = body.get("max_tokens")
    if value is None:
        _refuse("max_tokens", "Field required")
    if isinstance(value, bool) or not isinstance(value, int) or value < 0:
        _refuse("max_tokens", "Input should be a whole number of at least 0")
    if value == 0 and stream:
        _refuse("max_tokens", "0 can't be combined with `stream`")
    return value


def _tools(value: object) -> tuple[JsonObject, ...]:
    tools = _objects("tools", value or [])
    names = [tool.get("name") for tool in tools]
    for number, name in enumerate(names):
        if not isinstance(name, str) or not name:
            _refuse(f"tools.{number}.name", "Field required")
    if len(set(names)) != len(names):
        _refuse("tools", "Tool names must be unique.")
    return tools


def _messages(value: object) -> tuple[Message, ...]:
    given = _objects("messages", value)
    if not given:
        _refuse("messages", "at least one message is required")
    messages = tuple(_message(number, item) for number, item in enumerate(given))
    for number, message in enumerate(messages):
        prefill = message.role == "assistant" and number == len(messages) - 1
        if not message.content and not prefill:
            _refuse(f"messages.{number}", "all messages must have non-empty content")
    first = next((message.role for message in messages if message.role != "system"), "")
    if first != "user":
        _refuse("messages", 'first message must use the "user" role')
    return messages


def _message(number: int, item: JsonObject) -> Message:
    role = item.get("role")
    if role not in ROLES:
        _refuse(f"messages.{number}.role", "Input should be 'user' or 'assistant'")
    return Message(role, _blocks(f"messages.{number}.content", item.get("content")))


def _blocks(where: str, value: object) -> tuple[JsonObject, ...]:
    """The blocks; a plain string is one text block."""
    if isinstance(value, str):
        return ({"type": "text", "text": value},) if value else ()
    blocks = _objects(where, value)
    for number, block in enumerate(blocks):
        if not isinstance(block.get("type"), str):
            _refuse(f"{where}.{number}.type", "Field required")
        if is_empty_text(block) and not block.get("cache_control"):
            _refuse(where, "text content blocks must be non-empty")
        if block["type"] == "text" and not isinstance(block.get("text"), str | None):
            _refuse(f"{where}.{number}.text", "Input should be a valid string")
        if isinstance(block.get("content"), list):
            _objects(f"{where}.{number}.content", block["content"])
    return blocks


def _objects(where: str, value: object) -> tuple[JsonObject, ...]:
    if not isinstance(value, list):
        _refuse(where, "Input should be a valid list")
    items = cast("Sequence[object]", value)
    for number, item in enumerate(items):
        if not isinstance(item, dict):
            _refuse(f"{where}.{number}", "Input should be an object")
    return tuple(cast("Sequence[JsonObject]", items))


def _check_mark(where: str, block: JsonObject) -> None:
    mark: object = block.get("cache_control")
    if mark is None:
        return
    check_mark(f"{where}.cache_control", mark)
    if block.get("type") in UNMARKED:
        _refuse(f"{where}.cache_control", "Extra inputs are not permitted")
    if is_empty_text(block):
        _refuse(f"{where}.text", "cache_control cannot be set for empty text blocks")


def check_mark(where: str, mark: object) -> None:
    fields = cast("JsonObject", mark) if isinstance(mark, dict) else {}
    if fields.get("type") != "ephemeral":
        _refuse(f"{where}.type", "Input should be 'ephemeral'")
    if fields.get("ttl", LIVES[0]) not in LIVES:
        _refuse(f"{where}.ttl", "Input should be '5m' or '1h'")


def _no_constant(name: str) -> NoReturn:
    raise ValueError(f"{name} is no JSON")


def _refuse(where: str, why: str) -> NoReturn:
    raise Refusal(400, f"{where}: {why}")
