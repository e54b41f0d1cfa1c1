"""What a provider's cache is believed to hold, from what was sent and when.

A belief, not a measurement: entries end at the marks of a prompt, live from the last call that read
or wrote them, and are shared by all dispatches with the same prefix under the same trunk key. It is
recomputed from recorded dispatches each time, so nothing has to be kept in sync. Assumptions:
prompts are shorter than the cache's look-back, and clients also mark the end of their tools, of
their system prompt and of every message.

Context recall: whether an agent can know all that it must.

A saving that hides a line from a reviewer is no saving. What a role must know is in the prompt, in
the resumed transcript, or named by a reference; anything else is missing.
"""

from __future__ import annotations

import hashlib
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import accumulate
from typing import NamedTuple

from sparing.cache import CacheBlock, Life, RequestPart
from sparing.segment import Segment


class CacheEntry(NamedTuple):
    life: Life
    expires_at: float


Known = Mapping[str, CacheEntry]
"""Entries by the key of the prefix they hold."""


@dataclass(frozen=True, slots=True)
class Base:
    """What a client sends before any prompt."""

    key: str
    """Digest of the trunk key: dispatches share nothing unless it is equal."""
    tokens: int
    life: Life | None = None
    """Lifetime of the entry that ends the base; None: that of the prompt's first mark."""
    tools: str = ""
    """Digest of what precedes the system prompt: dispatches with the same tools read these from
    the cache, whatever their system prompt."""
    tools_tokens: int = 0


@dataclass(frozen=True, slots=True)
class SentPrompt:
    """A dispatch as far as the cache is concerned."""

    base: Base
    blocks: tuple[CacheBlock, ...]
    """Blocks of the prompt that opened its session, in this dispatch or an earlier one."""
    first_at: float
    last_at: float
    """Start of its last call."""
    life: Life = Life.FIVE_MINUTES
    """Lifetime of the mark that the client puts at the end of each message."""
    resumed: bool = False


def blocks_of(segments: Iterable[Segment], life: Life, marks: int) -> tuple[CacheBlock, ...]:
    """Segments as a cache sees them; a backend takes `marks` of the caller's marks."""
    blocks: list[CacheBlock] = []
    for segment in segments:
        mark = life if segment.mark and marks > 0 and segment.tokens else None
        marks -= mark is not None
        blocks.append(CacheBlock(RequestPart.MESSAGES, segment.digest, segment.tokens, mark))
    return tuple(blocks)


def prefix_keys(base: Base, blocks: Sequence[CacheBlock]) -> list[str]:
    """The base's key, then one for every longer prefix."""
    links = (block.digest for block in blocks)
    return list(accumulate(links, _chain, initial=base.key))


def _chain(key: str, digest: str) -> str:
    return hashlib.sha256(f"{key} {digest}".encode()).hexdigest()


def cached_tokens(base: Base, blocks: Sequence[CacheBlock], known: Known, at: float) -> int:
    """Tokens of the longest prefix that an entry holds at that time."""
    sizes = accumulate((block.tokens for block in blocks), initial=base.tokens)
    alive = [
        size
        for key, size in zip(prefix_keys(base, blocks), sizes, strict=True)
        if is_alive(known, key, at)
    ]
    tools = base.tools_tokens if is_alive(known, base.tools, at) else 0
    return max(alive, default=tools)


def is_alive(known: Known, key: str, at: float) -> bool:
    return key in known and at < known[key].expires_at


def believed(sends: Iterable[SentPrompt], minimum_tokens: int) -> dict[str, CacheEntry]:
    """The entries that these dispatches left, given in the order of their start."""
    known: dict[str, CacheEntry] = {}
    for sent in sends:
        _apply(known, sent, minimum_tokens)
    return known


class _Place(NamedTuple):
    """The end of a block of the prompt."""

    key: str
    life: Life | None
    """Lifetime of the mark there; None if there is no mark."""
    at: float
    """When the last request that carried or read it started."""


def _apply(known: dict[str, CacheEntry], sent: SentPrompt, minimum: int) -> None:
    """Renew live entries at marks and where the longest match ends; write at other marks."""
    places = _places(sent, minimum)
    alive = [n for n, place in enumerate(places) if is_alive(known, place.key, sent.first_at)]
    for n, place in enumerate(places):
        if n in alive and (place.life or n == alive[-1]):
            old = known[place.key]
            # Without a mark of its own it was found by the client's, at the end of the prompt.
            until = place.at + min((place.life or sent.life).seconds, old.life.seconds)
            known[place.key] = old._replace(expires_at=max(old.expires_at, until))
        elif place.life:
            known[place.key] = CacheEntry(place.life, place.at + place.life.seconds)


def _places(sent: SentPrompt, minimum: int) -> list[_Place]:
    """Marks end the base, the blocks that the caller chose, and a new prompt."""
    lives = [block.mark for block in sent.blocks]
    # No mark may outlive an earlier one, so the base has the life of the first of them.
    first = sent.base.life or next((life for life in lives if life is not None), sent.life)
    keys = prefix_keys(sent.base, sent.blocks)
    sizes = accumulate((block.tokens for block in sent.blocks), initial=sent.base.tokens)
    tools = [(sent.base.tools, first, sent.base.tools_tokens)] if sent.base.tools else []
    places = [
        _Place(key, life, sent.last_at if life else sent.first_at)
        for key, life, size in (*tools, *zip(keys, [first, *lives], sizes, strict=True))
        if size >= minimum
    ]
    if places and lives and lives[-1] is None and not sent.resumed:
        # The client moves this one on with every call: only the first call carried it here.
        places[-1] = places[-1]._replace(life=sent.life)
    return places


class Need(NamedTuple):
    """An artifact or file, and the lines of it that the agent must know."""

    name: str
    """As a reference would name it."""
    lines: tuple[str, ...]
    """The lines as sent, a removed line with its sign; blank lines are ignored."""


class Missing(NamedTuple):
    name: str
    line: str


def digests(texts: Iterable[str]) -> frozenset[str]:
    """What is known from these texts, line by line. An added line of a diff is known with and
    without its sign, a removed one only as removed."""
    found: set[str] = set()
    for text in texts:
        for line in text.splitlines():
            found.add(_digest(line))
            if line[:1] in ("+", " "):
                found.add(_digest(line[1:]))
    return frozenset(found)


def recall(
    prompt: Iterable[Segment],
    transcript: Collection[str],
    references: Collection[str],
    required: Iterable[Need],
) -> tuple[Missing, ...]:
    """Required lines that the agent can't know. `transcript` holds the `digests` of everything
    that its session was sent or has read; empty for a fresh one."""
    known = digests(segment.text for segment in prompt)
    return tuple(
        Missing(need.name, line)
        for need in required
        if need.name not in references
        for line in need.lines
        if line.strip() and (found := _digest(line)) not in known and found not in transcript
    )


def _digest(line: str) -> str:
    return hashlib.sha256(line.rstrip().encode("utf-8", "surrogatepass")).hexdigest()
