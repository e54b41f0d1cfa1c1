"""Events of one agent's turn, one type for each kind. `event.py` has all the others.

A class that derives from `NoteEvent` is shown as a quiet line of its text, one that derives from
`HiddenEvent` is not shown, and any other needs a line of its own in `desk/features/event_line.py`,
where the type checker requires it.
"""

from __future__ import annotations

from enum import StrEnum
from typing import ClassVar

from sparing.lazy_dataclass import lazy_dataclass
from sparing.money import Reached


class HiddenEvent:
    """Only for the program: not shown to people who watch."""

    __slots__ = ()


class NoteEvent:
    """A quiet line: the role and the event's text."""

    __slots__ = ()


class AgentAction(StrEnum):
    """What an agent is observed doing. `sparing watch` shows it, `run` does not."""

    READ = "read"
    WRITE = "write"
    COMMAND = "command"
    SEARCH = "search"
    RAN = "ran"
    SAYS = "says"
    FAILED = "failed"
    DENIED = "denied"
    RETRY = "retry"

    @property
    def verb(self) -> str:
        """The verb between the agent's name and the event's text."""
        return _VERBS[self]


_VERBS = {
    AgentAction.READ: "reads",
    AgentAction.WRITE: "writes",
    AgentAction.COMMAND: "runs",
    AgentAction.RAN: "runs",
    AgentAction.SEARCH: "searches the web for",
    AgentAction.SAYS: "says",
    AgentAction.FAILED: "can't read",
    AgentAction.DENIED: "is refused:",
    AgentAction.RETRY: "waits, then tries again:",
}


@lazy_dataclass
class AskEvent:
    kind: ClassVar = "asks"
    way: str = ""
    attempt: int = 1


@lazy_dataclass
class VerdictEvent:
    kind: ClassVar = "verdict"
    passed: bool
    findings: tuple[str, ...] = ()
    """The severity of each finding."""


@lazy_dataclass
class CommitEvent:
    kind: ClassVar = "commit"
    commit: str


@lazy_dataclass
class HandoffEvent:
    """The handoff block at the end of an author's reply; the text is its summary."""

    kind: ClassVar = "handoff"
    status: str = "completed"
    summary: str = ""
    key_decisions: tuple[str, ...] = ()
    open_questions: tuple[str, ...] = ()
    files_modified: tuple[str, ...] = ()
    next_stage_needs: tuple[str, ...] = ()
    warnings: tuple[str, ...] = ()
    stage: str = ""
    dispatch: str = ""


@lazy_dataclass
class WeighedEvent:
    """Whether a stage continues in its session, with the figures that decided it. Costs are in
    `unit`; what a stage without a session can't know is 0 or None."""

    kind: ClassVar = "weighed"
    go: str
    forced: bool = False
    at_all: bool = False
    judged: bool = False
    warm: bool | None = None
    lost: str = ""
    window: int = 0
    used: int = 0
    remaining: int = 0
    need: int = 0
    least: int = 0
    budget: int = 0
    budget_origin: str = ""
    share: float = 0.0
    shrunk: bool = False
    idle_seconds: float | None = None
    unit: str = ""
    continued: float | None = None
    handed_off: float | None = None
    judgement: float | None = None
    continued_warm: float | None = None
    """If the stage began right after the last call; `cold`: a day later."""
    continued_cold: float | None = None
    handed_warm: float | None = None
    handed_cold: float | None = None


@lazy_dataclass
class HandedOffEvent(HiddenEvent):
    """A session wrote its handoff for the next one."""

    kind: ClassVar = "handed off"
    tokens: int = 0
    judged: bool = False
    problems: tuple[str, ...] = ()
    failure: str = ""


@lazy_dataclass
class FallbackEvent:
    """A session that should have been resumed was not."""

    kind: ClassVar = "fallback"
    iteration: int = 0
    error: str = ""


@lazy_dataclass
class UnreadEvent:
    """Files that a prompt pointed to and the agent did not read."""

    kind: ClassVar = "unread"
    files: tuple[str, ...] = ()


@lazy_dataclass
class ResearchEvent(NoteEvent):
    kind: ClassVar = "research"
    findings: int = 0


@lazy_dataclass
class HeardEvent(HiddenEvent):
    """Which messages from a person the turn was given."""

    kind: ClassVar = "heard"
    letters: tuple[int, ...] = ()


@lazy_dataclass
class LessonsGivenEvent(HiddenEvent):
    """Which entries of the knowledge bank were in the prompt."""

    kind: ClassVar = "given"
    entries: tuple[str, ...] = ()


@lazy_dataclass
class BudgetEvent(Reached, HiddenEvent):
    """A cap stopped the turn before or during it."""

    kind: ClassVar = "budget"


@lazy_dataclass
class QuotaEvent(HiddenEvent):
    kind: ClassVar = "quota"
    resets_at: float


@lazy_dataclass
class FailoverEvent(NoteEvent):
    """Another backend has taken over a turn; the text says why."""

    kind: ClassVar = "failover"
    left: str = ""
    taken: str = ""
    failure: str = ""


@lazy_dataclass
class ResumeCheckEvent(HiddenEvent):
    """Whether a client reads a resumed session from the cache; empty when the check begins."""

    kind: ClassVar = "resume-check"
    share: float | None = None
    reason: str = ""


@lazy_dataclass
class ContainedEvent(HiddenEvent):
    """The receipt of a turn after which nothing outside its worktree had changed."""

    kind: ClassVar = "contained"
    level: str = ""
    changed: tuple[str, ...] = ()
    tree: str = ""
    lent: str = ""
    """What checks may use of this machine, in words."""


@lazy_dataclass
class IncidentEvent:
    """A turn left something it should not have; the text says what was done about it."""

    kind: ClassVar = "incident"
    level: str = ""
    changed: tuple[str, ...] = ()
    special: tuple[str, ...] = ()
    undone: tuple[str, ...] = ()


TurnEvent = (
    AgentAction | AskEvent | VerdictEvent | CommitEvent | HandoffEvent | WeighedEvent
    | HandedOffEvent | FallbackEvent | UnreadEvent | ResearchEvent | HeardEvent
    | LessonsGivenEvent | BudgetEvent | QuotaEvent | ResumeCheckEvent | ContainedEvent
    | IncidentEvent | FailoverEvent
)  # fmt: skip
