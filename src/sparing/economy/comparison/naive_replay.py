"""A recorded run without sessions or shared blocks, its prompts cut to what each role needs."""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from dataclasses import replace

from sparing.economy.comparison.naive import NaiveTurn
from sparing.economy.comparison.recorded_turn import RecordedTurn
from sparing.way import Way


def naive_turns(turns: Sequence[RecordedTurn]) -> list[NaiveTurn]:
    """Every turn from nothing, every document in full. A ping is none of them."""
    return [_silent(turn) for turn in turns]


def scoped_turns(turns: Sequence[RecordedTurn]) -> list[NaiveTurn]:
    """As naive, except that a prompt holds what its role needs and no more."""
    return [_silent(turn) if turn.follows or turn.ping else _scoped(turn) for turn in turns]


def _silent(turn: RecordedTurn) -> NaiveTurn:
    return replace(turn.naive, calls=()) if turn.ping else turn.naive


def _scoped(turn: RecordedTurn) -> NaiveTurn:
    """All blocks as one, the role before it; so nothing but tools and role can be shared."""
    blocks = turn.ways[Way.COMPOSE].blocks
    tokens = turn.base[1] + sum(block.tokens for block in blocks)
    tokens -= turn.naive.tools[1] + turn.naive.role[1]
    digest = hashlib.sha256(" ".join(block.digest for block in blocks).encode()).hexdigest()
    return replace(turn.naive, prompt=(digest, max(0, tokens)))
