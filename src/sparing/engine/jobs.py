"""What a move asks for: jobs, done side by side, each a child workflow with JSON in and out."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from enum import StrEnum
from typing import Any


class JobKind(StrEnum):
    OPEN = "open"
    """Make branch and worktree."""
    DISPATCH = "dispatch"
    """One prompt to one agent, and its reply."""
    TASKS = "tasks"
    """Read tasks.md."""
    CHECK = "check"
    """Run the repository's own checks."""
    CLOSE = "close"
    """Commit the stage's record."""
    HANDOVER = "handover"


class Turn(StrEnum):
    """What an agent is asked to do; each has a text in `prompts/turns`."""

    NONE = ""
    WRITE = "write"
    REVISE = "revise"
    REDO = "redo"
    REVIEW = "review"
    IMPLEMENT = "implement"
    BUILD = "build"
    REPAIR_CHECKS = "repair_checks"
    JUDGE = "judge"


@dataclass(frozen=True, slots=True)
class Job:
    kind: JobKind
    stage: str
    head: str
    name: str
    """Short and unique within the move; the last part of the workflow's id."""
    role: str = ""
    turn: Turn = Turn.NONE
    iteration: int = 0
    task: str = ""
    open: tuple[str, ...] = ()
    feedback: str = ""
    note: str = ""
    place: dict[str, Any] | None = None
    """For CLOSE and HANDOVER: what is to be written down."""
    final: bool = False
    """Of a reviewer that has passed: its look at everything since."""
    settles: tuple[str, ...] = ()
    """Of an author: the ids of the findings it is to settle."""
    ended: tuple[tuple[str, bool, int], ...] = ()
    """How the reviewers before this one ended: role, passed, iteration."""
    baseline: str = ""
    """Hash of what the checks said before the feature began."""
    facts: str = ""
    """Hash of what the program has verified for the reviewers."""

    def dump(self) -> dict[str, Any]:
        return asdict(self)

    @classmethod
    def load(cls, value: dict[str, Any]) -> Job:
        fields = dict(value)
        fields["kind"] = JobKind(value["kind"])
        fields["turn"] = Turn(value["turn"])
        for name in ("open", "settles"):
            fields[name] = tuple(value.get(name, ()))
        fields["ended"] = tuple((role, ok, n) for role, ok, n in value.get("ended", ()))
        return cls(**fields)


BUDGET = "budget"
"""The failure of a job that a cap did not let begin or go on."""
LOOP = "loop"
"""The failure of a job that leads nowhere."""


@dataclass(frozen=True, slots=True)
class Result:
    """What came of a job. Failures are words in here, never exceptions."""

    commit: str = ""
    failure: str = ""
    detail: str = ""
    dispatch: str = ""
    """Of a reviewer: whose verdict is stored under this id."""
    reply: str = ""
    """Hash of an author's reply."""
    passed: bool = True
    changed: bool = True
    """Of an author in a loop: whether the turn changed anything."""
    role: str = ""
    """Of a reviewer: who it was."""
    tasks: tuple[tuple[str, str], ...] = ()
    baseline: str = ""
    """Of the checks before the feature began: hash of what they said."""
    facts: str = ""
    """Of the checks: hash of the sheet of facts for the reviewers."""
    unproven: tuple[str, ...] = ()
    """Of the checks: tasks none of whose files has changed, in words."""

    def dump(self) -> dict[str, Any]:
        return asdict(self)

    @classmethod
    def load(cls, value: dict[str, Any]) -> Result:
        fields = dict(value)
        fields["tasks"] = tuple((number, title) for number, title in value["tasks"])
        fields["unproven"] = tuple(value.get("unproven", ()))
        return cls(**fields)
