"""Signals between jobs of one process: a child is done, a sibling has started to answer.

The durable way to a child's result is to ask the database every second. A child of the same
process rings a bell, so that its parent asks at the right moment; and siblings start one after
the other, each when the one before has begun to answer, so that what they share is cached once.
Nothing depends on a bell: one that never rings costs some seconds, and a replay expects none.
"""

from __future__ import annotations

import asyncio
from collections.abc import Iterable
from dataclasses import dataclass, field

SOON_SECONDS = 0.01
LATER_SECONDS = 1.0
SIBLING_PATIENCE_SECONDS = 60.0


@dataclass(frozen=True, slots=True)
class _Bells:
    answering: asyncio.Event = field(default_factory=asyncio.Event)
    done: asyncio.Event = field(default_factory=asyncio.Event)


_expected: dict[str, _Bells] = {}


def expect(name: str) -> None:
    """A job that is started now, not one that a replay meets again."""
    _expected[name] = _Bells()


def answering(name: str) -> None:
    if name in _expected:
        _expected[name].answering.set()


def job_done(name: str) -> None:
    if name in _expected:
        _expected[name].answering.set()
        _expected[name].done.set()


async def after(sibling: str) -> None:
    """Wait until that sibling has begun to answer."""
    if sibling in _expected:
        await _heard(_expected[sibling].answering, SIBLING_PATIENCE_SECONDS)


async def polling_seconds(name: str) -> float:
    """How often to ask for the result of a child, after listening for its bell."""
    if name not in _expected:
        return LATER_SECONDS
    heard = await _heard(_expected[name].done, LATER_SECONDS)
    return SOON_SECONDS if heard else LATER_SECONDS


def forget(names: Iterable[str]) -> None:
    for name in names:
        _expected.pop(name, None)


async def _heard(bell: asyncio.Event, patience_seconds: float) -> bool:
    try:
        await asyncio.wait_for(bell.wait(), patience_seconds)
    except TimeoutError:
        return False
    return True
