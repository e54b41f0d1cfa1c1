"""Google's format for Gemini: contents of parts, and a cache that needs no marks."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from sparing.codec import JsonObject
from sparing.double.answer import ModelAnswer
from sparing.double.delivery import Body, json_body
from sparing.double.formats.conversation import (
    ReadConversation,
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

STREAM = ":streamGenerateContent"
GENERATE = ":generateContent"
STATUSES = {
    400: "INVALID_ARGUMENT",
    401: "UNAUTHENTICATED",
    403: "PERMISSION_DENIED",
    429: "RESOURCE_EXHAUSTED",
    500: "INTERNAL",
    503: "UNAVAILABLE",
}


def read(body: JsonObject, path: str) -> ModelRequest:
    model = path.rpartition("/")[2].partition(":")[0]
    talk = ReadConversation()
    system = body.get("systemInstruction") or body.get("system_instruction")
    if system:
        talk.say("system", words_of(object_in(system).get("parts")))
    for content in objects_in(body.get("contents")):
        role = "assistant" if content.get("role") == "model" else "user"
        for part in objects_in(content.get("parts")):
            _take(talk, role, part)
    config = object_in(body.get("generationConfig"))
    form = config.get("responseJsonSchema") or config.get("responseSchema")
    return talk.request(model, _tools(body), object_in(form) or None, stream=path.endswith(STREAM))


def _take(talk: ReadConversation, role: str, part: JsonObject) -> None:
    call, result = object_in(part.get("functionCall")), object_in(part.get("functionResponse"))
    if call:
        talk.call(_id(call), str(call.get("name")), object_in(call.get("args")))
    elif result:
        talk.result(_id(result), _told(object_in(result.get("response"))))
    elif isinstance(part.get("text"), str) and part.get("thought") is not True:
        talk.say(role, str(part["text"]))


def _id(part: JsonObject) -> str:
    """The call's id; old clients send none, so the name is used instead."""
    return str(part.get("id") or part.get("name"))


def _told(response: JsonObject) -> str:
    values: list[Any] = list(response.values())
    return values[0] if len(values) == 1 and isinstance(values[0], str) else compact(response)


def _tools(body: JsonObject) -> list[JsonObject]:
    declared = (
        one
        for group in objects_in(body.get("tools"))
        for one in objects_in(group.get("functionDeclarations"))
    )
    return [
        tool(
            one.get("name"),
            one.get("description"),
            one.get("parametersJsonSchema") or one.get("parameters"),
        )
        for one in declared
    ]


def body_of(answer: ModelAnswer, usage: Usage, step: PlannedReply, stream: bool) -> Body:
    stop = {"max_tokens": "MAX_TOKENS", "refusal": "SAFETY"}.get(answer.stop_reason, "STOP")
    content = {"role": "model", "parts": list(_parts(answer))}
    whole: JsonObject = {
        "candidates": [{"index": 0, "content": content, "finishReason": stop}],
        "modelVersion": answer.model,
        "responseId": answer.id,
        "usageMetadata": {
            "promptTokenCount": usage.input,
            "cachedContentTokenCount": usage.read,
            "candidatesTokenCount": usage.output,
            "totalTokenCount": usage.total,
        },
    }
    if not stream:
        return json_body(whole)
    said = error_of(Refusal(500, step.message), "") if step.sse_error else whole
    return Body(f"data: {compact(said)}\n\n".encode(), stream=True)


def error_of(refusal: Refusal, id: str) -> JsonObject:
    del id
    status = STATUSES.get(refusal.status, "UNKNOWN")
    return {"error": {"code": refusal.status, "message": refusal.message, "status": status}}


def _parts(answer: ModelAnswer) -> Iterator[JsonObject]:
    for block in answer.content:
        if block["type"] == "text":
            yield {"text": block["text"]}
        elif block["type"] == "tool_use":
            id = block["id"].replace("toolu_", "call_")
            name = outer_name(block["name"])
            yield {"functionCall": {"id": id, "name": name, "args": block["input"]}}
