"""Every kind of event that a run records, as a type: what it carries, and how it is stored.

What belongs to one agent's turn is in `turn_event.py`, everything else here. A new kind is a class
in one of the two and a call where it happens; `turn_event.py` says how it comes to be shown.
Stored events outlive the release that wrote them: most fields have a default, and what can't be
read is an `UnknownEvent`.
"""

from __future__ import annotations

from collections.abc import Mapping
from enum import StrEnum
from functools import cache
from typing import Any, ClassVar, get_args

from sparing.branch_event import PullEvent, RewoundEvent, SyncEvent
from sparing.codec import JsonObject, dump, load
from sparing.lazy_dataclass import lazy_dataclass
from sparing.turn_event import AgentAction, HiddenEvent, NoteEvent, TurnEvent


class FeatureEvent(StrEnum):
    """How far a feature has come; carries only stage and text."""

    STAGE = "stage"
    """A stage begins."""
    GATE = "gate"
    """A stage waits for approval."""
    PASSED = "passed"
    """A gate at which no one was asked; the text is the reason."""
    SENT_BACK = "sent back"
    """Verdicts send the feature back to an earlier stage."""
    DONE = "done"
    ABANDONED = "abandoned"


HANDOFF = "handoff"
"""A value of `AnswerEvent.about`."""


@lazy_dataclass
class UnknownEvent(HiddenEvent):
    """Stored by another release, and not readable by this one."""

    kind: ClassVar = "unknown"


@lazy_dataclass
class CleanedEvent(HiddenEvent):
    """The worktree of a finished feature was removed."""

    kind: ClassVar = "cleaned"


@lazy_dataclass
class StuckEvent:
    kind: ClassVar = "stuck"
    cause: str = ""


@lazy_dataclass
class WarningEvent(NoteEvent):
    kind: ClassVar = "warning"
    role: str = ""
    claims: tuple[str, ...] = ()
    """Claims of a document without a mark of evidence."""


@lazy_dataclass
class TierEvent(HiddenEvent):
    """Which tier was proposed at the start, and which one was taken."""

    kind: ClassVar = "tier"
    proposed: str = ""
    why: tuple[str, ...] = ()
    taken: str = ""
    by: str = ""


@lazy_dataclass
class AnswerEvent:
    """A person answered a gate, or gave a command that moves the feature."""

    kind: ClassVar = "answered"
    by: str
    answer: str
    commit: str = ""
    """The commit that was answered to; for a rerun, the one from which the stage starts again."""
    kept: str = ""
    """For a rerun: the ref that keeps the commits."""
    about: str = ""
    """`handoff` if it answers the proposal of a handoff rather than a stage's result."""

    @property
    def declines_handoff(self) -> bool:
        return self.about == HANDOFF and self.answer == "reject"

    @property
    def handoff_words(self) -> str:
        """The answer to the proposal of a handoff; empty for every other answer."""
        if self.about != HANDOFF:
            return ""
        return "handoff refused" if self.declines_handoff else "handoff agreed to"


@lazy_dataclass
class SayEvent:
    """A person's message for the author's next turn."""

    kind: ClassVar = "said"
    by: str
    letter: int = 0


@lazy_dataclass
class EditEvent:
    """A person changed a document at a gate."""

    kind: ClassVar = "edited"
    commit: str
    by: str = ""
    files: tuple[str, ...] = ()


@lazy_dataclass
class RulingEvent:
    """A person ruled on a finding."""

    kind: ClassVar = "ruled"
    finding: str
    ruling: str
    by: str = ""


@lazy_dataclass
class QuestionAnswerEvent(HiddenEvent):
    """One of several open questions was answered; the answers are sent together."""

    kind: ClassVar = "reply"
    question: int
    by: str = ""
    leg: str = ""


@lazy_dataclass
class LookEvent:
    """One round of review: who reviewed, what was found, what it means for the loop."""

    kind: ClassVar = "look"
    iteration: int = 0
    final: bool = False
    decision: str = ""
    judged: tuple[tuple[str, str], ...] = ()
    """Pairs of role and decision."""
    findings: tuple[Any, ...] = ()
    why: str = ""


@lazy_dataclass
class ChangesEvent(HiddenEvent):
    """What an author says it changed."""

    kind: ClassVar = "changes"
    changes: tuple[str, ...] = ()


@lazy_dataclass
class ChecksEvent:
    """Whether each check passed. Stored as the mapping alone."""

    kind: ClassVar = "checks"
    passed: Mapping[str, bool]

    def words(self, text: str) -> str:
        """`test passed` if that says it all, else the text of the event."""
        return f"{', '.join(self.passed)} passed" if text == f"{len(self.passed)} green" else text


@lazy_dataclass
class OutputsEvent:
    """Where the whole output of each check is. Stored as the mapping alone."""

    kind: ClassVar = "outputs"
    paths: Mapping[str, str]


@lazy_dataclass
class RefusedCheckEvent:
    """A check that was not run; the text says why."""

    kind: ClassVar = "refused"


@lazy_dataclass
class SetupEvent:
    """A worktree was set up."""

    kind: ClassVar = "setup"


@lazy_dataclass
class LentEvent(NoteEvent):
    kind: ClassVar = "lent"
    services: tuple[str, ...] = ()
    variables: tuple[str, ...] = ()


@lazy_dataclass
class SandboxEvent:
    """How far agents are confined; recorded once per leg, see `engine.leg`."""

    kind: ClassVar = "sandbox"
    level: str


@lazy_dataclass
class LearnedEvent:
    """The result of a retrospective."""

    kind: ClassVar = "learned"
    held: bool = True
    first: bool = False
    """True for the first one in this repository."""
    changes: tuple[tuple[str, str, str], ...] = ()
    """Judgement, kind and title of every entry that was changed."""
    faults: tuple[str, ...] = ()
    shown: tuple[str, ...] = ()
    """Descriptions of new, rewritten or retired entries, for the last gate."""


NOT_HANDED_OVER = "not handed over"
"""How the reason begins why a finished feature is stuck."""


@lazy_dataclass
class HandoverEvent:
    """A finished branch was merged, pushed or left with the commands that do it."""

    kind: ClassVar = "handover"
    merged: bool = False
    commit: str = ""
    commands: tuple[str, ...] = ()
    url: str = ""
    body: str = ""


RunEvent = (
    FeatureEvent | TurnEvent | UnknownEvent | CleanedEvent | StuckEvent | WarningEvent | TierEvent
    | RewoundEvent | SyncEvent | PullEvent | AnswerEvent | SayEvent | EditEvent | RulingEvent
    | QuestionAnswerEvent | LookEvent | ChangesEvent | ChecksEvent | OutputsEvent
    | RefusedCheckEvent | SetupEvent | SandboxEvent | LentEvent | LearnedEvent | HandoverEvent
)  # fmt: skip
"""All kinds of events."""


@cache
def _kinds() -> dict[str, type[Any]]:
    plain = (FeatureEvent, AgentAction)
    records = [one for one in get_args(RunEvent) if one not in plain]
    found = {one.kind: one for one in records}
    return found | {name.value: kind for kind in plain for name in kind}


def kind_of(what: RunEvent) -> str:
    return what.value if isinstance(what, FeatureEvent | AgentAction) else what.kind


def is_known(kind: str) -> bool:
    return kind in _kinds()


def write_event(what: RunEvent) -> JsonObject:
    """The JSON that is stored beside the kind."""
    match what:
        case FeatureEvent() | AgentAction():
            return {}
        case ChecksEvent(passed=mapping) | OutputsEvent(paths=mapping):
            return dict(mapping)
        case _:
            return dump(what)


def read_event(kind: str, data: JsonObject) -> RunEvent:
    try:
        return _read(kind, data)
    except ValueError:
        return UnknownEvent()


def _read(kind: str, data: JsonObject) -> RunEvent:
    found = _kinds().get(kind, UnknownEvent)
    if found is FeatureEvent:
        return FeatureEvent(kind)
    if found is AgentAction:
        return AgentAction(kind)
    if found is ChecksEvent:
        return ChecksEvent(load(dict[str, bool], data))
    if found is OutputsEvent:
        return OutputsEvent(load(dict[str, str], data))
    return load(found, data)
