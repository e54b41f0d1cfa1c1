"""The client of the bench: what it sends before any prompt, and conversations as they grow.

A conversation is a list of blocks as the cache sees them. Its words can be told as well, so that
the same requests can be sent to the double's server; in process nobody needs them.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import NamedTuple

from bench.economy.parameters import MODEL
from bench.economy.steps import File
from sparing.cache import CacheBlock, CacheRequest, Life, RequestPart
from sparing.double.blocks import block_tokens
from sparing.double.request import JsonObject
from sparing.economy.cache_contents import Base
from sparing.segment import CHARS_PER_TOKEN, Segment

CALL_TOKENS = 10
"""Of the block that asks for one tool; what is thought about it stands beside it."""


class Words(NamedTuple):
    """A block of the conversation as the interface has it."""

    side: str
    kind: str
    name: str
    """Of the text that is made for it, or the text itself in a prompt."""
    tokens: int
    given: bool = False


@dataclass(frozen=True)
class Front:
    """Tools and system prompt: equal for all who share a cache entry.

    The client marks the end of its own line behind the tools, and that of the system prompt: two
    system prompts on the same tools share the former.
    """

    tools: str
    """Which tools: a name."""
    tools_tokens: int
    system: str
    key: str
    """By which the program believes that dispatches share a trunk."""
    life: Life = Life.FIVE_MINUTES
    """Of all entries that the client's own marks end."""
    shell: bool = True

    @cached_property
    def tool(self) -> JsonObject:
        bare: JsonObject = {"name": "tools", "description": "", "input_schema": {"type": "object"}}
        room = self.tools_tokens - block_tokens(bare)
        return {**bare, "description": made_text(f"tools of {self.tools}", max(1, room))}

    @cached_property
    def blocks(self) -> tuple[CacheBlock, ...]:
        life, size = self.life, block_tokens({"type": "text", "text": self.system})
        name = hashlib.sha256(self.system.encode()).hexdigest()
        return (
            CacheBlock(RequestPart.TOOLS, f"tools {self.tools}", self._tool_tokens, life),
            CacheBlock(RequestPart.SYSTEM, f"system {name}", size, life),
        )

    @cached_property
    def _tool_tokens(self) -> int:
        return block_tokens(self.tool)

    @cached_property
    def base(self) -> Base:
        tools, system = self.blocks
        return Base(self.key, tools.tokens + system.tokens, None, self.tools, tools.tokens)


def made_text(name: str, tokens: int) -> str:
    """Text of exactly so many tokens, equal for equal names."""
    seed = hashlib.sha256(name.encode()).hexdigest()
    chars = CHARS_PER_TOKEN * tokens
    return (seed * (chars // len(seed) + 1))[:chars]


@dataclass(slots=True)
class Talk:
    """A conversation: it only grows."""

    front: Front
    blocks: list[CacheBlock] = field(default_factory=list[CacheBlock])
    words: list[Words] = field(default_factory=list[Words])
    files: set[File] = field(default_factory=set[File])
    """Files that whoever reads it has seen."""
    opened: set[File] = field(default_factory=set[File])
    """Of these: read or written by a tool in this session."""
    searches: set[int] = field(default_factory=set[int])
    """What was searched for, by number."""
    quoted: frozenset[str] = frozenset()
    """Files of which a fact sheet quotes some lines."""
    told: tuple[str, ...] = ()
    """Keys of the prompts that were put into it, for the check of recall."""
    tokens: int = 0

    def copy(self) -> Talk:
        return Talk(
            self.front, self.blocks[:], self.words[:], set(self.files), set(self.opened),
            set(self.searches), self.quoted, self.told, self.tokens,
        )  # fmt: skip

    @property
    def size(self) -> int:
        """All that a call sends."""
        return self.front.base.tokens + self.tokens

    def open(self, files: Iterable[File]) -> None:
        found = set(files)
        self.files |= found
        self.opened |= found

    def tell(self, segments: Sequence[Segment], blocks: Sequence[CacheBlock]) -> None:
        for segment, block in zip(segments, blocks, strict=True):
            self.add(Words("user", "text", segment.text, block.tokens, given=True), block)

    def say(self, name: str, tokens: int, tools: int) -> None:
        """An answer that asks for so many tools; none ends the turn."""
        asked = min(tools * CALL_TOKENS, max(0, tokens - 1))
        self.add(Words("assistant", "text", name, tokens - asked), _block(name, tokens - asked))
        for number in range(tools):
            one = f"{name} call {number}"
            self.add(
                Words("assistant", "tool_use", one, CALL_TOKENS),
                _block(one, CALL_TOKENS, joined=number > 0),
            )

    def results(self, name: str, sizes: Iterable[int]) -> None:
        for number, tokens in enumerate(sizes):
            one = f"{name} call {number}"
            self.add(
                Words("user", "tool_result", one, max(1, tokens)),
                _block(f"{one} result", max(1, tokens), joined=number > 0),
            )

    def add(self, words: Words, block: CacheBlock) -> None:
        self.words.append(words)
        self.blocks.append(block)
        self.tokens += block.tokens

    def request(self, end: int | None = None) -> CacheRequest:
        """All of it, or its first blocks, with the mark that a client puts at the end."""
        *before, last = self.blocks[:end]
        if last.mark is None:
            last = CacheBlock(last.part, last.digest, last.tokens, self.front.life, last.joined)
        return CacheRequest(MODEL, (*self.front.blocks, *before, last))


def _block(digest: str, tokens: int, *, joined: bool = False) -> CacheBlock:
    return CacheBlock(RequestPart.MESSAGES, digest, tokens, None, joined)
