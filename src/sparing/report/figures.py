"""A report as values: what was spent and saved, what reviewers found, what the loops cost.

Every figure says whether it was measured, simulated or estimated, and a percentage names what it is
a part of. Takes values, reads nothing; other kinds of pages are made from the same values.
"""

from __future__ import annotations

from dataclasses import dataclass
from decimal import Decimal
from typing import NamedTuple

from sparing.codec import JsonObject
from sparing.report.closing import Quality, closing_json
from sparing.report.lever_quality import LeverQuality
from sparing.report.model_costs import ModelCosts
from sparing.report.reviewers import Reviewers
from sparing.report.savings_table import Economy
from sparing.report.spending import Spending, dollars
from sparing.report.turns import ReportedTurn
from sparing.report.vendors import VendorRow

UNHELD = ("resolved", "not repeated")
"""States of findings that nobody holds open: settled, or a suggestion nobody mentioned again."""


class Figure(NamedTuple):
    name: str
    value: float | None
    """None if there was nothing to compute it from."""
    said: str
    origin: str
    against: str = ""
    """What was required or claimed, and what a percentage refers to."""
    holds: bool | None = None

    def dump(self) -> JsonObject:
        return self._asdict()


@dataclass(frozen=True, slots=True)
class OtherEffort:
    """The same feature with another effort, which was not actually run."""

    effort: str
    instead_of: str
    cost_usd: Decimal

    def dump(self) -> JsonObject:
        cost = round(float(self.cost_usd), 4)
        return {"effort": self.effort, "cost_usd": cost, "origin": "estimated"}


@dataclass(frozen=True, slots=True)
class LoopRow:
    """All turns of one role in one stage."""

    stage: str
    role: str
    turns: int
    ways: dict[str, int]
    sent_chars: int
    fresh_chars: int
    """Characters of the same turns, each with the role's latest fresh prompt."""
    sent_tokens: int
    """Estimated tokens of the prompts."""
    full_tokens: int
    """Estimated tokens of the same prompts with every document in full."""

    @property
    def share(self) -> float | None:
        return self.sent_chars / self.fresh_chars if self.fresh_chars else None

    def dump(self) -> JsonObject:
        return {
            "stage": self.stage,
            "role": self.role,
            "turns": self.turns,
            "ways": self.ways,
            "prompt_chars": {"value": self.sent_chars, "origin": "measured"},
            "all_fresh_chars": {"value": self.fresh_chars, "origin": "estimated"},
            "prompt_tokens": {"value": self.sent_tokens, "origin": "estimated"},
            "full_injection_tokens": {"value": self.full_tokens, "origin": "estimated"},
        }


@dataclass(frozen=True, slots=True)
class Report:
    feature: str
    title: str
    status: str
    spending: Spending
    loops: tuple[LoopRow, ...]
    asked: tuple[Figure, ...]
    """What the original required of its loops."""
    claims: tuple[Figure, ...]
    """What the original expected to save."""
    proof: tuple[Figure, ...]
    """Predictions compared with bills, and whether every prompt contained all it had to."""
    findings: dict[str, dict[str, int]]
    """Number of findings by severity and current state (new, repeated, …)."""
    reviewers: Reviewers
    economy: Economy | None
    """None if nothing was sent."""
    turns: tuple[ReportedTurn, ...]
    advice: tuple[str, ...] = ()
    quality: Quality = Quality(0, 0, None, 0, 0)
    levers: LeverQuality = LeverQuality()
    efforts: tuple[OtherEffort, ...] = ()
    models: ModelCosts = ModelCosts()
    vendors: tuple[VendorRow, ...] = ()
    policies: tuple[str, ...] = ()
    """The policies under which turns were sent, in order of their first use."""

    @property
    def bill(self) -> str:
        return self.spending.sentence


def report_json(report: Report) -> JsonObject:
    spent = report.spending
    return {
        "feature": report.feature,
        "title": report.title,
        "status": report.status,
        "policies": list(report.policies),
        "billed": {
            "origin": spent.origin,
            "cost_usd": None if spent.cost_usd is None else float(spent.cost_usd),
            "tokens": spent.usage.total,
            "turns": spent.turns,
            "turns_without_an_end": spent.unknown,
        },
        "closing": closing_json(spent, report.economy, report.quality),
        "naive": {
            "origin": spent.naive_origin,
            "baseline": spent.baseline.words,
            "base_tokens": list(spent.baseline.bases),
            "cost_usd": None if spent.naive_usd is None else float(spent.naive_usd),
            "tokens": spent.naive_usage.total,
        },
        "savings": None if report.economy is None else report.economy.dump(),
        "other_efforts": [one.dump() for one in report.efforts],
        "other_models": report.models.dump(),
        "reviewers": report.reviewers.dump(),
        "vendors": [one.dump() for one in report.vendors],
        "reviews_by_lever": report.levers.dump(),
        "loops": [loop.dump() for loop in report.loops],
        "asked": [figure.dump() for figure in report.asked],
        "claims": [figure.dump() for figure in report.claims],
        "proof": [figure.dump() for figure in report.proof],
        "findings": report.findings,
        "advice": list(report.advice),
        "turns": [turn.dump() for turn in report.turns],
    }


def finding_lines(report: Report) -> list[str]:
    """By severity, what became of them; in a finished feature, open ones count as not taken up,
    but not a suggestion of which nobody said what became of it."""
    over = report.status == "completed"
    lines: list[str] = []
    for severity, counts in report.findings.items():
        told: dict[str, int] = {}
        for status, count in counts.items():
            words = "not taken up" if over and status not in UNHELD else status
            told[words] = told.get(words, 0) + count
        if told:
            lines.append(f"{severity}s: {', '.join(f'{told[one]} {one}' for one in told)}")
    return lines


def open_words(report: Report) -> str:
    """Findings that somebody still holds open, in one line."""
    counts = {
        severity: sum(count for status, count in found.items() if status not in UNHELD)
        for severity, found in report.findings.items()
    }
    left = [f"{count} {name}{'' if count == 1 else 's'}" for name, count in counts.items() if count]
    return f"open concerns: {', '.join(left) or 'none'}"


def policy_words(report: Report) -> str:
    """The policy that the feature ran under; empty if no turn has recorded it."""
    return f"policy: {', then '.join(report.policies)}" if report.policies else ""


def effort_words(report: Report) -> str:
    """What other efforts would have cost; empty if none is known to differ."""
    now = dollars(report.spending.cost_usd)
    if all(dollars(one.cost_usd) == now for one in report.efforts):
        return ""
    others = " and ".join(f"{one.effort} about {dollars(one.cost_usd)}" for one in report.efforts)
    return (
        f"effort: {report.efforts[0].instead_of}; instead {others}"
        " (estimated by rounds, turns and prices)"
    )
