"""Tools of our own, answered by this program whichever client carries the calls.

A call is answered in a thread, so that a command that runs for minutes blocks nothing else; what it
opened and changed is recorded when the answer is ready.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Coroutine, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from dataclasses import dataclass, field, replace
from typing import Protocol, runtime_checkable

from sparing.agents.backend import EVERY_MODEL, Access, AgentCall, AgentEvent
from sparing.codec import JsonObject
from sparing.tool import ChangedFile, OpenedLines, OwnTools, ToolResult, ToolSpec
from sparing.turn_event import AgentAction

THREADS = 8
END_SECONDS = 5.0
SAID_CHARS = 2_000


@dataclass(frozen=True, slots=True)
class ToolOffer:
    """Which agents use our tools instead of the client's: all of a trunk group, or none."""

    make: Callable[[AgentCall], OwnTools] | None = None
    readers: bool = False
    writers: frozenset[str] = frozenset()
    """Models whose writers get our tools; `EVERY_MODEL` stands for all."""
    lost: frozenset[str] = frozenset()
    """Models whose readers keep the client's tools, because their reviews were worse with ours."""

    def of(self, call: AgentCall) -> OwnTools | None:
        if call.access is Access.NOTHING:
            wanted = False
        elif (call.shown or call.access).writes:
            wanted = not self.writers.isdisjoint({call.model, EVERY_MODEL})
        else:
            wanted = self.readers and call.model not in self.lost
        return self.make(call) if self.make and wanted else None

    def to_everybody(self) -> ToolOffer:
        """The offer for agents that have no tools but ours."""
        return ToolOffer(self.make, readers=True, writers=frozenset({EVERY_MODEL}))


@runtime_checkable
class TakesTools(Protocol):
    """A backend whose agents can work with our tools."""

    def offer(self, tools: ToolOffer) -> None: ...


@dataclass(slots=True)
class ToolDesk:
    """Answers the tool calls of one turn; without tools it is idle."""

    tools: OwnTools | None
    events: Callable[[AgentEvent], None]
    opened: list[OpenedLines] = field(default_factory=list[OpenedLines])
    changed: list[ChangedFile] = field(default_factory=list[ChangedFile])
    _read: list[str] = field(default_factory=list[str])
    _pool: ThreadPoolExecutor | None = None
    _tasks: set[asyncio.Task[None]] = field(default_factory=set[asyncio.Task[None]])

    @property
    def specs(self) -> tuple[ToolSpec, ...]:
        return self.tools.specs if self.tools else ()

    @property
    def read(self) -> tuple[str, ...]:
        """Files that the model has opened, even if they were already in its context."""
        return tuple(dict.fromkeys(self._read))

    @property
    def written(self) -> tuple[str, ...]:
        return tuple(dict.fromkeys(one.path for one in self.changed))

    def start(self, answering: Coroutine[None, None, None]) -> None:
        """Run a coroutine alongside the rest of the turn."""
        task = asyncio.create_task(answering)
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)

    async def call(self, name: str, given: JsonObject) -> ToolResult:
        """Answer a call, always with a result: without one the model would wait forever."""
        if self.tools is None:
            return ToolResult(f"there is no tool {name[:80]}", failed=True)
        self._pool = self._pool or ThreadPoolExecutor(THREADS, "own-tools")
        loop = asyncio.get_running_loop()
        try:
            result = await loop.run_in_executor(self._pool, self.tools.answer, name, given)
        except Exception as error:  # noqa: BLE001 - as said above
            words = f"the tool is broken: {type(error).__name__}: {error}"
            return ToolResult(words, failed=True)
        self._take_down(result)
        # Halves of characters can't be carried by any JSON.
        return replace(result, text=result.text.encode("utf-8", "replace").decode())

    async def close(self) -> None:
        """End the turn: nothing that a call has started continues."""
        if self.tools is None:
            return
        self.tools.end()
        if self._tasks:
            with suppress(TimeoutError):
                await asyncio.wait_for(asyncio.gather(*self._tasks), END_SECONDS)
        if self._pool is not None:
            self._pool.shutdown(wait=False, cancel_futures=True)

    def _take_down(self, result: ToolResult) -> None:
        self.opened += result.opened
        self._read += [*(one.path for one in result.opened), *result.known]
        self.changed += result.changed
        for event in _events(result):
            self.events(event)


def _events(result: ToolResult) -> Iterator[AgentEvent]:
    for path in dict.fromkeys(one.path for one in result.opened):
        lines = [f"{one.first}-{one.last}" for one in result.opened if one.path == path]
        yield AgentEvent(AgentAction.READ, f"{path}:{','.join(lines)}"[:SAID_CHARS])
    yield from (AgentEvent(AgentAction.WRITE, one.path) for one in result.changed)
    yield from (AgentEvent(AgentAction.DENIED, path[:SAID_CHARS]) for path in result.refused)
    if result.command:
        yield AgentEvent(AgentAction.COMMAND, result.command[:SAID_CHARS])


def muted(offer: ToolOffer) -> ToolOffer:
    """An offer of the same tools in every request, none of which does anything."""

    def make(call: AgentCall) -> OwnTools:
        tools = offer.of(call)
        return MutedTools(tools.specs if tools else ())

    return replace(offer, make=make)


@dataclass(frozen=True, slots=True)
class MutedTools:
    """Tools that are listed but can't be used: for a turn that must do nothing."""

    specs: tuple[ToolSpec, ...]

    def begin(self, session: str) -> None:
        pass

    def answer(self, name: str, given: JsonObject) -> ToolResult:
        return ToolResult(f"{name} is not for you in this turn.", failed=True)

    def forget(self) -> None:
        pass

    def keep(self, session: str) -> None:
        pass

    def end(self) -> None:
        pass
