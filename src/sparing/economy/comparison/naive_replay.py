"""A recorded run as the naive baseline, and the steps from there to prompts cut to each role."""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from dataclasses import replace

from sparing.dispatch_policy import Way
from sparing.economy.comparison.naive import NaiveTurn, together
from sparing.economy.comparison.recorded_turn import RecordedTurn


def naive_turns(turns: Sequence[RecordedTurn]) -> list[NaiveTurn]:
    """Every turn from scratch, every document in full; a ping makes no calls."""
    return [_silent(turn) for turn in turns]


def remembering_turns(turns: Sequence[RecordedTurn]) -> list[NaiveTurn]:
    """As naive, by agents that remember what those of the run did."""
    plain = together(naive_turns(turns))
    return [replace(one, calls=one.remembered_calls) if one.calls else one for one in plain]


def equipped_turns(turns: Sequence[RecordedTurn]) -> list[NaiveTurn]:
    """The same with the run's tools, and so with its calls."""
    return [_equipped(turn) for turn in turns]


def scoped_turns(turns: Sequence[RecordedTurn]) -> list[NaiveTurn]:
    """The same, except that a prompt holds what its role needs and no more."""
    return [_equipped(turn) if turn.follows or turn.ping else _scoped(turn) for turn in turns]


def _silent(turn: RecordedTurn) -> NaiveTurn:
    return replace(turn.naive, calls=(), apart=()) if turn.ping else turn.naive


def _equipped(turn: RecordedTurn) -> NaiveTurn:
    naive = _silent(turn)
    calls = naive.own_calls if naive.calls else ()
    tools = turn.tools if turn.tools[1] else naive.tools
    return replace(naive, calls=calls, tools=tools, apart=())


def _scoped(turn: RecordedTurn) -> NaiveTurn:
    """All blocks as one, the role before it; so nothing but tools and role can be shared."""
    blocks = turn.ways[Way.COMPOSE].blocks
    naive = _equipped(turn)
    tokens = turn.base[1] + sum(block.tokens for block in blocks)
    tokens -= naive.tools[1] + naive.role[1]
    digest = hashlib.sha256(" ".join(block.digest for block in blocks).encode()).hexdigest()
    return replace(naive, prompt=(digest, max(0, tokens)))
