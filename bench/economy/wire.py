"""The same calls over HTTP: is the double's server of the same opinion, call by call?"""

from __future__ import annotations

import asyncio
import hashlib
import http.client
import json
import threading
from collections.abc import Generator, Sequence
from contextlib import contextmanager
from typing import Any, NamedTuple, cast
from urllib.parse import urlsplit

from bench.economy.agent import Call
from bench.economy.client import CALL_TOKENS, Words, made_text
from bench.economy.parameters import MODEL
from sparing.cache import CacheBlock, Life
from sparing.double.plan import PlannedReply, RequestPlan
from sparing.double.request import JsonObject
from sparing.double.server import Double
from sparing.segment import CHARS_PER_TOKEN
from sparing.usage import Usage

TOOL = "look"
_BARE = len(TOOL) + len('{"ask":""}')


class Compared(NamedTuple):
    calls: int
    usage: Usage
    differing: int


def compare(sent: Sequence[tuple[Call, Usage]]) -> Compared:
    """Send every call to a server of its own, at the same virtual times."""
    total, differing = Usage(), 0
    with _server([call.output for call, _ in sent]) as address:
        line = http.client.HTTPConnection(*address, timeout=60)
        for call, expected in sent:
            usage = _post(line, call)
            total += usage
            differing += usage != expected
        line.close()
    return Compared(len(sent), total, differing)


@contextmanager
def _server(outputs: Sequence[int]) -> Generator[tuple[str, int]]:
    """The double in a thread of its own; it answers with as many tokens as the agent did."""
    ready, stop = threading.Event(), asyncio.Event()
    where: list[Any] = []

    async def serve() -> None:
        async with Double() as double:
            double.api.plan = RequestPlan(
                PlannedReply(text="ok", output_tokens=count) for count in outputs
            )
            address = urlsplit(double.url)
            where.extend((address.hostname, address.port, asyncio.get_running_loop()))
            ready.set()
            await stop.wait()

    thread = threading.Thread(target=lambda: asyncio.run(serve()))
    thread.start()
    ready.wait(30)
    host, port, loop = where
    try:
        yield host, port
    finally:
        loop.call_soon_threadsafe(stop.set)
        thread.join(30)


def _post(line: http.client.HTTPConnection, call: Call) -> Usage:
    headers = {
        "x-api-key": "none", "anthropic-version": "2023-06-01", "content-type": "application/json",
        "x-virtual-time": repr(call.at),
    }  # fmt: skip
    line.request("POST", "/v1/messages", json.dumps(body_of(call)), headers)
    answer = cast("JsonObject", json.loads(line.getresponse().read()))
    if "usage" not in answer:
        raise ValueError(f"the double refused: {answer}")
    usage: JsonObject = answer["usage"]
    written: JsonObject = usage["cache_creation"]
    return Usage(
        usage["input_tokens"], usage["cache_read_input_tokens"],
        written["ephemeral_5m_input_tokens"], written["ephemeral_1h_input_tokens"],
        usage["output_tokens"],
    )  # fmt: skip


def body_of(call: Call) -> JsonObject:
    talk, count = call.talk, call.blocks
    tools, system = talk.front.blocks
    pairs = list(zip(talk.words[:count], talk.request(count).blocks[2:], strict=True))
    return {
        "model": MODEL,
        "max_tokens": 64_000,
        "tools": [_marked(dict(talk.front.tool), tools)],
        "system": [_marked({"type": "text", "text": talk.front.system}, system)],
        "messages": _messages(pairs),
    }


def _messages(pairs: Sequence[tuple[Words, CacheBlock]]) -> list[JsonObject]:
    """Neighbouring blocks of one side are one message."""
    messages: list[JsonObject] = []
    for words, block in pairs:
        if not messages or messages[-1]["role"] != words.side:
            messages.append({"role": words.side, "content": []})
        messages[-1]["content"].append(_marked(_content(words), block))
    return messages


def _content(words: Words) -> JsonObject:
    identity = "toolu_" + hashlib.sha256(words.name.encode()).hexdigest()[:16]
    match words.kind:
        case "tool_use":
            filler = made_text(words.name, CALL_TOKENS)[: CHARS_PER_TOKEN * CALL_TOKENS - _BARE]
            return {"type": "tool_use", "id": identity, "name": TOOL, "input": {"ask": filler}}
        case "tool_result":
            text = made_text(f"{words.name} result", words.tokens)
            return {"type": "tool_result", "tool_use_id": identity, "content": text}
        case _:
            text = words.name if words.given else made_text(words.name, words.tokens)
            return {"type": "text", "text": text}


def _marked(block: JsonObject, seen: CacheBlock) -> JsonObject:
    if seen.mark is None:
        return block
    life = {} if seen.mark is Life.FIVE_MINUTES else {"ttl": seen.mark.value}
    return {**block, "cache_control": {"type": "ephemeral", **life}}
