"""What a move asks for: jobs. One is done by the leg itself; several side by side, each a workflow.

A ticket names a dispatch and says when it starts.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum

from sparing.base_sync import BaseSync
from sparing.codec import JsonObject
from sparing.continuation import Continuation, WeighResult
from sparing.errors import SparingError, recordable
from sparing.panel import joint_name
from sparing.refinement import Refinement, TraceResult
from sparing.task_progress import TaskProgress
from sparing.turn import Turn


class JobKind(StrEnum):
    OPEN = "open"
    """Make branch and worktree."""
    DISPATCH = "dispatch"
    """One prompt to one agent, and its reply."""
    TASKS = "tasks"
    """Read tasks.md."""
    CHECK = "check"
    """Run the repository's own checks."""
    PROVE = "prove"
    """Check whether a task is done, and note it in the log."""
    JOIN = "join"
    """Merge what the tasks of a wave made."""
    NOTE = "note"
    """Write tasks into the log."""
    TRIAL = "trial"
    """Keep what a helper made if the checks stay green."""
    ACCEPT = "accept"
    """Leave out tests that the code does not meet."""
    WEIGH = "weigh"
    """Decide whether to resume the session or to start another one with a handoff."""
    SURVEY = "survey"
    """Find out which tasks are not finished."""
    CLOSE = "close"
    """Commit the stage's record."""
    REOPEN = "reopen"
    """Commit that a feature whose last gate was not approved is active again."""
    HANDOVER = "handover"
    UNDO = "undo"
    """Remove the work of single tasks from the branch."""
    SYNC = "sync"
    """Bring the base branch in, and run the checks."""
    TRACE = "trace"
    """Find approvals that no longer hold because a section they covered has changed."""


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
    place: JsonObject | None = None
    """For SURVEY, CLOSE, REOPEN and HANDOVER: the `Place` to examine or record."""
    final: bool = False
    """For a reviewer that has passed: true for its final review of everything since."""
    panel: tuple[str, ...] = ()
    """For reviewers in one turn: all of them. Verdicts are wanted from `role` and from those
    after it."""
    look: int = 0
    """For an author that settles findings: the iteration of the loop that reviews it next."""
    settles: tuple[str, ...] = ()
    """For an author: the ids of the findings to settle."""
    ended: tuple[tuple[str, bool, int], ...] = ()
    """The results of the reviewers before this one: role, passed, iteration."""
    baseline: str = ""
    """Hash of the checks' results before the feature began."""
    facts: str = ""
    """Hash of the facts that the program has verified for the reviewers."""
    part: str = ""
    """For an author that writes in parts: which part."""
    research: tuple[tuple[str, str], ...] = ()
    """For an author: who did research, and the hash of the result."""
    given: tuple[tuple[str, str], ...] = ()
    """For OPEN: documents that the feature begins with, by file name and hash."""
    rewind: str = ""
    """For OPEN: the name under which commits are kept that are removed from the branch."""
    going: Continuation = Continuation()
    """For a stage that shares its session with others: how it continues."""
    lane: str = ""
    """For a task in parallel with others: the worktree that it has to itself."""
    building: TaskProgress = TaskProgress()
    """For the program's own check of tasks: their progress."""
    chain: str = ""
    """For a task: the previous one, whose session it may continue."""
    agreed: tuple[str, ...] = ()
    """For CHECK: changes to checks that a person has agreed to, by key."""
    sync: BaseSync = BaseSync()
    """For SYNC: what is brought in, and its progress."""
    refined: Refinement = Refinement()
    """For a stage that a change affects: what is shown of the change."""

    @property
    def asked(self) -> tuple[str, ...]:
        """The roles whose verdicts are wanted, in order."""
        return self.panel[self.panel.index(self.role) :] if self.panel else (self.role,)

    @property
    def who(self) -> str:
        """All roles that are asked, under one name."""
        return joint_name(self.asked)


BUDGET = "budget"
"""The failure of a job that a cap kept from starting or continuing."""
LOOP = "loop"
"""The failure of a job that makes no progress."""
NOTHING_CHANGED = "nothing changed"
"""The failure of an author that left no change; the detail says so in words."""


@dataclass(frozen=True, slots=True)
class JobResult:
    """The result of a job. Failures are words in here, never exceptions."""

    commit: str = ""
    failure: str = ""
    detail: str = ""
    dispatch: str = ""
    """For a reviewer: the id under which its verdict is stored."""
    second: str = ""
    """For a panel: the id under which its second verdict is stored, if that counts."""
    reply: str = ""
    """Hash of an author's reply."""
    passed: bool = True
    changed: bool = True
    """For an author in a loop: whether the turn changed anything."""
    role: str = ""
    """For a reviewer: its role."""
    tasks: tuple[tuple[str, str], ...] = ()
    baseline: str = ""
    """For the checks before the feature began: hash of their results."""
    facts: str = ""
    """For the checks: hash of the fact sheet for the reviewers."""
    unproven: tuple[str, ...] = ()
    """For the checks: descriptions of tasks none of whose files has changed."""
    unfinished: tuple[str, ...] = ()
    """For the survey: descriptions of tasks that are not done."""
    found: WeighResult | None = None
    """For weighing: its result."""
    task: str = ""
    """For a task in parallel with others: its number."""
    waves: tuple[tuple[str, ...], ...] = ()
    """For the tasks: groups of numbers that may be worked on in parallel."""
    waits: tuple[tuple[str, tuple[str, ...]], ...] = ()
    """For the tasks: those that depend on others, and on which."""
    chains: tuple[tuple[str, str], ...] = ()
    """For the tasks: those that may continue the session of another one, and of which."""
    reported: bool = True
    """For the check of a task: whether its reply had a report."""
    left: tuple[tuple[str, str], ...] = ()
    """For a merge: tasks that could not be merged, and the hash of the reason."""
    red: bool = False
    """For the check of a task: true if checks are red."""
    asks: tuple[tuple[str, str], ...] = ()
    """For the checks: changes to them that no one has agreed to, in words and by key."""
    merged: str = ""
    """For a base that conflicts: the commit on which an agent resolves it."""
    trace: TraceResult | None = None
    """For a change that is traced: the result."""


def failed_result(error: SparingError) -> JobResult:
    """As the result of a job; an error that can't be recorded is raised, see `recordable`."""
    found = recordable(error)
    return JobResult(failure=found.what, detail=found.repair)


@dataclass(frozen=True, slots=True)
class Ticket:
    id: str
    feature: str
    at: float
    after: str = ""
    """The sibling that has to begin first."""
    again: bool = False
    """True if a leg that can't be replayed sent it before: what is paid for is not sent again."""

    @property
    def step(self) -> str:
        """The id without the repository's key: the same wherever the repository is."""
        return self.id.removeprefix(f"{self.feature}.")

    @property
    def leg(self) -> int:
        """The number of the leg (see `engine.leg`), which a new generation keeps."""
        return int(self.step.split(".")[1])

    @property
    def leg_id(self) -> str:
        generation, leg = self.step.split(".")[:2]
        return f"{self.feature}.{generation}.{leg}."
