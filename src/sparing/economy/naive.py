"""What the same work would have cost the naive way.

The naive way: every dispatch is a new session; its prompt is one block that holds the role and
every document in full; the model is the same and makes the same tool calls. It is given the same
prompt cache, so only what can't be shared between sessions is paid again. A resumed turn skips
files that a new session would read again: that is not counted, so the baseline is a low one.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from sparing.double.cache import Block, Life, Part, PromptCache, Request
from sparing.usage import Usage


@dataclass(frozen=True, slots=True)
class NaiveTurn:
    model: str
    at: float
    digest: str
    """Of the naive prompt."""
    tokens: int
    base_tokens: int
    """What the client sends before the prompt: tools and system prompt."""
    calls: Sequence[tuple[int, int]]
    """Per model call of the real turn: tokens added to the conversation, tokens answered."""


def naive_usage(turns: Iterable[NaiveTurn]) -> list[Usage]:
    """The simulated bill of each turn, in the order given."""
    cache = PromptCache()
    return [_bill(cache, turn) for turn in turns]


def _bill(cache: PromptCache, turn: NaiveTurn) -> Usage:
    base = Block(Part.TOOLS, "client", turn.base_tokens, Life.FIVE_MINUTES)
    messages = [(turn.digest, turn.tokens)]
    total = Usage()
    for number, (added, output) in enumerate(turn.calls):
        if number:
            messages.append((f"{turn.digest} {number}", added))
        *before, (last, size) = messages
        blocks = (
            base,
            *(Block(Part.MESSAGES, digest, tokens) for digest, tokens in before),
            Block(Part.MESSAGES, last, size, Life.FIVE_MINUTES),
        )
        total += cache.bill(Request(turn.model, blocks), turn.at + 3 * number, output=output)
    return total
