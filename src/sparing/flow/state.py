"""A feature's position in its flow, what can happen to it, and what follows.

`FlowState` is what is stored; `Outcome` is what happened; `Move` is the answer of `advance`.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import field, replace
from enum import StrEnum
from types import MappingProxyType
from typing import NamedTuple

from sparing.artifact import ArtifactName
from sparing.codec import Stored
from sparing.lazy_dataclass import lazy_dataclass


class Position(StrEnum):
    TODO = "todo"
    """The stage is to be worked on."""
    GATE = "gate"
    """The stage is done and waits for a human."""
    STUCK = "stuck"
    """The stage can't continue without a person."""
    HANDOVER = "handover"
    """Every stage is done; the branch is to be handed over."""
    DONE = "done"
    ABANDONED = "abandoned"


TERMINAL = frozenset({Position.DONE, Position.ABANDONED})


class OutcomeKind(StrEnum):
    """What happened: the first five come from the work, the others from a human."""

    PASSED = "passed"
    CAPPED_WARNINGS = "capped with warnings"
    CAPPED_BLOCKERS = "capped with blockers"
    REFUSED = "refused"
    FAILED = "failed"
    APPROVE = "approve"
    REJECT = "reject"
    SKIP = "skip"
    BACK = "back"
    RERUN = "rerun"
    CONTINUE = "continue"
    """Continue work that was interrupted."""
    ANSWER = "answer"
    """The author's questions are answered; it continues with the answers."""
    GO_ON = "go on"
    """A stuck stage's result is taken as it is, and the stage is worked on from there."""
    SYNC = "sync"
    """Bring in what the base branch has by now; the feature waits again where it did."""
    TASKS = "tasks"
    """Do single tasks again, leave them out or split one; the others are kept."""
    FIX = "fix"
    """Fix the code: reviewers of the pull request or its CI found something."""
    REFINE = "refine"
    """Change a document, or follow a change of it: only what depends on it is asked again."""
    ABANDON = "abandon"


class AnswerRow(NamedTuple):
    told: str
    """How the log reports it, also after "it was": `approved`."""
    offered: str = ""
    """What it leads to, if a person is offered it by its name wherever a stuck stage would take
    it."""
    targeted: bool = False
    """True if its words name a stage, a commit or a task."""


ANSWERS: Mapping[OutcomeKind, AnswerRow] = MappingProxyType(
    {
        OutcomeKind.APPROVE: AnswerRow("approved"),
        OutcomeKind.REJECT: AnswerRow("rejected"),
        OutcomeKind.CONTINUE: AnswerRow("continued"),
        OutcomeKind.ANSWER: AnswerRow("answered"),
        OutcomeKind.RERUN: AnswerRow("rerun", offered="run the stage again"),
        OutcomeKind.SKIP: AnswerRow("skipped ahead", targeted=True),
        OutcomeKind.BACK: AnswerRow("sent back", targeted=True),
        OutcomeKind.ABANDON: AnswerRow("abandoned"),
        OutcomeKind.SYNC: AnswerRow("synced with its base", targeted=True),
        OutcomeKind.FIX: AnswerRow("sent back for fixes"),
        OutcomeKind.TASKS: AnswerRow("told to change its tasks", targeted=True),
        OutcomeKind.REFINE: AnswerRow("told to apply a change", targeted=True),
    }
)
"""What a person can answer."""


class Cause(StrEnum):
    """Why a stage is stuck, for user interfaces that treat some causes differently."""

    NONE = ""
    FAILED = "failed"
    BUDGET = "budget"
    """A spending cap is reached."""
    LOOP = "loop"
    """The work made no progress."""
    PAUSED = "paused"
    """A person paused it; nothing is wrong."""
    HANDOFF = "handoff"
    """The session has no room for the stage: another one begins, if a person agrees."""
    QUESTIONS = "questions"
    """The author asks what only a person can answer."""
    BLOCKED = "blocked"
    """The author says that it can't go on."""
    DECLINED = "declined"
    """The author was asked for a change, and says why it made none."""


GO_ON_HERE = "continue in this session"
"""What a person says who refuses a handoff and has nothing to add."""


class Do(StrEnum):
    RUN = "run"
    """Work on `state.stage`."""
    HAND_OVER = "hand over"
    WAIT = "wait"
    """A person is asked; the leg ends."""
    END = "end"
    REFUSE = "refuse"
    """What happened makes no sense here; the state is as before and `note` says why."""


@lazy_dataclass
class Skip:
    stage: str
    to: str


@lazy_dataclass
class FlowState(Stored):
    flow: str
    stage: str
    position: Position = Position.TODO
    have: frozenset[ArtifactName] = field(default_factory=frozenset[ArtifactName])
    """Artifacts made or given so far."""
    rejects: tuple[tuple[str, int], ...] = ()
    """How often each breaker has counted a rejection."""
    skipped: tuple[Skip, ...] = ()
    concerns: tuple[str, ...] = ()
    """Stages accepted with findings still open."""
    acceptable: bool = False
    """At STUCK: whether a person may accept the result as it is."""
    reason: str = ""
    cause: Cause = Cause.NONE
    """At STUCK: what kind of reason it is."""
    held: Position | None = None
    """At STUCK: where CONTINUE leads back to, if the work was interrupted."""

    def entered(self) -> FlowState:
        """Work on the stage begins: it is not skipped, and what was left open is judged anew."""
        concerns = tuple(one for one in self.concerns if one != self.stage)
        skipped = tuple(one for one in self.skipped if one.stage != self.stage)
        return replace(self, concerns=concerns, skipped=skipped)


@lazy_dataclass
class Outcome:
    kind: OutcomeKind
    target: str = ""
    """For SKIP and BACK: the stage to go to; for SYNC: which commit, and how."""
    headless: bool = False
    """True if no one can be asked: take the safe choice."""
    reason: str = ""
    cause: Cause = Cause.FAILED
    """For FAILED: the cause."""
    concerned: bool = False
    """For PASSED: findings are still open."""
    acceptable: bool = False
    """For FAILED: whether a person may continue without what failed."""
    stops: bool | None = None
    """For PASSED: whether a person is asked; None if the flow decides."""
    unfit: tuple[tuple[ArtifactName, str], ...] = ()
    """Of a human's answer: documents that can't be built on, and why."""


@lazy_dataclass
class Move:
    do: Do
    state: FlowState
    note: str = ""
