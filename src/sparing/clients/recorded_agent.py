"""An agent that repeats what one said and wrote in a recorded run.

It answers a call with the turn of the same step, or, if steps are numbered differently by now, with
the first turn not yet played of the same role, stage, iteration and task. What a turn wrote is
known from the commit that holds it. Usage is what was recorded; nothing is sent anywhere.
"""

from __future__ import annotations

import json
from collections.abc import Callable
from functools import lru_cache
from pathlib import Path

from sparing import codec
from sparing.agents.backend import (
    ANSWERING,
    AgentCall,
    AgentEvent,
    AgentReply,
    Capabilities,
    ModelCall,
)
from sparing.cassette import Cassette, FileState, read_cassette
from sparing.codec import JsonObject
from sparing.failure import Failure
from sparing.records.totals import RESUME_CHECK
from sparing.tool import OpenedLines
from sparing.turn_event import AgentAction
from sparing.usage import Origin, Usage
from sparing.workspace.project.commit_files import lay_down

BUCKETS = ("uncached", "read", "write_5m", "write_1h", "output")
PLAIN = Capabilities(
    resume=True, fork=False, schema=False, marks=0, context_tokens=200_000, base_tokens=0
)
"""Capabilities to assume if the client's were not recorded."""


@lru_cache(1)
def open_recorded(path: str) -> RecordedAgent:
    return RecordedAgent(read_cassette(Path(path)))


class RecordedAgent:
    def __init__(self, cassette: Cassette) -> None:
        tape = cassette.tape
        self._cassette = cassette
        self._key = str(tape.feature["key"])
        self._turns = [row for row in cassette.records["ledger"] if _is_played(row)]
        self._played: set[int] = set()
        self._written: set[str] = set()
        self._files = {one.step: one.files for one in tape.steps}
        self.name, self.version, self.wrapper = tape.backend, tape.client, tape.wrapper
        self.capabilities = (
            codec.load(Capabilities, tape.capabilities) if tape.capabilities else PLAIN
        )
        self.prompts: dict[int, str] = {}
        """By index of the recorded turn: the start of the hash of the prompt that requested it
        now; calls that only fill a cache have none."""
        self.unknown: list[str] = []
        """Descriptions of turns that were requested but not recorded."""

    async def run(self, call: AgentCall, events: Callable[[AgentEvent], None]) -> AgentReply:
        place = self._find(call)
        if place is None:
            where = f"{call.role}, {call.stage}, iteration {call.iteration}"
            self.unknown.append(f"{where}{f', task {call.task}' if call.task else ''}")
            return _failed(f"the recorded run has no turn for {self.unknown[-1]}")
        self._played.add(place)
        row = self._turns[place]
        if call.id.count(".") > str(row["dispatch"]).count(".") + 1:
            self.prompts[place] = call.id.rpartition(".")[2]
        events(AgentEvent(ANSWERING, ""))
        for path in json.loads(row["files_read"] or "[]"):
            events(AgentEvent(AgentAction.READ, path))
        written = self._write(call, row)
        return self._reply(row, written)

    @property
    def now(self) -> float:
        """When the next turn to be played began; after the last one, when that began."""
        rest = [row for place, row in enumerate(self._turns) if place not in self._played]
        return float((rest or self._turns[-1:] or [{"started": 0.0}])[0]["started"])

    @property
    def unplayed(self) -> list[JsonObject]:
        return [row for place, row in enumerate(self._turns) if place not in self._played]

    @property
    def turns(self) -> list[JsonObject]:
        return self._turns

    def _find(self, call: AgentCall) -> int | None:
        open_turns = [place for place in range(len(self._turns)) if place not in self._played]
        same = [one for one in open_turns if f"{call.id}.".startswith(f"{self._name(one)}.")]
        if same:
            return max(same, key=lambda one: (len(self._name(one)), -one))
        wanted = (call.role, call.iteration, call.task)
        for place in open_turns:
            row = self._turns[place]
            same_stage = row["stage"] == call.stage or row["template"] == call.stage
            if same_stage and (row["role"], row["iteration"], row["task"]) == wanted:
                return place
        return None

    def _name(self, place: int) -> str:
        return str(self._turns[place]["dispatch"])

    def _write(self, call: AgentCall, row: JsonObject) -> tuple[str, ...]:
        """Write all files of a dispatch in its first turn: they are only known as a whole."""
        step = str(row["dispatch"]).removeprefix(f"{self._key}.")
        if not call.access.writes or row["failure"] or step in self._written:
            return ()
        self._written.add(step)
        own = f"{call.folder}/.meta.json"
        files: list[FileState] = [one for one in self._files.get(step, ()) if one.path != own]
        lay_down(call.cwd, files, self._cassette.texts)
        return tuple(one.path for one in files)

    def _reply(self, row: JsonObject, written: tuple[str, ...]) -> AgentReply:
        known = row["uncached"] is not None
        usage = Usage(*(int(row[name]) for name in BUCKETS)) if known else Usage()
        return AgentReply(
            text=self._cassette.text(row["reply"]) if row["reply"] else "",
            session=row["session"],
            usage=usage,
            origin=Origin(row["origin"]) if known else Origin.ESTIMATED,
            context_tokens=int(row["context_tokens"] or 0),
            seconds=float(row["seconds"]),
            calls=tuple(_call(one) for one in json.loads(row["calls"] or "[]")),
            files_read=tuple(json.loads(row["files_read"] or "[]")),
            files_written=written,
            opened=tuple(OpenedLines(*one) for one in json.loads(row["opened"] or "[]")),
            failure=Failure(row["failure"]) if row["failure"] else None,
            detail=row["detail"] or "",
        )


def _is_played(row: JsonObject) -> bool:
    """Whether a row is a finished turn of the run; checks of the client are not part of it."""
    return row["seconds"] is not None and row["role"] != RESUME_CHECK


def _call(value: JsonObject) -> ModelCall:
    known = "uncached" in value
    usage = Usage(*(int(value[name]) for name in BUCKETS)) if known else None
    return ModelCall(int(value["added"]), int(value["output"]), usage, int(value.get("asked", 0)))


def _failed(detail: str) -> AgentReply:
    return AgentReply(
        "", "", Usage(), Origin.SIMULATED,
        context_tokens=0, seconds=0.0, failure=Failure.GARBAGE, detail=detail,
    )  # fmt: skip
