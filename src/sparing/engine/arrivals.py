"""Knowing at once that a child is done, where it ran in this process.

The durable way to a child's result is to ask the database every second. A child of the same
process rings a bell, so that its parent asks at the right moment. Nothing depends on it: a bell
that never rings costs a second, and a replayed move expects none.
"""

from __future__ import annotations

import asyncio

PATIENCE_SECONDS = 1.0
SOON_SECONDS = 0.01
LATER_SECONDS = 1.0

_bells: dict[str, asyncio.Event] = {}


def expect(name: str) -> None:
    """A child that is started now, not one that a replay meets again."""
    _bells[name] = asyncio.Event()


def arrived(name: str) -> None:
    if name in _bells:
        _bells[name].set()


async def polling_seconds(name: str) -> float:
    """How often to ask for the result of a child, after waiting for its bell."""
    bell = _bells.get(name)
    if bell is None:
        return LATER_SECONDS
    try:
        await asyncio.wait_for(bell.wait(), PATIENCE_SECONDS)
    except TimeoutError:
        return LATER_SECONDS
    finally:
        _bells.pop(name, None)
    return SOON_SECONDS
