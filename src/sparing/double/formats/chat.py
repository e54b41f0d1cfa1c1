"""The Chat Completions format, which many vendors and all servers of one's own speak."""

from __future__ import annotations

import json
from collections.abc import Iterator

from sparing.codec import JsonObject
from sparing.double.answer import ModelAnswer
from sparing.double.delivery import Body, json_body
from sparing.double.formats.conversation import (
    ReadConversation,
    arguments,
    compact,
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

STOPS = {"tool_use": "tool_calls", "max_tokens": "length", "refusal": "content_filter"}


def read(body: JsonObject, path: str) -> ModelRequest:
    del path
    model = body.get("model")
    if not isinstance(model, str) or not model:
        raise Refusal(400, "you must provide a model parameter")
    talk = ReadConversation()
    for message in objects_in(body.get("messages")):
        _take(talk, message)
    form = object_in(object_in(body.get("response_format")).get("json_schema")).get("schema")
    stream = body.get("stream") is True
    return talk.request(model, _tools(body), object_in(form) or None, stream=stream)


def _take(talk: ReadConversation, message: JsonObject) -> None:
    role, text = str(message.get("role")), words_of(message.get("content"))
    if role == "tool":
        talk.result(str(message.get("tool_call_id")), text)
        return
    talk.say("system" if role == "developer" else role, text)
    for call in objects_in(message.get("tool_calls")):
        named = object_in(call.get("function"))
        talk.call(str(call.get("id")), str(named.get("name")), arguments(named.get("arguments")))


def _tools(body: JsonObject) -> list[JsonObject]:
    named = (object_in(one.get("function")) for one in objects_in(body.get("tools")))
    return [tool(one.get("name"), one.get("description"), one.get("parameters")) for one in named]


def body_of(answer: ModelAnswer, usage: Usage, step: PlannedReply, stream: bool) -> Body:
    if stream:
        parts = list(_events(answer, usage))
        if step.sse_error:
            error = {"error": {"message": step.message, "type": step.sse_error}}
            parts = [*parts[: step.sse_events], _event(error)]
        return Body(b"".join(parts), stream=True)
    choice = {"index": 0, "message": _message(answer), "finish_reason": _stop(answer)}
    head = _head(answer, "chat.completion")
    return json_body({**head, "choices": [choice], "usage": _usage(usage)})


def error_of(refusal: Refusal, id: str) -> JsonObject:
    del id
    error = {"message": refusal.message, "type": refusal.kind, "param": None, "code": refusal.kind}
    return {"error": error}


def _head(answer: ModelAnswer, kind: str) -> JsonObject:
    name = answer.id.replace("msg_", "chatcmpl-")
    return {"id": name, "object": kind, "created": 0, "model": answer.model}


def _stop(answer: ModelAnswer) -> str:
    return STOPS.get(answer.stop_reason, "stop")


def _usage(usage: Usage) -> JsonObject:
    return {
        "prompt_tokens": usage.input,
        "prompt_tokens_details": {"cached_tokens": usage.read},
        "completion_tokens": usage.output,
        "total_tokens": usage.total,
    }


def _message(answer: ModelAnswer) -> JsonObject:
    said = "".join(block["text"] for block in answer.content if block["type"] == "text")
    calls = list(_calls(answer))
    message: JsonObject = {"role": "assistant", "content": said or None}
    return {**message, "tool_calls": calls} if calls else message


def _calls(answer: ModelAnswer) -> Iterator[JsonObject]:
    blocks = (block for block in answer.content if block["type"] == "tool_use")
    for number, block in enumerate(blocks):
        given = {"name": outer_name(block["name"]), "arguments": json.dumps(block["input"])}
        id = block["id"].replace("toolu_", "call_")
        yield {"index": number, "id": id, "type": "function", "function": given}


def _events(answer: ModelAnswer, usage: Usage) -> Iterator[bytes]:
    head = _head(answer, "chat.completion.chunk")
    choice = {"index": 0, "delta": _message(answer), "finish_reason": None}
    yield _event({**head, "choices": [choice]})
    end: JsonObject = {"index": 0, "delta": {}, "finish_reason": _stop(answer)}
    yield _event({**head, "choices": [end]})
    yield _event({**head, "choices": [], "usage": _usage(usage)})
    yield b"data: [DONE]\n\n"


def _event(value: JsonObject) -> bytes:
    return f"data: {compact(value)}\n\n".encode()
