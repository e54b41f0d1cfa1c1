"""The double keeps the vendor's published rules on the wire, one row a rule. Covers: G2, E2.

Requests go to a running double over plain HTTP, with the time at which they start; the bill of
the last one is what the rule says.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import pytest

from tests.double.serving import Client, Json
from tests.double.wired import (
    ASKED,
    AUTO,
    AUTO_HOUR,
    BASE,
    LONG,
    Bill,
    agent,
    bill,
    block,
    body,
    call,
    marked,
    result,
    talk,
    user,
)


class Sent(NamedTuple):
    at: float
    prompt: str
    changes: Json | None = None


def small(first: int, last: int) -> str:
    """Small message blocks that fill up a look-back window."""
    return " ".join(f"M{n}:10" for n in range(first, last + 1))


def model(name: str) -> dict[str, Any]:
    return {"model": name}


IMAGE: Json = {"type": "image", "source": {"type": "base64", "media_type": "image/png", "data": ""}}
RUN = range(1, 16)
PARALLEL = (ASKED, agent(*(call(n) for n in RUN)), user(*(result(n) for n in RUN)))
ROWS: dict[str, tuple[tuple[Sent, ...], Bill]] = {
    "the first request writes up to its last mark": (
        (Sent(0, "T:2000* S:1000* Mask:500"),), Bill(uncached=500, write_5m=3000)),
    "the second reads it": (
        (Sent(0, BASE), Sent(1, BASE)), Bill(read=3500)),
    "without a mark nothing is cached": ((Sent(0, "T:2000 Mask:500"),), Bill(uncached=2500)),
    "entries exist at marks only": (
        (Sent(0, "T:2000 S:1000*"), Sent(1, "T:2000* S:1000")),
        Bill(uncached=1001, write_5m=2000)),
    "a changing block under the mark is written anew every time": (
        (Sent(0, "S:2000 Mone:100*"), Sent(1, "S:2000 Mtwo:100*")), Bill(write_5m=2100)),
    "a mark after the steady part is read every time": (
        (Sent(0, "S:2000* Mone:100"), Sent(1, "S:2000* Mtwo:100")), Bill(uncached=100, read=2000)),
    "minimum: a token less is not cached, and nothing is said": (
        (Sent(0, "S:1023*"), Sent(1, "S:1023*")), Bill(uncached=1024)),
    "minimum: 1024 on Sonnet 5": ((Sent(0, "S:1024*"),), Bill(uncached=1, write_5m=1024)),
    "minimum: 512 on Opus 5": (
        (Sent(0, "S:512*", model("claude-opus-5")),), Bill(uncached=1, write_5m=512)),
    "minimum: 2048 on Opus 4.7": (
        (Sent(0, "S:2047*", model("claude-opus-4-7")),), Bill(uncached=2048)),
    "minimum: 4096 on Haiku 4.5": (
        (Sent(0, "S:4095*", model("claude-haiku-4-5")),), Bill(uncached=4096)),
    "look-back: 19 new blocks, the entry is the 20th position": (
        (Sent(0, "S:2000*"), Sent(1, f"S:2000 {small(1, 18)} Mend:10*")),
        Bill(read=2000, write_5m=190)),
    "look-back: 20 new blocks, one position too far": (
        (Sent(0, "S:2000*"), Sent(1, f"S:2000 {small(1, 19)} Mend:10*")), Bill(write_5m=2200)),
    "look-back: a second mark opens a second window": (
        (Sent(0, "S:2000*"), Sent(1, f"S:2000 {small(1, 9)} Mhalf:10* {small(11, 29)} Mend:10*")),
        Bill(read=2000, write_5m=300)),
    "look-back: 15 parallel calls are one position, their results another": (
        (Sent(0, "", {**AUTO, **talk(ASKED)}), Sent(1, "", {**AUTO, **talk(*PARALLEL)})),
        Bill(read=2000, write_5m=sum(2 + 1 for _ in RUN))),
    "five minutes: 299 s later it is there": (
        (Sent(0, BASE), Sent(299, BASE)), Bill(read=3500)),
    "five minutes: 301 s later it is gone": (
        (Sent(0, BASE), Sent(301, BASE)), Bill(write_5m=3500)),
    "one hour: 3599 s later it is there": (
        (Sent(0, "S:2000**"), Sent(3599, "S:2000**")), Bill(uncached=1, read=2000)),
    "one hour: 3601 s later it is gone": (
        (Sent(0, "S:2000**"), Sent(3601, "S:2000**")), Bill(uncached=1, write_1h=2000)),
    "a hit refreshes": (
        (Sent(0, BASE), Sent(200, BASE), Sent(499, BASE)), Bill(read=3500)),
    "the refreshed life ends too": (
        (Sent(0, BASE), Sent(200, BASE), Sent(501, BASE)), Bill(write_5m=3500)),
    "another model reads nothing": (
        (Sent(0, BASE), Sent(1, BASE, model("claude-sonnet-4-5"))), Bill(write_5m=3500)),
    "another tool definition loses everything": (
        (Sent(0, BASE), Sent(1, "Tnew:2000* S:1000* Mask:500*")), Bill(write_5m=3500)),
    "another system prompt keeps the tools": (
        (Sent(0, BASE), Sent(1, "T:2000* Snew:1000* Mask:500*")), Bill(read=2000, write_5m=1500)),
    "another question keeps tools and system": (
        (Sent(0, BASE), Sent(1, "T:2000* S:1000* Mnew:500*")), Bill(read=3000, write_5m=500)),
    "tool choice loses the messages only": (
        (Sent(0, BASE), Sent(1, BASE, {"tool_choice": {"type": "any"}})),
        Bill(read=3000, write_5m=500)),
    "thinking loses the messages": (
        (Sent(0, BASE), Sent(1, BASE, {"thinking": {"type": "adaptive"}})),
        Bill(read=3000, write_5m=500)),
    "effort loses the messages": (
        (Sent(0, BASE), Sent(1, BASE, {"output_config": {"effort": "low"}})),
        Bill(read=3000, write_5m=500)),
    "speed loses system and messages": (
        (Sent(0, BASE), Sent(1, BASE, {"speed": "fast"})), Bill(read=2000, write_5m=1500)),
    "an output format loses system and messages": (
        (Sent(0, BASE), Sent(1, BASE, {"output_config": {"format": {"type": "json_schema"}}})),
        Bill(read=2000, write_5m=1500)),
    "an image loses the messages": (
        (Sent(0, "S:2000*", talk(marked_first := user(marked(ASKED["content"][0])))),
         Sent(1, "S:2000*", talk(marked_first, agent("yes"), user(marked(IMAGE))))),
        Bill(read=2000, write_5m=2000 + 1 + 1600)),
    "an hour before five minutes: both are billed by their life": (
        (Sent(0, "T:2000** S:1000* Mask:500"),),
        Bill(uncached=500, write_5m=1000, write_1h=2000)),
    "mixed lives after a hit: only what is new is written": (
        (Sent(0, "T:2000*"), Sent(1, "T:2000 S:1000** Mask:500*")),
        Bill(read=2000, write_5m=500, write_1h=1000)),
    "automatic: the last block is marked": (
        (Sent(0, "S:2000 Mask:500", AUTO),), Bill(write_5m=2500)),
    "automatic: it moves with the conversation": (
        (Sent(0, "", {**AUTO, **talk(ASKED)}),
         Sent(1, "", {**AUTO, **talk(ASKED, agent("yes"), user("go on"))})),
        Bill(read=2000, write_5m=3)),
    "automatic: for an hour": ((Sent(0, "S:2000 Mask:500", AUTO_HOUR),), Bill(write_1h=2500)),
    "automatic: the same mark once more changes nothing": (
        (Sent(0, "S:2000 Mask:500*", AUTO),), Bill(write_5m=2500)),
    "automatic: where the last block can't carry a mark the one before does": (
        (Sent(0, "", {**AUTO, **talk(
            ASKED, agent({"type": "thinking", "thinking": "so", "signature": "s"}))}),),
        Bill(uncached=1, write_5m=2000)),
    "a string is one block of text": (
        (Sent(0, "", {**AUTO, **talk(ASKED)}),
         Sent(1, "", {**AUTO, **talk({"role": "user", "content": LONG})})), Bill(read=2000)),
    "a mark is no part of what is cached": (
        (Sent(0, "S:2000* Mask:500*"), Sent(1, "S:2000** Mask:500*")), Bill(read=2500)),
    "the order of keys in a tool's input is": (
        (Sent(0, "", talk(ASKED, agent(call(1, a=1, b=2)), user(marked(result(1))))),
         Sent(1, "", talk(ASKED, agent(call(1, b=2, a=1)), user(marked(result(1)))))),
        Bill(write_5m=2000 + 5 + 1)),
    "the order of a block's own fields is not": (
        (Sent(0, "", {**AUTO, **talk(ASKED)}),
         Sent(1, "", {**AUTO, **talk(user({"text": LONG, "type": "text"}))})), Bill(read=2000)),
    "the role of a message is": (
        (Sent(0, "", {**AUTO, **talk(ASKED, agent("same"))}),
         Sent(1, "", {**AUTO, **talk(ASKED, user("same"))})),
        Bill(write_5m=2001)),
    "fields that nobody knows are let through": (
        (Sent(0, BASE), Sent(1, BASE, {"metadata": {"user_id": "x"}, "brand_new": [1]})),
        Bill(read=3500)),
    "a message of the system inside the conversation keeps what is before it": (
        (Sent(0, "S:2000* Mask:500*"),
         Sent(1, "S:2000*", talk(
             user(marked(block("M", "ask", 500))),
             {"role": "system", "content": [marked(block("M", "news", 100))]}))),
        Bill(read=2500, write_5m=100)),
}  # fmt: skip


@pytest.mark.parametrize("rule", ROWS)
def test_the_bill_follows_the_published_rule(client: Client, rule: str) -> None:
    sent, expected = ROWS[rule]
    start = client.state()["now"] + 1
    replies = [client.at(start + one.at, body(one.prompt, **(one.changes or {}))) for one in sent]
    assert bill(replies[-1]) == expected
