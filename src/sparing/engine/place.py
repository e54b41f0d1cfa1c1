"""Where a feature stands, in all detail: what a leg is given and what it leaves behind.

Small JSON only: texts are named by hash, findings by the dispatch that returned them.
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from enum import StrEnum
from typing import Any

from sparing.engine.jobs import Result, Turn
from sparing.flow.flows import FLOWS
from sparing.flow.stage import Stage
from sparing.flow.state import State
from sparing.review.loop import Loop


class Step(StrEnum):
    """Where within a stage."""

    OPEN = "open"
    AUTHOR = "author"
    REVIEW = "review"
    TASKS = "tasks"
    TASK = "task"
    CHECK = "check"
    REPAIR = "repair"
    CLOSE = "close"
    HANDOVER = "handover"


@dataclass(frozen=True, slots=True)
class Mark:
    """What is remembered of a stage when it is over."""

    started: float
    completed: float | None = None
    iterations: int = 0
    cap_reached: bool = False


@dataclass(frozen=True, slots=True)
class Place:
    state: State
    head: str
    """The commit everything so far is in."""
    step: Step = Step.OPEN
    loop: Loop | None = None
    turn: int = 0
    """How often the author has written in this stage."""
    asked: Turn = Turn.NONE
    """What the author was asked for last."""
    idle: int = 0
    """How many of the author's turns in a row changed nothing."""
    done: tuple[Result, ...] = ()
    """Of a step that was interrupted: what its other jobs gave."""
    tasks: tuple[tuple[str, str], ...] = ()
    """Number and title of each task."""
    task: int = 0
    repairs: int = 0
    open: tuple[str, ...] = ()
    """Dispatches whose findings are not settled."""
    feedback: str = ""
    """Hash of what a human, a verdict or the checks said."""
    note: str = ""
    """Hash of the author's last reply: its summary of what changed."""
    marks: dict[str, Mark] = field(default_factory=dict[str, Mark])
    moves: int = 0

    def dump(self) -> dict[str, Any]:
        loop = self.loop
        return {
            "state": self.state.dump(),
            "head": self.head,
            "step": self.step.value,
            "loop": None if loop is None else _dump_loop(loop),
            "turn": self.turn,
            "asked": self.asked.value,
            "idle": self.idle,
            "done": [result.dump() for result in self.done],
            "tasks": [list(task) for task in self.tasks],
            "task": self.task,
            "repairs": self.repairs,
            "open": list(self.open),
            "feedback": self.feedback,
            "note": self.note,
            "marks": {
                stage: [m.started, m.completed, m.iterations, m.cap_reached]
                for stage, m in self.marks.items()
            },
            "moves": self.moves,
        }

    @classmethod
    def load(cls, value: dict[str, Any]) -> Place:
        """A new feature's place is its flow state and its base commit; the rest has defaults."""
        loop = value.get("loop")
        return cls(
            State.load(value["state"]),
            value["head"],
            Step(value.get("step", Step.OPEN)),
            None if loop is None else _load_loop(loop),
            value.get("turn", 0),
            Turn(value.get("asked", Turn.NONE)),
            value.get("idle", 0),
            tuple(Result.load(item) for item in value.get("done", [])),
            tuple((number, title) for number, title in value.get("tasks", [])),
            value.get("task", 0),
            value.get("repairs", 0),
            tuple(value.get("open", [])),
            value.get("feedback", ""),
            value.get("note", ""),
            {stage: Mark(*mark) for stage, mark in value.get("marks", {}).items()},
            value.get("moves", 0),
        )


def _dump_loop(loop: Loop) -> list[Any]:
    groups = [list(group) for group in loop.groups]
    return [groups, loop.cap, loop.group, loop.iteration, list(loop.passed)]


def _load_loop(value: list[Any]) -> Loop:
    groups, cap, group, iteration, passed = value
    return Loop(tuple(tuple(g) for g in groups), cap, group, iteration, tuple(passed))


def stage_of(place: Place) -> Stage:
    return FLOWS[place.state.flow].stage(place.state.stage)


def mark_of(place: Place) -> Mark:
    return place.marks.get(place.state.stage, Mark(0.0))


def marked(
    place: Place,
    *,
    completed: float | None = None,
    iterations: int | None = None,
    cap_reached: bool = False,
) -> Place:
    """The place with something more remembered of its stage."""
    mark = mark_of(place)
    changed = Mark(
        mark.started,
        completed if completed is not None else mark.completed,
        iterations if iterations is not None else mark.iterations,
        cap_reached or mark.cap_reached,
    )
    return replace(place, marks={**place.marks, place.state.stage: changed})
