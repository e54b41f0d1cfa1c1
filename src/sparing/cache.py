"""The prompt cache of the Messages API, rule by rule, on a clock that the caller owns.

It tells what a request would be billed for: tokens read, written, and sent in the open. It sees
digests and counts, never text, prices or the time of day, and it must not flatter. Choices where
the vendor says little:

- Assumed: a hit renews the entry it read and every entry at a mark of that request, no other one.
- A mark of another life reads an entry all the same, and renews it for the shorter of both lives.
- A mark at or before the hit writes nothing: what is read is not stored a second time.
- Every block is a step of the look-back unless it is `joined` to the one before: the vendor counts
  a run of tool calls, and a run of their results, as one.
- Requests come in the order of their start; one billed late can only come out dearer.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from enum import IntEnum, StrEnum
from functools import cache, cached_property, lru_cache, partial
from heapq import heappop, heappush
from itertools import takewhile
from operator import is_
from typing import NamedTuple, TypedDict, assert_never

from sparing.cache_minimum import MINIMUM_TOKENS, minimum_of
from sparing.usage import Usage

MOST_MARKS = 4
LOOK_BACK_BLOCKS = 20
"""Blocks searched back from a mark, including the marked block itself."""


class TooManyMarks(ValueError):
    """A request with a fifth mark; the vendor refuses it."""


class MarkOrder(ValueError):
    """A mark of one hour after one of five minutes; the vendor refuses it."""


class Life(StrEnum):
    """How long an entry lives, from the start of the last request that wrote or read it."""

    FIVE_MINUTES = "5m"
    ONE_HOUR = "1h"

    @cached_property
    def seconds(self) -> int:
        match self:
            case Life.FIVE_MINUTES:
                return 300
            case Life.ONE_HOUR:
                return 3600
        assert_never(self)


class RequestPart(IntEnum):
    """The parts of a request in the order in which they form the prefix."""

    TOOLS = 0
    SYSTEM = 1
    MESSAGES = 2


@dataclass(frozen=True, slots=True)
class CacheBlock:
    part: RequestPart
    digest: str
    tokens: int
    mark: Life | None = None
    """The lifetime of a cache entry that is to end with this block, if any."""
    joined: bool = False
    """True if the look-back counts it and the block before it as one step."""

    def __post_init__(self) -> None:
        if self.tokens < 0:
            raise ValueError(f"a block of {self.tokens} tokens; a count is never negative")
        if self.mark is not None and self.tokens == 0:
            raise ValueError("an empty block cannot carry a mark")

    def marked(self, mark: Life) -> CacheBlock:
        return CacheBlock(self.part, self.digest, self.tokens, mark, self.joined)


@dataclass(frozen=True, slots=True)
class CacheRequest:
    model: str
    blocks: tuple[CacheBlock, ...]
    settings: str = ""
    """Digest of what is not a block yet affects the messages: tool choice, thinking, effort."""

    def __post_init__(self) -> None:
        parts = [block.part for block in self.blocks]
        if parts != sorted(parts):
            raise ValueError("blocks come in the order tools, system, messages")
        lives = [block.mark for block in self.blocks if block.mark is not None]
        if len(lives) > MOST_MARKS:
            raise TooManyMarks(f"{len(lives)} marks; a request carries at most {MOST_MARKS}")
        seconds = [life.seconds for life in lives]
        if seconds != sorted(seconds, reverse=True):
            raise MarkOrder("marks of one hour come before marks of five minutes")


class StoredEntry(TypedDict):
    """An entry as JSON."""

    key: str
    life: str
    ready_at: float
    expires_at: float


class _Entry(NamedTuple):
    life: Life
    ready_at: float
    expires_at: float


class _Prefix(NamedTuple):
    """A prefix of the request that ends with a block."""

    key: str
    tokens: int
    step: int


class _Mark(NamedTuple):
    place: int
    life: Life
    prefix: _Prefix


class _Hit(NamedTuple):
    place: int
    prefix: _Prefix
    life: Life
    """The lifetime of the mark that found it."""


class PromptCache:
    def __init__(
        self, minimums: Mapping[str, int] = MINIMUM_TOKENS, *, lives_apart: bool = False
    ) -> None:
        """`lives_apart`: marks find only entries of their own lifetime, to see the effect if the
        vendor does it that way."""
        self._minimums = dict(minimums)
        self._minimum_of = cache(partial(minimum_of, minimums=self._minimums))
        self._apart = lives_apart
        self._entries: dict[str, _Entry] = {}
        # One item an entry, with an expiry that may since have been put off.
        self._deadlines: list[tuple[float, str]] = []
        self._last: tuple[CacheRequest, list[_Prefix]] = CacheRequest("", ()), []

    def bill(
        self, request: CacheRequest, at: float, *, output: int = 0, ready_at: float | None = None
    ) -> Usage:
        """Bill a request that starts at `at`, and remember what it wrote.

        What it writes can be read from `ready_at` on, when the first token of the answer arrives.
        """
        ready = at if ready_at is None else ready_at
        if ready < at:
            raise ValueError(f"the answer begins at {ready}, before the request at {at}")
        self._drop_expired(at)
        prefixes = self._prefixes(request)
        marks = self._cacheable_marks(request, prefixes)
        hit = self._longest_hit(prefixes, marks, at)
        before = [mark for mark in marks if hit and mark.place <= hit.place]
        after = marks[len(before) :]
        if hit:
            self._renew(self._key(hit.prefix, hit.life), hit.life, at)
        for mark in before:
            self._renew(self._key(mark.prefix, mark.life), mark.life, at)
        for mark in after:
            self._write(mark, at, ready)
        return _usage(prefixes, hit, after, output)

    def copy(self) -> PromptCache:
        twin = PromptCache(self._minimums, lives_apart=self._apart)
        twin._entries, twin._deadlines = dict(self._entries), list(self._deadlines)
        return twin

    def dump(self) -> list[StoredEntry]:
        return [
            {"key": key, "life": life.value, "ready_at": ready_at, "expires_at": expires_at}
            for key, (life, ready_at, expires_at) in sorted(self._entries.items())
        ]

    @classmethod
    def load(
        cls, stored: Iterable[StoredEntry], minimums: Mapping[str, int] = MINIMUM_TOKENS
    ) -> PromptCache:
        cache = cls(minimums)
        for item in stored:
            entry = _Entry(Life(item["life"]), item["ready_at"], item["expires_at"])
            cache._put(item["key"], entry)
        return cache

    def _prefixes(self, request: CacheRequest) -> list[_Prefix]:
        """Each prefix of a request. Requests of one conversation begin with the same blocks, so
        those that were in the last request too, the very objects, are not hashed again."""
        before, known = self._last
        same = before.model == request.model and before.settings == request.settings
        pairs = map(is_, before.blocks, request.blocks) if same else ()
        shared = len(list(takewhile(bool, pairs)))
        prefixes = known[:shared]
        key, tokens, step = prefixes[-1] if prefixes else (request.model, 0, 0)
        for block in request.blocks[len(prefixes) :]:
            settings = request.settings if block.part is RequestPart.MESSAGES else ""
            key = _longer(key, block.part, settings, block.digest)
            tokens += block.tokens
            step += not block.joined
            prefixes.append(_Prefix(key, tokens, step))
        self._last = request, prefixes
        return prefixes

    def _cacheable_marks(self, request: CacheRequest, prefixes: Sequence[_Prefix]) -> list[_Mark]:
        minimum = self._minimum_of(request.model)
        return [
            _Mark(place, block.mark, prefixes[place])
            for place, block in enumerate(request.blocks)
            if block.mark is not None and prefixes[place].tokens >= minimum
        ]

    def _longest_hit(
        self, prefixes: Sequence[_Prefix], marks: Sequence[_Mark], at: float
    ) -> _Hit | None:
        # From the last mark on: what its window holds is longer than all that lies before it.
        for mark in reversed(marks):
            for place in range(mark.place, -1, -1):
                if mark.prefix.step - prefixes[place].step >= LOOK_BACK_BLOCKS:
                    break
                if self._readable(self._key(prefixes[place], mark.life), at) is not None:
                    return _Hit(place, prefixes[place], mark.life)
        return None

    def _key(self, prefix: _Prefix, life: Life) -> str:
        return f"{life} {prefix.key}" if self._apart else prefix.key

    def _readable(self, key: str, at: float) -> _Entry | None:
        entry = self._entries.get(key)
        if entry is not None and entry.ready_at <= at < entry.expires_at:
            return entry
        return None

    def _renew(self, key: str, life: Life, at: float) -> None:
        entry = self._readable(key, at)
        if entry is not None:
            until = at + min(life.seconds, entry.life.seconds)
            self._entries[key] = _Entry(entry.life, entry.ready_at, max(entry.expires_at, until))

    def _write(self, mark: _Mark, at: float, ready_at: float) -> None:
        entry = _Entry(mark.life, ready_at, at + mark.life.seconds)
        key = self._key(mark.prefix, mark.life)
        sibling = self._entries.get(key)
        if sibling is not None:
            # Not readable yet when this one was sent: both are paid for, the better of each holds.
            entry = _Entry(
                max(entry.life, sibling.life, key=lambda life: life.seconds),
                min(entry.ready_at, sibling.ready_at),
                max(entry.expires_at, sibling.expires_at),
            )
        self._put(key, entry)

    def _put(self, key: str, entry: _Entry) -> None:
        if key not in self._entries:
            heappush(self._deadlines, (entry.expires_at, key))
        self._entries[key] = entry

    def _drop_expired(self, at: float) -> None:
        while self._deadlines and self._deadlines[0][0] <= at:
            _, key = heappop(self._deadlines)
            expires_at = self._entries[key].expires_at
            if expires_at <= at:
                del self._entries[key]
            else:
                heappush(self._deadlines, (expires_at, key))


@lru_cache(maxsize=16_384)
def _longer(key: str, part: RequestPart, settings: str, digest: str) -> str:
    """The key of a prefix with one more block; cached, as the calls of a turn share most keys."""
    return hashlib.sha256(repr((key, part.name, settings, digest)).encode()).hexdigest()


def _usage(
    prefixes: Sequence[_Prefix], hit: _Hit | None, written: Sequence[_Mark], output: int
) -> Usage:
    read = hit.prefix.tokens if hit else 0
    hours = [mark.prefix.tokens for mark in written if mark.life is Life.ONE_HOUR]
    end_1h = hours[-1] if hours else read
    end = written[-1].prefix.tokens if written else read
    total = prefixes[-1].tokens if prefixes else 0
    return Usage(total - end, read, end - end_1h, end_1h - read, output)
