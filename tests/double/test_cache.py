"""The double bills by the published cache rules and never in our favour. Covers: E2, G2.

A prompt is written as words: part (T, S, M), a name, tokens, and `*` for a mark of five minutes,
`**` for one of an hour. `Mplan:500*` is a message block "plan" of 500 tokens with a mark.
"""

from __future__ import annotations

import re
from typing import NamedTuple

import pytest

from sparing.cache import (
    CacheBlock,
    CacheRequest,
    Life,
    MarkOrder,
    PromptCache,
    RequestPart,
    TooManyMarks,
)
from sparing.usage import Usage

SONNET = "claude-sonnet-5"
WORD = re.compile(r"([TSM])(\w*):(\d+)(\**)")
PARTS = {"T": RequestPart.TOOLS, "S": RequestPart.SYSTEM, "M": RequestPart.MESSAGES}
MARKS = {"": None, "*": Life.FIVE_MINUTES, "**": Life.ONE_HOUR}


class Sent(NamedTuple):
    at: float
    prompt: str
    model: str = SONNET
    ready_at: float | None = None
    settings: str = ""


def blocks(prompt: str) -> tuple[CacheBlock, ...]:
    return tuple(
        CacheBlock(PARTS[part], name, int(tokens), MARKS[mark])
        for part, name, tokens, mark in WORD.findall(prompt)
    )


def bills(*sent: Sent, cache: PromptCache | None = None) -> list[Usage]:
    cache = cache or PromptCache()
    return [
        cache.bill(CacheRequest(s.model, blocks(s.prompt), s.settings), s.at, ready_at=s.ready_at)
        for s in sent
    ]


def messages(first: int, last: int) -> str:
    """Small message blocks that fill up a look-back window."""
    return " ".join(f"M{n}:10" for n in range(first, last + 1))


BASE = "T:2000* S:1000* Mask:500*"
RULES: dict[str, tuple[tuple[Sent, ...], Usage]] = {
    "what is before the last mark is written, what follows it is not": (
        (Sent(0, "T:2000* S:1000* Mask:500"),), Usage(write_5m=3000, uncached=500)),
    "the same request is read up to its last mark": (
        (Sent(0, "T:2000* Mask:500"), Sent(1, "T:2000* Mask:500")), Usage(read=2000, uncached=500)),
    "without a mark nothing is written or read": (
        (Sent(0, "T:2000*"), Sent(1, "T:2000")), Usage(uncached=2000)),
    "entries exist at marks only: a shorter prefix of an entry is none": (
        (Sent(0, "T:2000 S:1000*"), Sent(1, "T:2000* S:1000")),
        Usage(write_5m=2000, uncached=1000)),
    "order inside one block saves nothing": (
        (Sent(0, "Mrubric_plan1:20000*"), Sent(1, "Mrubric_plan2:20000*")), Usage(write_5m=20000)),
    "a mark after the steady block saves it": (
        (Sent(0, "Mrubric:19990* Mplan1:10*"), Sent(1, "Mrubric:19990* Mplan2:10*")),
        Usage(read=19990, write_5m=10)),
    "an entry without a mark in the new request is found by looking back": (
        (Sent(0, "T:2000*"), Sent(1, "T:2000 Mask:500*")), Usage(read=2000, write_5m=500)),
    "one token below the minimum nothing is cached": (
        (Sent(0, "T:1023*"), Sent(1, "T:1023*")), Usage(uncached=1023)),
    "the minimum itself is cached": ((Sent(0, "T:1024*"),), Usage(write_5m=1024)),
    "the minimum counts the prefix, not the block": (
        (Sent(0, "T:1000 S:24*"),), Usage(write_5m=1024)),
    "a mark below the minimum leaves its tokens to the next mark": (
        (Sent(0, "T:1000** Mask:500*"),), Usage(write_5m=1500)),
    "19 new blocks: the entry is the 20th step back": (
        (Sent(0, "T:2000*"), Sent(1, f"T:2000 {messages(1, 18)} Mend:10*")),
        Usage(read=2000, write_5m=190)),
    "20 new blocks: one step too far": (
        (Sent(0, "T:2000*"), Sent(1, f"T:2000 {messages(1, 19)} Mend:10*")), Usage(write_5m=2200)),
    "11 calls and their results at once miss the turn before": (
        (Sent(0, "T:2000* Mask:500*"), Sent(1, f"T:2000* Mask:500 {messages(1, 21)} Mend:10*")),
        Usage(read=2000, write_5m=720)),
    "10, 15, then 35 blocks with the mark at the end: the third turn finds nothing": (
        (Sent(0, f"T:2000 {messages(2, 9)} Ma:10*"),
         Sent(1, f"T:2000 {messages(2, 9)} Ma:10 {messages(11, 14)} Mb:10*"),
         Sent(2, f"T:2000 {messages(2, 9)} Ma:10 {messages(11, 14)} Mb:10 "
                 f"{messages(16, 34)} Mc:10*")),
        Usage(write_5m=2340)),
    "a second mark opens a second window": (
        (Sent(0, "T:2000*"),
         Sent(1, f"T:2000 {messages(1, 9)} Mhalf:10* {messages(11, 29)} Mend:10*")),
        Usage(read=2000, write_5m=300)),
    "five minutes: 299 s hit": ((Sent(0, "T:2000*"), Sent(299, "T:2000*")), Usage(read=2000)),
    "five minutes: 300 s miss": ((Sent(0, "T:2000*"), Sent(300, "T:2000*")), Usage(write_5m=2000)),
    "five minutes: 301 s miss": ((Sent(0, "T:2000*"), Sent(301, "T:2000*")), Usage(write_5m=2000)),
    "one hour: 3599 s hit": ((Sent(0, "T:2000**"), Sent(3599, "T:2000**")), Usage(read=2000)),
    "one hour: 3601 s miss": ((Sent(0, "T:2000**"), Sent(3601, "T:2000**")), Usage(write_1h=2000)),
    "a hit starts the life anew": (
        (Sent(0, "T:2000*"), Sent(200, "T:2000*"), Sent(499, "T:2000*")), Usage(read=2000)),
    "the new life ends too": (
        (Sent(0, "T:2000*"), Sent(200, "T:2000*"), Sent(501, "T:2000*")), Usage(write_5m=2000)),
    "a hit renews every entry at a mark of the request": (
        (Sent(0, BASE), Sent(200, BASE), Sent(400, "T:2000* S:1000* Mother:500*")),
        Usage(read=3000, write_5m=500)),
    "a hit does not renew entries that the request does not mark": (
        (Sent(0, BASE), Sent(200, "T:2000 S:1000 Mask:500*"),
         Sent(400, "T:2000* S:1000* Mnew:500*")),
        Usage(write_5m=3500)),
    "an entry found by looking back is renewed": (
        (Sent(0, "T:2000*"), Sent(200, "T:2000 Mask:500*"), Sent(400, "T:2000* Mnew:500")),
        Usage(read=2000, uncached=500)),
    "what was read is not written again, so no entry ends inside it": (
        (Sent(0, "T:2000 S:1000*"), Sent(1, "T:2000* S:1000*"), Sent(2, "T:2000* Sother:9")),
        Usage(write_5m=2000, uncached=9)),
    "life counts from the start of the request: 299 s after it, 199 s after its answer": (
        (Sent(0, "T:2000*", ready_at=100), Sent(299, "T:2000*")), Usage(read=2000)),
    "life counts from the start of the request: 301 s after it, 201 s after its answer": (
        (Sent(0, "T:2000*", ready_at=100), Sent(301, "T:2000*")), Usage(write_5m=2000)),
    "a sibling sent before the first answer begins writes again": (
        (Sent(0, "T:2000*", ready_at=8), Sent(7.9, "T:2000*", ready_at=16)), Usage(write_5m=2000)),
    "a sibling sent when the first answer begins reads": (
        (Sent(0, "T:2000*", ready_at=8), Sent(8, "T:2000*")), Usage(read=2000)),
    "a sibling's second write does not hide the first": (
        (Sent(0, "T:2000*", ready_at=8), Sent(7, "T:2000*", ready_at=16), Sent(9, "T:2000*")),
        Usage(read=2000)),
    "an entry that cannot be read yet is not renewed": (
        (Sent(0, "T:2000 Mask:500*"), Sent(1, "T:2000* Mnew:5", ready_at=100),
         Sent(50, "T:2000* Mask:500*"), Sent(320, "T:2000* Mnew:5")),
        Usage(write_5m=2000, uncached=5)),
    "of two siblings' lives the longer holds": (
        (Sent(0, "T:2000**", ready_at=8), Sent(7, "T:2000*", ready_at=16), Sent(3599, "T:2000**")),
        Usage(read=2000)),
    "and is renewed as such": (
        (Sent(0, "T:2000**", ready_at=8), Sent(7, "T:2000*", ready_at=16), Sent(3599, "T:2000**"),
         Sent(7198, "T:2000**")),
        Usage(read=2000)),
    "another model shares nothing": (
        (Sent(0, BASE), Sent(1, BASE, "claude-sonnet-4-6")), Usage(write_5m=3500)),
    "a changed tool kills all": (
        (Sent(0, BASE), Sent(1, "Tnew:2000* S:1000* Mask:500*")), Usage(write_5m=3500)),
    "a changed system prompt kills system and messages": (
        (Sent(0, BASE), Sent(1, "T:2000* Snew:1000* Mask:500*")), Usage(read=2000, write_5m=1500)),
    "changed settings (thinking, tool choice) kill messages only": (
        (Sent(0, BASE), Sent(1, BASE, settings="thinking")), Usage(read=3000, write_5m=500)),
    "a cleared tool result kills what comes after it": (
        (Sent(0, "T:2000* Mask:9* Mresult:500 Mnext:9*"),
         Sent(1, "T:2000* Mask:9* Mnone:1 Mnext:9*")),
        Usage(read=2009, write_5m=10)),
    "the same block in another part is another block": (
        (Sent(0, "Srole:2000*"), Sent(1, "Mrole:2000*")), Usage(write_5m=2000)),
    "lives mixed: to the last 1h mark at 1h, the rest at 5m": (
        (Sent(0, "T:2000** S:1000** Mask:500* Mend:7"),),
        Usage(write_1h=3000, write_5m=500, uncached=7)),
    "lives mixed: a hit past the first 1h mark leaves the second": (
        (Sent(0, "T:2000**"), Sent(400, "T:2000** S:1000** Mask:500*")),
        Usage(read=2000, write_1h=1000, write_5m=500)),
    "lives mixed: after 400 s the 1h part is left": (
        (Sent(0, "T:2000** Mask:500*"), Sent(400, "T:2000** Mask:500*")),
        Usage(read=2000, write_5m=500)),
    "a 1h mark reads a 5m entry": ((Sent(0, "T:2000*"), Sent(1, "T:2000**")), Usage(read=2000)),
    "but does not lengthen its life": (
        (Sent(0, "T:2000*"), Sent(1, "T:2000**"), Sent(302, "T:2000**")), Usage(write_1h=2000)),
    "a 5m mark does not shorten the life of a 1h entry": (
        (Sent(0, "T:2000**"), Sent(1, "T:2000*"), Sent(3599, "T:2000*")), Usage(read=2000)),
    "and renews it by five minutes only": (
        (Sent(0, "T:2000**"), Sent(3500, "T:2000*"), Sent(3801, "T:2000*")), Usage(write_5m=2000)),
    "a request billed late gains nothing from one that started after it": (
        (Sent(10, "T:2000*"), Sent(5, "T:2000*")), Usage(write_5m=2000)),
}  # fmt: skip


@pytest.mark.parametrize("rule", RULES)
def test_published_rule(rule: str) -> None:
    requests, last_bill = RULES[rule]
    assert bills(*requests)[-1] == last_bill


@pytest.mark.parametrize(
    ("model", "minimum"),
    [
        ("claude-fable-5-1", 512), ("claude-opus-5-5", 512), ("claude-opus-4-8", 1024),
        ("claude-opus-4-7", 2048), ("claude-opus-4-6", 4096), ("claude-opus-4-5-20251101", 4096),
        ("claude-sonnet-5-5", 1024), ("claude-sonnet-4-6", 1024), ("claude-haiku-4-5", 4096),
        ("claude-haiku-5-5", 4096), ("some-model", 4096),
    ],
)  # fmt: skip
def test_minimum_of_a_model(model: str, minimum: int) -> None:
    """An unknown model has the strictest minimum."""
    assert bills(Sent(0, f"T:{minimum - 1}*", model)) == [Usage(uncached=minimum - 1)]
    assert bills(Sent(0, f"T:{minimum}*", model)) == [Usage(write_5m=minimum)]


def test_callers_minimums_replace_the_published_ones() -> None:
    cache = PromptCache({"script": 1, "script-long": 50})
    first = bills(Sent(0, "T:5*", "script"), Sent(0, "T:49*", "script-long"), cache=cache)
    assert first == [Usage(write_5m=5), Usage(uncached=49)]
    assert bills(Sent(0, "T:4095*", "other"), cache=cache) == [Usage(uncached=4095)]


@pytest.mark.parametrize(
    ("prompt", "refusal"),
    [
        ("T:9* S:9* Ma:9* Mb:9* Mc:9*", TooManyMarks),
        ("T:9* S:9**", MarkOrder),
        ("S:9 T:9", ValueError),
        ("M:9 S:9", ValueError),
        ("T:0*", ValueError),
    ],
)
def test_a_request_that_the_vendor_refuses(prompt: str, refusal: type[ValueError]) -> None:
    with pytest.raises(refusal):
        bills(Sent(0, prompt))


def test_a_block_has_no_negative_tokens() -> None:
    with pytest.raises(ValueError, match="never negative"):
        CacheBlock(RequestPart.TOOLS, "x", -1)


def test_four_marks_are_accepted() -> None:
    assert bills(Sent(0, "T:2000** S:9** Ma:9* Mb:9*")) == [Usage(write_1h=2009, write_5m=18)]


def test_an_answer_does_not_begin_before_its_request() -> None:
    with pytest.raises(ValueError, match="before the request"):
        bills(Sent(5, "T:2000*", ready_at=4))


def test_output_is_carried_and_an_empty_request_costs_nothing() -> None:
    assert PromptCache().bill(CacheRequest(SONNET, ()), 0, output=7) == Usage(output=7)


def test_expired_entries_are_dropped() -> None:
    """Ten thousand bills leave no more behind than five minutes hold."""
    cache = PromptCache()
    for second in range(10_000):
        cache.bill(CacheRequest(SONNET, blocks(f"T:2000* {messages(1, 9)} M{second}x:5*")), second)
    assert len(cache.dump()) == 301
