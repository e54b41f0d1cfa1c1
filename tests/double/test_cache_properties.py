"""What holds for every sequence of requests to the double's cache. Covers: E2, G2."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import replace
from typing import NamedTuple

from hypothesis import assume, given
from hypothesis import strategies as st

from sparing.cache import MOST_MARKS, CacheBlock, CacheRequest, Life, PromptCache, RequestPart
from sparing.usage import Usage

TOKENS = {"a": 40, "b": 400, "c": 1200}
MODEL = "claude-sonnet-5"


class Sent(NamedTuple):
    at: int
    ready_at: int
    request: CacheRequest


@st.composite
def requests(draw: st.DrawFn) -> CacheRequest:
    named = draw(
        st.lists(
            st.tuples(st.sampled_from(RequestPart), st.sampled_from("abc")), min_size=1, max_size=30
        )
    )
    named.sort(key=lambda item: item[0])
    marked = sorted(draw(st.sets(st.integers(0, len(named) - 1), max_size=MOST_MARKS)))
    hours = draw(st.integers(0, len(marked)))
    lives = dict.fromkeys(marked, Life.FIVE_MINUTES) | dict.fromkeys(marked[:hours], Life.ONE_HOUR)
    blocks = [
        CacheBlock(part, name, TOKENS[name], lives.get(n)) for n, (part, name) in enumerate(named)
    ]
    return CacheRequest(MODEL, tuple(blocks), draw(st.sampled_from(["", "thinking"])))


@st.composite
def histories(draw: st.DrawFn) -> list[Sent]:
    """A few prompts, sent over and over, at gaps around the two lives."""
    prompts = draw(st.lists(requests(), min_size=1, max_size=3))
    at = 0
    history: list[Sent] = []
    for _ in range(draw(st.integers(0, 8))):
        at += draw(st.sampled_from([0, 1, 10, 299, 300, 301, 3599, 3600]))
        delay = draw(st.sampled_from([0, 5, 20]))
        history.append(Sent(at, at + delay, draw(st.sampled_from(prompts))))
    return history


def play(cache: PromptCache, history: Sequence[Sent], shift: int = 0) -> list[Usage]:
    return [
        cache.bill(sent.request, sent.at + shift, ready_at=sent.ready_at + shift)
        for sent in history
    ]


def start_of(request: CacheRequest, count: int) -> list[tuple[RequestPart, str, str]]:
    """The first blocks without their marks, and the settings that touch them."""
    return [
        (block.part, block.digest, request.settings if block.part is RequestPart.MESSAGES else "")
        for block in request.blocks[:count]
    ]


def marked_starts(request: CacheRequest) -> list[int]:
    return [n for n, block in enumerate(request.blocks, 1) if block.mark is not None]


@given(histories())
def test_the_buckets_add_up_to_the_request(history: list[Sent]) -> None:
    bills = play(PromptCache(), history)
    sizes = [sum(block.tokens for block in sent.request.blocks) for sent in history]
    assert [bill.input for bill in bills] == sizes


@given(histories(), requests())
def test_a_request_sent_twice_at_once_reads_all_it_has_cached(
    history: list[Sent], request: CacheRequest
) -> None:
    cache = PromptCache()
    play(cache, history)
    now = history[-1].at if history else 0
    first, second = cache.bill(request, now), cache.bill(request, now)
    last_mark = max(marked_starts(request), default=0)
    up_to_mark = sum(block.tokens for block in request.blocks[:last_mark])
    assert second == Usage(read=first.input - first.uncached, uncached=first.uncached)
    assert second.read == (up_to_mark if up_to_mark >= 1024 else 0)


@given(histories())
def test_only_what_an_earlier_request_marked_is_read(history: list[Sent]) -> None:
    """Not one token is read that no request before has paid for."""
    for n, (sent, bill) in enumerate(zip(history, play(PromptCache(), history), strict=True)):
        paid = {
            sum(block.tokens for block in sent.request.blocks[:count])
            for earlier in history[:n]
            if earlier.ready_at <= sent.at
            for count in marked_starts(earlier.request)
            if start_of(earlier.request, count) == start_of(sent.request, count)
        }
        assert bill.read in paid | {0}


@given(histories(), histories())
def test_state_survives_a_process(before: list[Sent], after: list[Sent]) -> None:
    cache = PromptCache()
    play(cache, before)
    copy = PromptCache.load(json.loads(json.dumps(cache.dump())))
    assert copy.dump() == cache.dump()
    later = before[-1].at if before else 0
    assert play(copy, after, later) == play(cache, after, later)
    assert copy.dump() == cache.dump()


@given(histories(), requests(), st.data())
def test_one_more_mark_changes_no_total_and_loses_no_read(
    history: list[Sent], request: CacheRequest, data: st.DataObject
) -> None:
    """A mark moves tokens between buckets; it neither adds tokens nor spoils a hit."""
    assume(len(marked_starts(request)) < MOST_MARKS)
    hours = [n for n, block in enumerate(request.blocks) if block.mark is Life.ONE_HOUR]
    after_hours = range(max(hours, default=-1) + 1, len(request.blocks))
    free = [n for n in after_hours if request.blocks[n].mark is None]
    assume(free)
    chosen = data.draw(st.sampled_from(free))
    blocks = list(request.blocks)
    blocks[chosen] = replace(blocks[chosen], mark=Life.FIVE_MINUTES)
    cache = PromptCache()
    play(cache, history)
    twin = PromptCache.load(cache.dump())
    now = history[-1].at if history else 0
    fewer = cache.bill(request, now)
    more = twin.bill(replace(request, blocks=tuple(blocks)), now)
    assert more.input == fewer.input
    assert more.read >= fewer.read
    assert more.uncached <= fewer.uncached


@given(histories(), st.integers(-10_000_000, 10_000_000))
def test_only_differences_of_time_matter(history: list[Sent], shift: int) -> None:
    assert play(PromptCache(), history, shift) == play(PromptCache(), history)


@st.composite
def conversations(draw: st.DrawFn) -> list[Sent]:
    """Starts of one prompt, in any order, under two models and settings: they share blocks."""
    whole = draw(requests())
    history: list[Sent] = []
    for at in range(draw(st.integers(0, 8))):
        blocks = whole.blocks[: draw(st.integers(0, len(whole.blocks)))]
        model = draw(st.sampled_from([MODEL, "claude-opus-5"]))
        request = CacheRequest(model, blocks, draw(st.sampled_from(["", "thinking"])))
        history.append(Sent(at, at, request))
    return history


def with_blocks_of_its_own(sent: Sent) -> Sent:
    blocks = tuple(replace(block) for block in sent.request.blocks)
    return sent._replace(request=replace(sent.request, blocks=blocks))


@given(conversations())
def test_shared_blocks_are_billed_as_equal_ones(history: list[Sent]) -> None:
    apart = [with_blocks_of_its_own(sent) for sent in history]
    assert play(PromptCache(), history) == play(PromptCache(), apart)


@given(histories(), histories())
def test_a_copy_knows_the_same_and_leaves_the_original_alone(
    before: list[Sent], after: list[Sent]
) -> None:
    end = before[-1].at if before else 0
    cache = PromptCache()
    play(cache, before)
    stored = cache.dump()
    bills = play(cache.copy(), after, end)
    assert cache.dump() == stored
    assert bills == play(PromptCache.load(stored), after, end)
