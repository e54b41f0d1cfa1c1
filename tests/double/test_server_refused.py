"""What the API refuses, the double refuses in the API's own shape. Covers: G2."""

from __future__ import annotations

import pytest

from tests.double.serving import Client, Json
from tests.double.wired import (
    ASKED,
    AUTO,
    AUTO_HOUR,
    agent,
    body,
    call,
    marked,
    result,
    talk,
    user,
)

THINKING: Json = {"type": "thinking", "thinking": "so", "signature": "s"}
REFUSED: dict[str, tuple[Json, str]] = {
    "a fifth mark": (
        body("Ta:10* Tb:10* Sc:10* Sd:10* Me:10*"), "maximum of 4 blocks with cache_control"),
    "an automatic mark beside four": (
        body("Ta:10* Tb:10* Sc:10* Sd:10* Me:10", **AUTO), "Found 5"),
    "an automatic mark of another life": (body("Ma:10*", **AUTO_HOUR), "target block already has"),
    "an hour after five minutes": (
        body("S:10* Ma:10**"), "messages.0.content.0.cache_control.ttl: a ttl='1h'"),
    "an automatic hour after five minutes": (body("S:10* Ma:10", **AUTO_HOUR), "top-level"),
    "a mark on thinking": (
        body("", **talk(ASKED, agent(marked(THINKING)))), "messages.1.content.0.cache_control"),
    "a mark on nothing": (
        body("", **talk(user(marked({"type": "text", "text": ""})))), "empty text blocks"),
    "an empty block": (body("", **talk(user(""))), "must be non-empty"),
    "an empty message": (body("", **talk({"role": "user", "content": []})), "non-empty content"),
    "a mark of another kind": (
        body("", cache_control={"type": "lasting"}), "cache_control.type"),
    "a mark of another life": (
        body("", cache_control={"type": "ephemeral", "ttl": "1d"}), "cache_control.ttl"),
    "no messages": (body("", messages=[]), "at least one message"),
    "messages that are no list": (body("", messages="hello"), "messages: Input should be"),
    "a role that does not exist": (body("", messages=[{"role": "tool"}]), "messages.0.role"),
    "an agent that begins": (body("", **talk(agent("hello"))), "first message"),
    "a block that is no object": (
        body("", messages=[{"role": "user", "content": ["a"]}]), "messages.0.content.0"),
    "a block without a type": (
        body("", messages=[{"role": "user", "content": [{}]}]), "messages.0.content.0.type"),
    "a text that is none": (
        body("", **talk(user({"type": "text", "text": 7}))), "messages.0.content.0.text"),
    "a result's content that is no block": (
        body("", **talk(user(result(1, content=["a"])))), "messages.0.content.0.content.0"),
    "two tools of one name": (body("Ta:10 Ta:11"), "unique"),
    "a tool without a name": (body("", tools=[{}]), "tools.0.name"),
    "no model": (body("", model=None), "model"),
    "no limit": (body("", max_tokens=None), "max_tokens: Field required"),
    "a limit below nothing": (body("", max_tokens=-1), "max_tokens"),
    "a stream of nothing": (body("", max_tokens=0, stream=True), "max_tokens"),
    "pairing: a call without its result": (
        body("", **talk(ASKED, agent(call(1), call(2)), user(result(1)))),
        "messages.1: `tool_use` ids were found without `tool_result` blocks immediately after:"
        " toolu_2"),
    "pairing: a call at the end": (
        body("", **talk(ASKED, agent(call(1)))), "without `tool_result` blocks immediately after"),
    "pairing: words before the result": (
        body("", **talk(ASKED, agent(call(1)), user("first", result(1)))),
        "without `tool_result` blocks immediately after"),
    "pairing: a result without its call": (
        body("", **talk(ASKED, agent("no call"), user(result(1)))),
        "messages.2.content.0: unexpected `tool_use_id` found in `tool_result` blocks: toolu_1"),
    "pairing: two results of one call": (
        body("", **talk(ASKED, agent(call(1)), user(result(1), result(1)))), "single result"),
    "pairing: an id used twice": (
        body("", **talk(ASKED, agent(call(1)), user(result(1)), agent(call(1)), user(result(1)))),
        "must be unique"),
    "pairing: a call by the user": (body("", **talk(user(call(1)))), "only be in `assistant`"),
    "pairing: a result by the agent": (
        body("", **talk(ASKED, agent(result(1)))), "only be in `user`"),
}  # fmt: skip


@pytest.mark.parametrize("rule", REFUSED)
def test_what_the_api_refuses_is_refused(client: Client, rule: str) -> None:
    request, words = REFUSED[rule]
    reply = client.send(request)
    assert reply.error == (400, "invalid_request_error")
    assert words in reply.json["error"]["message"]
