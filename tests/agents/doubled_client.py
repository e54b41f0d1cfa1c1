"""What clients with the double as their model have in common: one double, one folder of sessions.

Each turn gets steps of its own in the double's plan, known by a header that the turn carries, so
that turns at the same time do not take each other's. Every backend is a new process to them.
"""

from __future__ import annotations

import itertools
import json
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator, Mapping
from contextlib import ExitStack
from pathlib import Path
from typing import Any, Generic, TypeVar

from sparing.agents.backend import AgentCall, AgentEvent, AgentReply, Backend, Capabilities
from sparing.double.server import ServerSettings
from sparing.failure import Failure
from sparing.usage import Usage
from tests.agents.acts import Act
from tests.double.serving import Client, serving

Json = dict[str, Any]
KEY = "sk-no-key-at-all"
LONG_SECONDS = 10
FAULTS: Mapping[Failure, Json] = {
    Failure.AUTH: {"error": 401},
    Failure.QUOTA: {"error": 429},
    Failure.OVERLOADED: {"error": 503},
    Failure.CONTEXT_OVERFLOW: {"error": 400, "message": "prompt is too long: 9 tokens > 8 maximum"},
    Failure.REFUSED: {"text": "I can't.", "stop_reason": "refusal"},
}
B = TypeVar("B", bound=Backend)


class DoubledClient(ABC, Generic[B]):
    """`settings` are the double's."""

    def __init__(self, folder: Path, name: str, **settings: Any) -> None:
        self.folder = folder
        self.name = name
        self.config = folder / name
        self.log = folder / "double.jsonl"
        folder.mkdir(parents=True, exist_ok=True)
        self._stack = ExitStack()
        self.double: Client = self._stack.enter_context(
            serving(ServerSettings(log=self.log, **settings))
        )
        self._tags = itertools.count()

    @abstractmethod
    def backend(self, **changes: Any) -> B:
        """A new backend; `changes` replace what its setup has by default."""

    @abstractmethod
    def steps(self, act: Act, call: AgentCall) -> Iterator[Json]:
        """What the model does, one request after another."""

    def close(self) -> None:
        self._stack.close()

    def release(self, count: int) -> None:
        self.double.until_waiting(count)
        self.double.control(release=True)

    def make(self, *acts: Act) -> Playing:
        return Playing(self, acts or (Act(),))

    def planned(self, *steps: Json, **changes: Any) -> B:
        """A backend whose next requests are answered so, whoever sends them."""
        self.double.control(plan=list(steps))
        return self.backend(**changes)

    def tag(self) -> str:
        return f"turn-{next(self._tags)}"

    def requests(self) -> list[Json]:
        """All that was asked so far, with answers and bills."""
        records = [json.loads(line) for line in self.log.read_text().splitlines()]
        return [record for record in records if record["kind"] == "request"]

    def bill(self) -> Usage:
        bills = (record["bill"] for record in self.requests() if record.get("bill"))
        return sum((Usage(**bill) for bill in bills), Usage())

    def leaving(self, code: int) -> Json:
        """The change of a setup whose client takes its orders and is gone."""
        return {"program": (str(leaver(self.folder, code)),)}


class Playing:
    """A client with a model that does what acts say."""

    def __init__(self, around: DoubledClient[Any], acts: tuple[Act, ...]) -> None:
        self._around = around
        self._acts = acts
        self.name = around.name

    @property
    def capabilities(self) -> Capabilities:
        return self._around.backend().capabilities

    async def run(self, call: AgentCall, events: Callable[[AgentEvent], None]) -> AgentReply:
        act = next(act for act in self._acts if act.role in ("*", call.role))
        around, tag = self._around, self._around.tag()
        around.double.control(add=[{"tag": tag, **step} for step in around.steps(act, call)])

        def headers(call: AgentCall) -> Mapping[str, str]:
            return {**at_time(call), "x-plan-tag": tag}

        gone = {} if act.leaves is None else around.leaving(act.leaves)
        return await around.backend(headers=headers, **gone).run(call, events)


def at_time(call: AgentCall) -> Mapping[str, str]:
    return {"x-virtual-time": f"{call.at}"}


def steps(act: Act, faults: Mapping[Failure, Json] = FAULTS, tools: str = "") -> Iterator[Json]:
    """Reads together, then writes together, then the answer, with tools of ours.

    `tools`: what the client puts before their names.
    """
    held: Json = {"hold": True} if act.held else {}
    if act.fails is not None:
        yield from ({**faults[act.fails]} for _ in range(6))
        return
    if act.read:
        yield {**held, "tool_use": [use(f"{tools}look", read=list(act.read))]}
        held = {}
    if act.delay_seconds > LONG_SECONDS:
        # The answer begins and never ends.
        yield {**held, "text": "Let me see. " * 400, "stall": 3000}
        return
    if act.write:
        edits = [{"path": path, "create": text} for path, text in act.write.items()]
        yield {**held, "tool_use": [use(f"{tools}change", edits=edits)]}
        held = {}
    slow = {"drip_bytes": 600, "drip_seconds": act.delay_seconds} if act.delay_seconds else {}
    yield {**held, **slow, "text": act.reply}


def use(name: str, **given: Any) -> Json:
    return {"name": name, "input": given}


def leaver(folder: Path, code: int) -> Path:
    """A client that takes its orders and is gone."""
    program = folder / f"leaves-with-{code}"
    program.write_text(f"#!/bin/sh\nread line\nexit {code}\n")
    program.chmod(0o700)
    return program
