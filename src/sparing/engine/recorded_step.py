"""Recorded steps, and crash points: named points at which a test can kill the process.

Every step registers two: before it begins, and after its effects but before the engine has recorded
them. The second one is where a replay repeats what has already happened. A step's result is
recorded as JSON, so its caller gets the same whether it ran or was replayed.
"""

from __future__ import annotations

import os
import signal
from collections import Counter
from collections.abc import Awaitable, Callable
from functools import wraps
from typing import ParamSpec, TypeVar, get_type_hints

from dbos import DBOS

from sparing import codec

P = ParamSpec("P")
R = TypeVar("R")

POINTS: list[str] = []
STOP = "stop:"
_armed = ""
_passed: Counter[str] = Counter()


def arm(point: str) -> None:
    """`name` or `name@n`: die at the n-th time the point is passed in this process. With `stop:`
    before it, the process is stopped there instead, until somebody continues it."""
    global _armed
    _armed = point


def passing(point: str) -> None:
    _passed[point] += 1
    name, _, count = _armed.removeprefix(STOP).partition("@")
    if name == point and _passed[point] == int(count or 1):
        os.kill(os.getpid(), signal.SIGSTOP if _armed.startswith(STOP) else signal.SIGKILL)


def step(
    name: str, *, preemptible: bool = False
) -> Callable[[Callable[P, Awaitable[R]]], Callable[P, Awaitable[R]]]:
    """A recorded step with its two crash points. The name is stored: it never changes."""
    begin, end = f"{name}:begin", f"{name}:end"
    POINTS.extend((begin, end))

    def decorate(body: Callable[P, Awaitable[R]]) -> Callable[P, Awaitable[R]]:
        kind = get_type_hints(body)["return"]

        @DBOS.step(name=name, preemptible=preemptible)
        @wraps(body)
        async def recorded(*args: P.args, **kwargs: P.kwargs) -> object:
            passing(begin)
            result = await body(*args, **kwargs)
            passing(end)
            return codec.plain(result)

        @wraps(body)
        async def typed(*args: P.args, **kwargs: P.kwargs) -> R:
            return codec.load(kind, await recorded(*args, **kwargs))

        return typed

    return decorate
