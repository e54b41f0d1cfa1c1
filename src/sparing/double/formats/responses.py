"""The Responses format: items in, items out, and events that carry each item twice."""

from __future__ import annotations

import json
from collections.abc import Iterator

from sparing.codec import JsonObject
from sparing.double.answer import ModelAnswer, event
from sparing.double.delivery import Body, json_body
from sparing.double.formats.conversation import (
    ReadConversation,
    arguments,
    object_in,
    objects_in,
    outer_name,
    tool,
    words_of,
)
from sparing.double.plan import PlannedReply
from sparing.double.refusal import Refusal
from sparing.double.request import ModelRequest
from sparing.usage import Usage

CALLS = ("function_call", "custom_tool_call")
RESULTS = ("function_call_output", "custom_tool_call_output")
PIECE_CHARS = 2_000


def read(body: JsonObject, path: str) -> ModelRequest:
    del path
    model = body.get("model")
    if not isinstance(model, str) or not model:
        raise Refusal(400, "Missing required parameter: 'model'.")
    talk = ReadConversation()
    if body.get("instructions"):
        talk.say("system", str(body["instructions"]))
    given = body.get("input")
    if isinstance(given, str):
        talk.say("user", given)
    for item in objects_in(given):
        _take(talk, item)
    form = object_in(object_in(body.get("text")).get("format")).get("schema")
    return talk.request(
        model, _tools(body), object_in(form) or None, stream=body.get("stream") is True
    )


def _take(talk: ReadConversation, item: JsonObject) -> None:
    kind, id = item.get("type", "message"), str(item.get("call_id"))
    if kind == "message":
        role = str(item.get("role"))
        for part in _texts(item.get("content")):
            talk.say("system" if role == "developer" else role, part)
    elif kind in CALLS:
        given = item.get("input")
        free = {"input": given} if isinstance(given, str) else arguments(item.get("arguments"))
        talk.call(id, str(item.get("name")), free)
    elif kind in RESULTS:
        talk.result(id, words_of(item.get("output")))


def _texts(content: object) -> list[str]:
    if isinstance(content, str):
        return [content]
    return [str(part.get("text", "")) for part in objects_in(content)]


def _tools(body: JsonObject) -> list[JsonObject]:
    return [
        tool(one.get("name"), one.get("description"), one.get("parameters"))
        for one in objects_in(body.get("tools"))
        if one.get("type") in ("function", "custom")
    ]


def body_of(answer: ModelAnswer, usage: Usage, step: PlannedReply, stream: bool) -> Body:
    whole = _response(answer, usage)
    if not stream:
        return json_body(whole)
    parts = list(_events(answer, whole))
    if step.sse_error:
        failed: JsonObject = {**whole, "status": "failed", "output": []}
        failed["error"] = {"code": step.sse_error, "message": step.message}
        parts = [*parts[: step.sse_events], event("response.failed", response=failed)]
    return Body(b"".join(parts), stream=True)


def error_of(refusal: Refusal, id: str) -> JsonObject:
    wait = refusal.headers.get("retry-after", "")
    resets = {"resets_in_seconds": int(wait)} if wait.isdigit() else {}
    del id
    error = {"message": refusal.message, "type": refusal.kind, "param": None, "code": refusal.kind}
    return {"error": {**error, **resets}}


def _response(answer: ModelAnswer, usage: Usage) -> JsonObject:
    status = "incomplete" if answer.stop_reason in ("max_tokens", "refusal") else "completed"
    return {
        "id": answer.id.replace("msg_", "resp_"),
        "object": "response",
        "created_at": 0,
        "status": status,
        "model": answer.model,
        "output": list(_output(answer)),
        "parallel_tool_calls": True,
        "tool_choice": "auto",
        "tools": [],
        **_incomplete(answer),
        "usage": {
            "input_tokens": usage.input,
            "input_tokens_details": {"cached_tokens": usage.read},
            "output_tokens": usage.output,
            "output_tokens_details": {"reasoning_tokens": 0},
            "total_tokens": usage.total,
        },
    }


def _incomplete(answer: ModelAnswer) -> JsonObject:
    if answer.stop_reason == "refusal":
        return {"incomplete_details": {"reason": "content_filter"}}
    if answer.stop_reason == "max_tokens":
        return {"incomplete_details": {"reason": "max_output_tokens"}}
    return {"incomplete_details": None}


def _output(answer: ModelAnswer) -> Iterator[JsonObject]:
    for block in answer.content:
        if block["type"] == "text":
            text: JsonObject = {"type": "output_text", "text": block["text"], "annotations": []}
            yield {
                "type": "message",
                "id": answer.id,
                "role": "assistant",
                "status": "completed",
                "content": [text],
            }
        elif block["type"] == "tool_use":
            yield {
                "type": "function_call",
                "id": block["id"].replace("toolu_", "fc_"),
                "call_id": block["id"].replace("toolu_", "call_"),
                "name": outer_name(block["name"]),
                "arguments": json.dumps(block["input"]),
                "status": "completed",
            }


def _events(answer: ModelAnswer, whole: JsonObject) -> Iterator[bytes]:
    begun: JsonObject = {**whole, "status": "in_progress", "output": [], "usage": None}
    yield event("response.created", response=begun)
    for number, item in enumerate(whole["output"]):
        yield event("response.output_item.added", output_index=number, item=_begun(item))
        if item["type"] == "message":
            place = {"item_id": answer.id, "output_index": number, "content_index": 0}
            text = item["content"][0]["text"]
            for start in range(0, len(text), PIECE_CHARS):
                piece = text[start : start + PIECE_CHARS]
                yield event("response.output_text.delta", **place, delta=piece)
        yield event("response.output_item.done", output_index=number, item=item)
    yield event(f"response.{whole['status']}", response=whole)


def _begun(item: JsonObject) -> JsonObject:
    if item["type"] == "message":
        return {**item, "status": "in_progress", "content": []}
    return {**item, "status": "in_progress", "arguments": ""}
