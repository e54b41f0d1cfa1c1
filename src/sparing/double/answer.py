"""What the double answers, as one message or as a stream of events, with its bill.

Ids are derived from the request: equal requests get byte-identical answers.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import Any, NamedTuple

from sparing.double.blocks import block_tokens
from sparing.double.request import JsonObject, ModelRequest
from sparing.segment import CHARS_PER_TOKEN
from sparing.usage import Usage

DELTA_CHARS = 2_000


class ToolCall(NamedTuple):
    """A tool's name and its input."""

    name: str
    input: JsonObject


@dataclass(frozen=True, slots=True)
class ModelWords:
    text: str = ""
    calls: tuple[ToolCall, ...] = ()
    thinking: str = ""
    stop_reason: str = ""
    """Empty: what follows from the rest."""


@dataclass(frozen=True, slots=True)
class ModelAnswer:
    id: str
    model: str
    content: tuple[JsonObject, ...]
    stop_reason: str
    tokens: int


def compose(said: ModelWords, asked: ModelRequest, request_id: str) -> ModelAnswer:
    if asked.max_tokens == 0:
        return ModelAnswer(f"msg_{request_id}", asked.model, (), "max_tokens", 0)
    said = _held_to(asked.max_tokens, said)
    content = tuple(_content(said, request_id))
    stop = said.stop_reason or ("tool_use" if said.calls else "end_turn")
    tokens = sum(block_tokens(block) for block in content)
    return ModelAnswer(f"msg_{request_id}", asked.model, content, stop, tokens)


def message(answer: ModelAnswer, usage: Usage) -> JsonObject:
    return {
        "id": answer.id,
        "type": "message",
        "role": "assistant",
        "model": answer.model,
        "content": list(answer.content),
        "stop_reason": answer.stop_reason,
        "stop_sequence": None,
        "usage": usage_fields(usage),
    }


def events(answer: ModelAnswer, usage: Usage) -> list[bytes]:
    """The same message as a stream; joined they are its body."""
    start = message(replace(answer, content=()), replace(usage, output=min(1, usage.output)))
    start["stop_reason"] = None
    delta = {"stop_reason": answer.stop_reason, "stop_sequence": None}
    return [
        event("message_start", message=start),
        event("ping"),
        *(part for n, block in enumerate(answer.content) for part in _block_events(n, block)),
        event("message_delta", delta=delta, usage=usage_fields(usage)),
        event("message_stop"),
    ]


def event(name: str, **fields: Any) -> bytes:
    data = json.dumps({"type": name, **fields}, separators=(",", ":"))
    return f"event: {name}\ndata: {data}\n\n".encode()


def usage_fields(usage: Usage) -> JsonObject:
    return {
        "input_tokens": usage.uncached,
        "cache_creation_input_tokens": usage.write_5m + usage.write_1h,
        "cache_read_input_tokens": usage.read,
        "cache_creation": {
            "ephemeral_5m_input_tokens": usage.write_5m,
            "ephemeral_1h_input_tokens": usage.write_1h,
        },
        "output_tokens": usage.output,
        "service_tier": "standard",
    }


def _held_to(limit: int, said: ModelWords) -> ModelWords:
    """Cut text to the limit; tool calls are never cut, since half of one is useless."""
    room = limit * CHARS_PER_TOKEN
    if said.calls or len(said.text) <= room:
        return said
    return replace(said, text=said.text[:room], stop_reason="max_tokens")


def _content(said: ModelWords, request_id: str) -> Iterator[JsonObject]:
    if said.thinking:
        signature = hashlib.sha256(said.thinking.encode("utf-8", "surrogatepass")).hexdigest()
        yield {"type": "thinking", "thinking": said.thinking, "signature": signature}
    if said.text:
        yield {"type": "text", "text": said.text}
    for number, call in enumerate(said.calls):
        name = f"toolu_{request_id}{number:02d}"
        yield {"type": "tool_use", "id": name, "name": call.name, "input": call.input}


def _block_events(number: int, block: JsonObject) -> Iterator[bytes]:
    empty, deltas = _taken_apart(block)
    yield event("content_block_start", index=number, content_block=empty)
    for delta in deltas:
        yield event("content_block_delta", index=number, delta=delta)
    yield event("content_block_stop", index=number)


def _taken_apart(block: JsonObject) -> tuple[JsonObject, list[JsonObject]]:
    """The block without its content, and the content in pieces."""
    match block["type"]:
        case "text":
            pieces = _pieces(block["text"])
            return {**block, "text": ""}, [{"type": "text_delta", "text": one} for one in pieces]
        case "thinking":
            pieces = [
                {"type": "thinking_delta", "thinking": one} for one in _pieces(block["thinking"])
            ]
            signature = {"type": "signature_delta", "signature": block["signature"]}
            return {**block, "thinking": "", "signature": ""}, [*pieces, signature]
        case _:
            pieces = _pieces(json.dumps(block["input"]))
            deltas = [{"type": "input_json_delta", "partial_json": one} for one in ("", *pieces)]
            return {**block, "input": {}}, deltas


def _pieces(text: str) -> list[str]:
    return [text[start : start + DELTA_CHARS] for start in range(0, len(text), DELTA_CHARS)]
