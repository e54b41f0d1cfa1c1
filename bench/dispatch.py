"""What a dispatch costs beside the agent and git: our own time.

`python -m bench.dispatch` runs the demo in this process and takes from each dispatch's time what
its agent and its git processes took. What the scripted agent does in this process, reading its
script and simulating its bill, is the agent's; preparing the sandbox that it is started in is ours.
Waiting for a sibling or a queue is not part of a dispatch.
"""

from __future__ import annotations

import json
import statistics
import sys
import time
from collections.abc import Awaitable, Callable
from contextvars import ContextVar
from pathlib import Path
from typing import Any

from sparing.agents.scripted import backend as scripted
from sparing.cli.main import main as sparing
from sparing.engine import leg
from sparing.runtime import signals
from sparing.workspace.git import runner

OUT = Path(__file__).parent / "out" / "dispatch.json"
AIM_MS = 30.0

_elsewhere: ContextVar[list[float]] = ContextVar("elsewhere")
_ours: ContextVar[list[float]] = ContextVar("ours")
own: list[float] = []


def apart(function: Callable[..., Any]) -> Callable[..., Any]:
    """A call whose time belongs to another process."""

    def timed(*args: Any, **kwargs: Any) -> Any:
        begin = time.perf_counter()
        try:
            return function(*args, **kwargs)
        finally:
            _elsewhere.get([]).append(time.perf_counter() - begin)

    return timed


def ours(function: Callable[..., Any]) -> Callable[..., Any]:
    """A call that is our own inside of one that is not."""

    def timed(*args: Any, **kwargs: Any) -> Any:
        begin = time.perf_counter()
        try:
            return function(*args, **kwargs)
        finally:
            _ours.get([]).append(time.perf_counter() - begin)

    return timed


def apart_async(function: Callable[..., Awaitable[Any]]) -> Callable[..., Awaitable[Any]]:
    async def timed(*args: Any, **kwargs: Any) -> Any:
        begin = time.perf_counter()
        try:
            return await function(*args, **kwargs)
        finally:
            _elsewhere.get([]).append(time.perf_counter() - begin)

    return timed


def whole(function: Callable[..., Awaitable[Any]]) -> Callable[..., Awaitable[Any]]:
    async def timed(*args: Any, **kwargs: Any) -> Any:
        spent, kept = list[float](), list[float]()
        _elsewhere.set(spent)
        _ours.set(kept)
        begin = time.perf_counter()
        result = await function(*args, **kwargs)
        own.append(time.perf_counter() - begin - sum(spent) + sum(kept))
        return result

    return timed


def main() -> int:
    setattr(runner, "start_git", apart(runner.start_git))  # noqa: B010
    backend = scripted.ScriptedBackend
    setattr(backend, "run", apart_async(backend.run))  # noqa: B010
    setattr(scripted, "_command", ours(getattr(scripted, "_command")))  # noqa: B009, B010
    setattr(signals, "after", apart_async(signals.after))  # noqa: B010
    setattr(leg, "dispatch", whole(leg.dispatch))  # noqa: B010
    code = sparing(["demo", "--json"])
    if code:
        return code
    median = 1000 * statistics.median(own)
    high = 1000 * statistics.quantiles(own, n=20)[-1]
    print(
        f"own time per dispatch: {median:.1f} ms median, {high:.1f} ms p95, {len(own)} dispatches"
    )
    print(f"aim ≤ {AIM_MS:g} ms median ({'met' if median <= AIM_MS else 'missed'}; measured)")
    OUT.parent.mkdir(exist_ok=True)
    OUT.write_text(json.dumps({"median_ms": median, "p95_ms": high, "count": len(own)}, indent=2))
    return 0 if median <= AIM_MS else 1


if __name__ == "__main__":
    sys.exit(main())
