"""What a move asks for: jobs. One is done by the leg itself; several side by side, each a workflow.

Who asks: names a dispatch and says when it starts.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum

from sparing.base_sync import BaseSync
from sparing.codec import JsonObject
from sparing.continuation import Continuation, WeighResult
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
    """Look whether a task is done, and note it in the log."""
    JOIN = "join"
    """Merge what the tasks of a wave made."""
    NOTE = "note"
    """Write tasks into the log."""
    TRIAL = "trial"
    """Keep what a helper made if the checks stay green."""
    ACCEPT = "accept"
    """Leave out tests that the code does not meet."""
    WEIGH = "weigh"
    """See whether the session that is there goes on, or another one begins with a handoff."""
    SURVEY = "survey"
    """See which tasks are not finished."""
    CLOSE = "close"
    """Commit the stage's record."""
    REOPEN = "reopen"
    """Commit that a feature whose last gate was not approved is active again."""
    HANDOVER = "handover"
    UNDO = "undo"
    """Take what single tasks made off the branch."""
    SYNC = "sync"
    """Bring the base branch in, and see whether the checks agree."""
    TRACE = "trace"
    """See which approval no longer holds, since a section that it saw has changed."""


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
    """For SURVEY, CLOSE, REOPEN and HANDOVER: what is looked at or written down."""
    final: bool = False
    """Of a reviewer that has passed: its look at everything since."""
    panel: tuple[str, ...] = ()
    """Of reviewers who look in one turn: all of them. Wanted is the verdict of `role`, and of those
    behind it."""
    look: int = 0
    """Of an author that settles findings: the iteration of the loop that looks at it next."""
    settles: tuple[str, ...] = ()
    """Of an author: the ids of the findings it is to settle."""
    ended: tuple[tuple[str, bool, int], ...] = ()
    """How the reviewers before this one ended: role, passed, iteration."""
    baseline: str = ""
    """Hash of what the checks said before the feature began."""
    facts: str = ""
    """Hash of what the program has verified for the reviewers."""
    part: str = ""
    """Of an author that writes in parts: which one."""
    research: tuple[tuple[str, str], ...] = ()
    """Of an author: who looked around, and the hash of what was found."""
    given: tuple[tuple[str, str], ...] = ()
    """For OPEN: documents that the feature begins with, by file name and hash."""
    rewind: str = ""
    """For OPEN: the name under which commits are kept that the branch goes back from."""
    going: Continuation = Continuation()
    """Of a stage that shares its session with others: how it goes on."""
    lane: str = ""
    """Of a task beside others: the worktree that it has to itself."""
    building: TaskProgress = TaskProgress()
    """Of the program's own look at tasks: how far they are."""
    chain: str = ""
    """Of a task: the one before it, in whose session it may go on."""
    agreed: tuple[str, ...] = ()
    """For CHECK: changes of checks that a person has agreed to, by key."""
    sync: BaseSync = BaseSync()
    """For SYNC: what is brought in, and how far that is."""
    refined: Refinement = Refinement()
    """Of a stage that a change is followed to: what is shown of it."""

    @property
    def asked(self) -> tuple[str, ...]:
        """Whose word is wanted, in order."""
        return self.panel[self.panel.index(self.role) :] if self.panel else (self.role,)

    @property
    def who(self) -> str:
        """Whoever is asked, under one name."""
        return joint_name(self.asked)


BUDGET = "budget"
"""The failure of a job that a cap did not let begin or go on."""
LOOP = "loop"
"""The failure of a job that leads nowhere."""


@dataclass(frozen=True, slots=True)
class JobResult:
    """What came of a job. Failures are words in here, never exceptions."""

    commit: str = ""
    failure: str = ""
    detail: str = ""
    dispatch: str = ""
    """Of a reviewer: whose verdict is stored under this id."""
    second: str = ""
    """Of a panel: under which id its second verdict is stored, if that counts."""
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
    unfinished: tuple[str, ...] = ()
    """Of the survey: tasks that are not done, in words."""
    found: WeighResult | None = None
    """Of weighing: what came of it."""
    task: str = ""
    """Of a task beside others: which one."""
    waves: tuple[tuple[str, ...], ...] = ()
    """Of the tasks: groups of numbers that may be worked on side by side."""
    waits: tuple[tuple[str, tuple[str, ...]], ...] = ()
    """Of the tasks: those that wait for others, and for which."""
    chains: tuple[tuple[str, str], ...] = ()
    """Of the tasks: those that may go on in the session of another one, and of which."""
    reported: bool = True
    """Of a look at a task: its reply had a report."""
    left: tuple[tuple[str, str], ...] = ()
    """Of a merge: tasks that did not fit, and the hash of why."""
    red: bool = False
    """Of a look at a task: checks are red."""
    asks: tuple[tuple[str, str], ...] = ()
    """Of the checks: what changed in them and nobody has agreed to, in words and by key."""
    merged: str = ""
    """Of a base that does not fit yet: the commit on which an agent makes it fit."""
    trace: TraceResult | None = None
    """Of a change that is followed: where it leads."""


@dataclass(frozen=True, slots=True)
class Ticket:
    id: str
    feature: str
    at: float
    after: str = ""
    """The sibling that has to begin first."""
    again: bool = False
    """Asked before, by a leg that could not be replayed: what is paid for is not asked again."""

    @property
    def step(self) -> str:
        """The id without the repository's key: equal wherever the repository lies."""
        return self.id.removeprefix(f"{self.feature}.")

    @property
    def leg(self) -> int:
        """The leg's number, which a new generation keeps."""
        return int(self.step.split(".")[1])

    @property
    def leg_id(self) -> str:
        generation, leg = self.step.split(".")[:2]
        return f"{self.feature}.{generation}.{leg}."
