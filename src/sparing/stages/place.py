"""The full state of a feature: what a leg starts with and what it leaves behind.

Small JSON only: texts are named by hash, and so are the findings that a review follows (`packed`,
`unpacked`).
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace

from sparing import codec
from sparing.base_sync import BaseSync
from sparing.codec import JsonObject
from sparing.continuation import Continuation
from sparing.conversation import Conversation
from sparing.ending import Ending
from sparing.flow.flows import FLOWS
from sparing.flow.stage import Stage
from sparing.flow.state import FlowState
from sparing.job import JobResult
from sparing.refinement import Refinement
from sparing.review.governor import ReviewState
from sparing.review.loop import Loop
from sparing.task_progress import TaskProgress
from sparing.turn import TURNS, StageStep, Turn


@dataclass(frozen=True, slots=True)
class Mark:
    """What is remembered of a stage when it is over."""

    started: float
    completed: float | None = None
    iterations: int = 0
    cap_reached: bool = False
    notes: tuple[str, ...] = ()
    """Findings that were open when the stage was accepted."""
    base: str = ""
    """The commit before the stage began."""


@dataclass(frozen=True, slots=True)
class Resting:
    """Where a feature waited before its base was brought in, and waits again afterwards."""

    state: FlowState
    step: StageStep
    asked: Turn = Turn.NONE
    done: tuple[JobResult, ...] = ()


@dataclass(frozen=True, slots=True)
class Refining:
    """A change to a document, being carried through the stages that were already done."""

    resting: Resting
    """Where the feature waited; after that stage the flow continues as usual."""
    closed: bool = False
    """The branch said then that the feature is completed."""
    head: str = ""
    """The commit at which the feature waited."""
    shown: Refinement = Refinement()
    """What reviewers of the current stage are shown."""


@dataclass(frozen=True, slots=True)
class Place:
    state: FlowState
    head: str
    """The commit everything so far is in."""
    step: StageStep = StageStep.OPEN
    review: ReviewState | None = None
    """The stage's review: its loop, and what became of each finding."""
    turn: int = 0
    """How often the author has written in this stage."""
    asked: Turn = Turn.NONE
    """What the author was asked for last."""
    idle: int = 0
    """How many of the author's turns in a row changed nothing."""
    done: tuple[JobResult, ...] = ()
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
    baseline: str = ""
    """Hash of what the checks said before the feature began."""
    facts: str = ""
    """Hash of what the program has verified for the reviewers."""
    unproven: tuple[str, ...] = ()
    """Descriptions of tasks of which no file has changed."""
    accepted: bool = False
    """True if a person has accepted the stage's result as it is: its gate need not ask again."""
    part: int = 0
    """Which part of its document the author writes."""
    research: tuple[tuple[str, str], ...] = ()
    """Researchers for this stage's author, and the hash of what each found."""
    given: tuple[tuple[str, str], ...] = ()
    """Before the first leg: documents the feature begins with, by file name and hash."""
    talk: Conversation = Conversation()
    """What was asked, answered and refused."""
    going: Continuation = Continuation()
    """How this stage continues from the one before, if they share a session."""
    building: TaskProgress = TaskProgress()
    """How far the tasks are, and who helps afterwards."""
    ending: Ending = Ending()
    """What is left open at the end, and which logs were read."""
    keeping: TaskProgress | None = None
    """What stays done of the tasks when their stage begins again."""
    sync: BaseSync = BaseSync()
    """The state of merging in the base."""
    resting: Resting | None = None
    """While that is done: where the feature waits again afterwards."""
    refining: Refining | None = None
    """A change that is being carried through earlier stages."""

    @property
    def loop(self) -> Loop | None:
        return None if self.review is None else self.review.loop

    def dump(self) -> JsonObject:
        """As JSON: marks as lists of their fields, task progress without empty fields."""
        marks = {stage: list(codec.dump(mark).values()) for stage, mark in self.marks.items()}
        return {**codec.dump(self), "marks": marks, "building": codec.brief(self.building)}

    @classmethod
    def load(cls, value: JsonObject) -> Place:
        """Read a place; a new feature's is its flow state and base commit, the rest has defaults.

        Also reads rows from before findings were tracked, without any.
        """
        given = {name: one for name, one in value.items() if one is not None}
        if "loop" in given and "review" not in given:
            given["review"] = {"loop": given["loop"]}
        return codec.load(cls, given)


def stage_of(place: Place) -> Stage:
    return FLOWS[place.state.flow].stage(place.state.stage)


def has_more_parts(place: Place) -> bool:
    """Whether another part of the document is to be written after this turn."""
    parted = TURNS[place.asked].by_parts or place.asked is Turn.ANSWER
    return parted and place.part + 1 < len(stage_of(place).parts)


def is_last(place: Place) -> bool:
    return FLOWS[place.state.flow].is_last(place.state.stage)


def is_closed(place: Place) -> bool:
    """Whether the branch says that the feature is completed."""
    return is_last(place) and mark_of(place).completed is not None


def reopened(place: Place) -> Place:
    """Without the completion of its flow's last stage."""
    name = FLOWS[place.state.flow].names[-1]
    return replace(place, marks={**place.marks, name: replace(place.marks[name], completed=None)})


def mark_of(place: Place) -> Mark:
    return place.marks.get(place.state.stage, Mark(0.0))


def marked(
    place: Place,
    *,
    completed: float | None = None,
    iterations: int | None = None,
    cap_reached: bool = False,
    notes: tuple[str, ...] = (),
) -> Place:
    """The place with something more remembered of its stage."""
    mark = mark_of(place)
    changed = Mark(
        mark.started,
        completed if completed is not None else mark.completed,
        iterations if iterations is not None else mark.iterations,
        cap_reached or mark.cap_reached,
        notes or mark.notes,
        mark.base,
    )
    return replace(place, marks={**place.marks, place.state.stage: changed})
