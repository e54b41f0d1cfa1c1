"""A recorded run replayed without sessions or shared blocks: naive, and cut to what roles need."""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from dataclasses import replace

from sparing.economy.naive import NaiveTurn, naive_usage
from sparing.economy.replay import RecordedTurn
from sparing.usage import Usage
from sparing.way import Way


def naive_bills(turns: Sequence[RecordedTurn]) -> list[Usage]:
    """Every turn from nothing, every document in full. A ping is none of them."""
    return naive_usage(_silent(turn) for turn in turns)


def scoped_bills(turns: Sequence[RecordedTurn]) -> list[Usage]:
    """As naive, except that a prompt holds what its role needs and no more."""
    latest: dict[str, NaiveTurn] = {}
    found: list[NaiveTurn] = []
    for turn in turns:
        naive = _silent(turn) if turn.follows or turn.ping else _scoped(turn)
        if turn.follows and turn.line in latest:
            naive = replace(naive, prompt=latest[turn.line].prompt)
        latest[turn.line] = naive
        found.append(naive)
    return naive_usage(found)


def _silent(turn: RecordedTurn) -> NaiveTurn:
    return replace(turn.naive, calls=()) if turn.ping else turn.naive


def _scoped(turn: RecordedTurn) -> NaiveTurn:
    """All blocks as one, the role before it; so nothing but tools and role can be shared."""
    blocks = turn.ways[Way.COMPOSE].blocks
    tokens = turn.base[1] + sum(block.tokens for block in blocks)
    tokens -= turn.naive.tools[1] + turn.naive.role[1]
    digest = hashlib.sha256(" ".join(block.digest for block in blocks).encode()).hexdigest()
    return replace(turn.naive, prompt=(digest, max(0, tokens)))
