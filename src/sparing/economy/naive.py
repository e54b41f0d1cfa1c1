"""What the same work would have cost the naive way.

The naive way: every dispatch is a new session with the role as its system prompt; its prompt is
one block that holds every document in full; the model is the same and makes the same tool calls.
It is given the same client and the same prompt cache, so only what can't be shared between
sessions is paid again. A resumed turn skips files that a new session would read again: that is
not counted, so the baseline is a low one.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from sparing.cache import CacheBlock, CacheRequest, Life, PromptCache, RequestPart
from sparing.usage import Usage


@dataclass(frozen=True, slots=True)
class NaiveTurn:
    model: str
    at: float
    prompt: tuple[str, int]
    """Digest and tokens of the naive prompt."""
    role: tuple[str, int]
    tools: tuple[str, int]
    """What the client sends before all else."""
    calls: Sequence[tuple[int, int]]
    """Per model call of the real turn: tokens added to the conversation, tokens answered."""


def naive_usage(turns: Iterable[NaiveTurn]) -> list[Usage]:
    """The simulated bill of each turn, in the order given."""
    cache = PromptCache()
    return [_bill(cache, turn) for turn in turns]


def _bill(cache: PromptCache, turn: NaiveTurn) -> Usage:
    base = _marked(RequestPart.TOOLS, turn.tools) + _marked(RequestPart.SYSTEM, turn.role)
    messages = [turn.prompt]
    total = Usage()
    for number, (added, output) in enumerate(turn.calls):
        if number:
            messages.append((f"{turn.prompt[0]} {number}", added))
        *before, last = messages
        blocks = (
            *base,
            *(CacheBlock(RequestPart.MESSAGES, *block) for block in before),
            *_marked(RequestPart.MESSAGES, last),
        )
        total += cache.bill(CacheRequest(turn.model, blocks), turn.at + 3 * number, output=output)
    return total


def _marked(part: RequestPart, named: tuple[str, int]) -> tuple[CacheBlock, ...]:
    """A block that ends a cache entry; an empty one can't be sent."""
    return (CacheBlock(part, *named, Life.FIVE_MINUTES),) if named[1] else ()
