"""The result of a turn as far as the work needs it: its cost is in the ledger."""

from __future__ import annotations

from dataclasses import dataclass

from sparing.dispatch_policy import Way
from sparing.failure import Failure
from sparing.job import JobResult
from sparing.sent import Sent

PASSING = frozenset(
    {
        Failure.OVERLOADED,
        Failure.NETWORK,
        Failure.CRASHED,
        Failure.TIMED_OUT,
        Failure.INVALID_SESSION,
    }
)
"""Failures worth a second, fresh try."""
RESUMING = PASSING | {Failure.CONTEXT_OVERFLOW, Failure.GARBAGE}
"""For a resumed session, also these: a fresh one may do better."""
MOST_TRIES = 4
"""How often a turn is sent again: once to the same backend, or to others that take over."""


@dataclass(frozen=True, slots=True)
class Reply:
    """A turn that was not sent, or that nothing may follow, has only the failure."""

    failure: str = ""
    detail: str = ""
    reply: str = ""
    """Hash of the text."""
    session: str = ""
    context_tokens: int = 0
    last_call_after: float = 0.0
    """Seconds from the turn's start to that of its last request."""
    answer_tokens: int = 0
    """Tokens of the last answer, which no request has sent yet."""
    elsewhere: str = ""
    """For a failed turn: the backend that takes it over."""

    @property
    def failed(self) -> str:
        """The failure in words; empty if there was none."""
        return f"{self.failure}: {self.detail}" if self.failure else ""


@dataclass(frozen=True, slots=True)
class ReplyOutcome:
    """What is wrong with a reply that is returned to the agent, or its result."""

    complaint: str = ""
    result: JobResult = JobResult()
    wanted: tuple[str, ...] = ()
    """For reviewers that share a turn: whose verdicts are returned."""


def again(sent: Sent, reply: Reply, tries: int) -> str | None:
    """The note with which the turn is sent again; None if it is not."""
    if reply.elsewhere:
        return ""
    resumed = sent.way is Way.RESUME
    if tries or reply.failure not in (RESUMING if resumed else PASSING):
        return None
    return reply.failed if resumed else ""
