"""One attempt at a dispatch, as the ledger knows it: before its turn, after it, and as a row."""

from __future__ import annotations

from dataclasses import dataclass, field
from enum import StrEnum
from typing import Any

from sparing.money import Amount, Billing, day_of
from sparing.records import totals
from sparing.sent import SentRecord
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
    """Which turn's words were sent."""
    way: str
    reason: str
    backend: str
    model: str
    billing: Billing
    prompt: str
    """Hash of the prompt's text."""
    prompt_chars: int
    naive: dict[str, Any]
    """What the naive prompt for this turn would have been: its hash and size."""
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
        """Asked once for the client, whoever comes first: no part of a feature's bill."""
        return self.role == totals.RESUME_CHECK


@dataclass(frozen=True, slots=True)
class AttemptResult:
    """What is known after it."""

    session: str
    usage: Usage | None
    """None where the client did not tell."""
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
    """Which lines of which bytes were shown, where tools of ours showed them."""


@dataclass(frozen=True, slots=True)
class LedgerRow:
    attempt: Attempt
    number: int
    outcome: AttemptState
    held: Amount
    result: AttemptResult | None = None

    @property
    def is_good(self) -> bool:
        """Paid for, known and answered."""
        known = self.outcome is AttemptState.KNOWN
        return known and self.result is not None and not self.result.failure
