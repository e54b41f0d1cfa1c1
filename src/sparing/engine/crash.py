"""Crash points: named places at which a test can let the process die.

Every step registers two: before it begins, and after its effects but before the engine has
recorded them. That second one is where a replay repeats what has already happened.
"""

from __future__ import annotations

import os
import signal
from collections import Counter
from collections.abc import Awaitable, Callable
from functools import wraps
from typing import ParamSpec, TypeVar

from dbos import DBOS

P = ParamSpec("P")
R = TypeVar("R")

POINTS: list[str] = []
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

        return DBOS.step(name=name, preemptible=preemptible)(with_points)

    return decorate
