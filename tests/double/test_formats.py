"""Other vendors' wire formats: what is read, what is answered, and how it is billed.

Covers: E2, G2
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from sparing.double.formats.automatic_cache import AutomaticCache, AutomaticRule
from sparing.double.log import rebill
from sparing.double.server import ServerSettings
from sparing.usage import Usage
from tests.double.serving import Client, serving

Json = dict[str, Any]
LONG = "A design that everybody must know. " * 400
LOOK: Json = {"type": "object", "properties": {"read": {"type": "array"}}}


def responses(text: str, **more: Any) -> Json:
    tool = {"type": "function", "name": "look", "description": "Looks.", "parameters": LOOK}
    said = [{"type": "message", "role": "user", "content": [{"type": "input_text", "text": text}]}]
    return {"model": "gpt-x", "instructions": "Be brief.", "input": said, "tools": [tool], **more}


def chat(text: str, **more: Any) -> Json:
    tool = {"type": "function", "function": {"name": "look", "parameters": LOOK}}
    messages = [{"role": "system", "content": "Be brief."}, {"role": "user", "content": text}]
    return {"model": "gpt-x", "messages": messages, "tools": [tool], **more}


def gemini(text: str, **more: Any) -> Json:
    tools = [{"functionDeclarations": [{"name": "look", "parameters": LOOK}]}]
    contents = [{"role": "user", "parts": [{"text": text}]}]
    system = {"parts": [{"text": "Be brief."}]}
    return {"contents": contents, "systemInstruction": system, "tools": tools, **more}


GEMINI = "/v1beta/models/gemini-x:generateContent"
FORMATS = {
    "/v1/responses": responses,
    "/v1/chat/completions": chat,
    GEMINI: gemini,
}


def counted(path: str, body: Json) -> Usage:
    """What a client of that vendor would read from an answer."""
    if path == "/v1/responses":
        told, names = body["usage"], ("input_tokens", "input_tokens_details", "output_tokens")
        read = told[names[1]]["cached_tokens"]
    elif path == GEMINI:
        told = body["usageMetadata"]
        names = ("promptTokenCount", "", "candidatesTokenCount")
        read = told["cachedContentTokenCount"]
    else:
        told = body["usage"]
        names = ("prompt_tokens", "", "completion_tokens")
        read = told["prompt_tokens_details"]["cached_tokens"]
    return Usage(uncached=told[names[0]] - read, read=read, output=told[names[2]])


@pytest.mark.parametrize("path", FORMATS)
def test_a_prompt_is_read_again_from_the_cache(path: str, tmp_path: Path) -> None:
    """E2: without marks, in steps of 128 tokens; the log's bill is what the client is told."""
    log = tmp_path / "log.jsonl"
    with serving(ServerSettings(log=log)) as double:
        double.control(plan=[{"text": "yes"}] * 3)
        first = double.send(FORMATS[path](LONG), path)
        second = double.send(FORMATS[path](LONG), path, x_virtual_time="200")
        late = double.send(FORMATS[path](LONG), path, x_virtual_time="900")
    bills = [counted(path, reply.json) for reply in (first, second, late)]
    assert bills[0].read == bills[2].read == 0
    assert bills[1].read % 128 == 0
    assert bills[1].read > 0.95 * bills[0].input
    noted = [json.loads(line).get("bill") for line in log.read_text().splitlines()]
    assert [Usage(**bill) for bill in noted if bill] == bills
    done = rebill(log)
    assert (done.requests, done.differing) == (3, ())


def test_a_server_of_one_s_own_caches_nothing() -> None:
    """E2: what it reuses it does not bill, and nothing may be counted on."""
    with serving() as double:
        double.control(plan=[{"text": "yes"}] * 2)
        for _ in range(2):
            body = double.send(chat(LONG), "/own/v1/chat/completions").json
            assert counted("", body).read == 0


def calls_in(path: str, body: Json) -> list[tuple[str, Json]]:
    if path == "/v1/responses":
        items = (item for item in body["output"] if item["type"] == "function_call")
        return [(item["name"], json.loads(item["arguments"])) for item in items]
    if path == GEMINI:
        parts = body["candidates"][0]["content"]["parts"]
        called = (part["functionCall"] for part in parts)
        return [(one["name"], one["args"]) for one in called]
    functions = (one["function"] for one in body["choices"][0]["message"]["tool_calls"])
    return [(one["name"], json.loads(one["arguments"])) for one in functions]


@pytest.mark.parametrize("path", FORMATS)
def test_tools_of_ours_keep_their_names(path: str) -> None:
    """G2: the rules that play a model know them by a server's name; nobody else does."""
    with serving() as double:
        double.control(plan=[{"tool_use": [{"name": "mcp__s__look", "input": {"read": ["a"]}}]}])
        body = double.send(FORMATS[path]("Look."), path).json
    assert calls_in(path, body) == [("look", {"read": ["a"]})]


@pytest.mark.parametrize("path", FORMATS)
def test_errors_have_the_vendor_s_shape(path: str) -> None:
    """G1: a status, and an object `error` with a message."""
    with serving() as double:
        double.control(plan=[{"error": 429, "message": "slow down"}])
        refused = double.send(FORMATS[path]("x"), path)
        empty = double.send({}, path)
        del double.headers["x-api-key"]
        unknown = double.send(FORMATS[path]("x"), path)
    assert (refused.status, refused.json["error"]["message"]) == (429, "slow down")
    assert (empty.status, unknown.status) == (400, 401)


def streamed(double: Client, path: str, body: Json) -> str:
    return double.send(body, path).body.decode()


def test_streams_end_as_they_do_at_the_vendor_s() -> None:
    """G2: an item that is done, a last chunk, one object."""
    with serving() as double:
        double.control(plan=[{"text": "yes"}] * 3)
        first = streamed(double, "/v1/responses", responses("x", stream=True))
        assert "response.output_text.delta" in first
        assert first.rstrip().splitlines()[-2] == "event: response.completed"
        second = streamed(double, "/v1/chat/completions", chat("x", stream=True))
        assert second.rstrip().endswith("data: [DONE]")
        path = GEMINI.replace(":generate", ":streamGenerate")
        third = streamed(double, path, gemini("x"))
        assert json.loads(third.removeprefix("data: "))["candidates"][0]["finishReason"] == "STOP"


def bill(cache: AutomaticCache, text: str, at: float, ready: float | None = None) -> Usage:
    return cache.bill("m", text, at, at if ready is None else ready, 1)


def test_short_prompts_and_siblings_share_nothing() -> None:
    """E2: what is too short is never kept, what is not ready can't be read."""
    cache = AutomaticCache(AutomaticRule())
    assert bill(cache, "short", 0).read == bill(cache, "short", 1).read == 0
    assert bill(cache, LONG, 2, ready=10).read == 0
    assert bill(cache, LONG, 3, ready=11).read == 0, "sent before the first answer began"
    assert bill(cache, LONG, 12).read > 0


def test_what_differs_ends_what_is_shared() -> None:
    """E2: only a beginning is shared, and what is read is renewed."""
    cache = AutomaticCache(AutomaticRule())
    bill(cache, LONG + "one", 0)
    assert bill(cache, LONG + "two", 200).read > 0
    assert bill(cache, "x" + LONG, 201).read == 0
    assert bill(cache, LONG + "three", 450).read > 0, "renewed at 200"
    assert bill(cache, LONG + "four", 800).read == 0
