"""Rows of the ledger in one line each."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from sparing.money import Amount, Billing, CapLimits, to_nano
from sparing.records.ledger import Attempt, AttemptResult
from sparing.sent import NaivePrompt, SentRecord
from sparing.usage import Origin, Usage

FEATURE = "r-001"
NOON = 1_700_000_000.0
WORST = Amount(1000, to_nano("0.10"))


def attempt(dispatch: str = "one", **changes: Any) -> Attempt:
    """`sent` may be what the column holds."""
    plain = Attempt(
        f"{FEATURE}.g0.0.1.0-{dispatch}", FEATURE, 0, "plan", "builder", 1, "", "write", "compose",
        "no session yet", "scripted", "claude-sonnet-5", Billing.API, "hash", 400,
        NaivePrompt(), NOON,
    )  # fmt: skip
    if "sent" in changes:
        changes["sent"] = SentRecord.load(changes["sent"])
    return replace(plain, **changes)


def result(usage: Usage | None = None, **changes: Any) -> AttemptResult:
    plain = AttemptResult(
        "session", usage or Usage(uncached=10, read=20, output=5), Origin.SIMULATED,
        to_nano("0.02"), [{"added": 30, "output": 5}], 35, 12.5, ["a.py"], "reply",
    )  # fmt: skip
    return replace(plain, **changes)


def limits(tokens: int = 10_000, usd: str = "1", attempts: int = 6) -> CapLimits:
    """The same for feature, stage and day."""
    amount = Amount(tokens, to_nano(usd))
    return CapLimits(amount, amount, amount, WORST, attempts)
