"""One attempt at a dispatch, as the ledger knows it: before its turn, after it, and as a row."""

from __future__ import annotations

from dataclasses import dataclass, field
from enum import StrEnum

from sparing.money import Amount, Billing, day_of
from sparing.records import totals
from sparing.sent import NaivePrompt, SentRecord
from sparing.tool import OpenedLines
from sparing.usage import Origin, Usage


class AttemptState(StrEnum):
    OPEN = "open"
    KNOWN = "known"
    UNKNOWN = "unknown"


@dataclass(frozen=True, slots=True)
class Attempt:
    """What is known before the turn."""

    dispatch: str
    feature: str
    leg: int
    """Counted over generations: a restarted leg is the same leg."""
    stage: str
    role: str
    iteration: int
    task: str
    template: str
    """Name of the turn or repair whose prompt was sent."""
    way: str
    reason: str
    backend: str
    model: str
    billing: Billing
    prompt: str
    """Hash of the prompt's text."""
    prompt_chars: int
    naive: NaivePrompt
    started: float
    trunk: str = ""
    """Digest of what another dispatch must share to share this one's cached trunk."""
    sent: SentRecord = field(default_factory=SentRecord)
    """What a cache may hold of it, and what each way was expected to cost."""

    @property
    def day(self) -> str:
        return day_of(self.started)

    @property
    def for_client(self) -> bool:
        """True for the one-time check of a client, which is not part of a feature's bill."""
        return self.role == totals.RESUME_CHECK


@dataclass(frozen=True, slots=True)
class AttemptResult:
    """What is known about an attempt after its turn has ended."""

    session: str
    usage: Usage | None
    """None if the client did not report it."""
    origin: Origin | None
    nano_usd: int | None
    calls: list[dict[str, int]]
    """Tokens of each model call of the turn, where the backend tells."""
    context_tokens: int
    seconds: float
    files_read: list[str]
    reply: str
    """Hash of the reply's text."""
    failure: str = ""
    detail: str = ""
    opened: tuple[OpenedLines, ...] = ()
    """Lines of files that our own tools showed the agent, with a hash of each file."""


@dataclass(frozen=True, slots=True)
class LedgerRow:
    attempt: Attempt
    number: int
    outcome: AttemptState
    held: Amount
    result: AttemptResult | None = None

    @property
    def is_good(self) -> bool:
        """True if the turn's usage is known and it ended with a reply rather than a failure."""
        known = self.outcome is AttemptState.KNOWN
        return known and self.result is not None and not self.result.failure
