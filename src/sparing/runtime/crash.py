"""Crash points: named places at which a test can let the process die.

Every step registers two: before it begins, and after its effects but before the engine has
recorded them. That second one is where a replay repeats what has already happened. What records a
step is passed in by the engine when it is loaded: no other room knows its library.
"""

from __future__ import annotations

import os
import signal
from collections import Counter
from collections.abc import Awaitable, Callable
from functools import wraps
from typing import Any, ParamSpec, TypeVar

P = ParamSpec("P")
R = TypeVar("R")

Body = Callable[..., Awaitable[Any]]
Record = Callable[[str, bool, Body], Body]
"""From a step's name, whether it may be interrupted, and its body, to the recorded step."""

POINTS: list[str] = []
_bodies: dict[str, tuple[bool, Body]] = {}
_recorded: dict[str, Body] = {}
_armed = ""
_passed: Counter[str] = Counter()


def arm(point: str) -> None:
    """`name` or `name@n`: die at the n-th time the point is passed in this process."""
    global _armed
    _armed = point


def passing(point: str) -> None:
    _passed[point] += 1
    name, _, count = _armed.partition("@")
    if name == point and _passed[point] == int(count or 1):
        os.kill(os.getpid(), signal.SIGKILL)


def step(
    name: str, *, preemptible: bool = False
) -> Callable[[Callable[P, Awaitable[R]]], Callable[P, Awaitable[R]]]:
    """A recorded step with its two crash points. The name is stored: it never changes."""
    begin, end = f"{name}:begin", f"{name}:end"
    POINTS.extend((begin, end))

    def decorate(function: Callable[P, Awaitable[R]]) -> Callable[P, Awaitable[R]]:
        @wraps(function)
        async def with_points(*args: P.args, **kwargs: P.kwargs) -> R:
            passing(begin)
            result = await function(*args, **kwargs)
            passing(end)
            return result

        _bodies[name] = preemptible, with_points

        @wraps(function)
        async def recorded(*args: P.args, **kwargs: P.kwargs) -> R:
            return await _recorded.get(name, with_points)(*args, **kwargs)

        return recorded

    return decorate


def record_with(record: Record) -> None:
    """Record every step that is known by now. Called once, before the engine starts."""
    for name, (preemptible, body) in _bodies.items():
        _recorded[name] = record(name, preemptible, body)
