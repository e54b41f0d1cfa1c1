"""How a run ends: its bill, the baseline, why they differ, what could not be saved, and quality.

Takes values, reads nothing. Quality is shown beside every saving: being cheaper because reviewers
find less is no saving.
"""

from __future__ import annotations

from decimal import Decimal
from typing import NamedTuple

from sparing.codec import JsonObject
from sparing.report.savings_table import Economy, SavingRow
from sparing.report.spending import CHECKED, Spending, dollars

NAME_WIDTH, AMOUNT_WIDTH = 48, 8
MOST_REASONS = 3
UNEXPLAINED = "cache effects beyond the published rules"
LEFT_OUT = "turns that the comparison leaves out"
SAME = 0.005
"""Fraction of the baseline below which a difference is not listed as a reason."""
UNSEEN = "what reviewers missed is unknown; sparing eval measures it on planted defects"


class Quality(NamedTuple):
    """What the reviews were worth, from verdicts and bills."""

    looks: int
    accepted: int
    """Blockers that were fixed and not dismissed."""
    each_usd: float | None
    """Cost of the whole run per accepted blocker."""
    quotes: int
    """Findings that quote something."""
    verified: int
    """Those of them whose quote is where they point."""
    findings: int = 0

    @property
    def words(self) -> tuple[str, ...]:
        if not self.looks:
            return ("quality: nothing was reviewed",)
        if not (self.findings or self.quotes or self.accepted):
            return "quality: no findings", f"  {UNSEEN}"
        count = f"{self.accepted} blocker{'' if self.accepted == 1 else 's'} fixed"
        each = (
            "" if self.each_usd is None else f", {dollars(Decimal(self.each_usd))} spent for each"
        )
        quotes = f"{self.verified} of {self.quotes} quotes verified"
        said = quotes if self.quotes else "no finding quotes anything"
        return f"quality: {count}{each}; {said}", f"  {UNSEEN}"

    def dump(self) -> JsonObject:
        return {
            "looks": self.looks,
            "findings": self.findings,
            "accepted_blockers": self.accepted,
            "cost_per_accepted_blocker_usd": self.each_usd,
            "quotes": self.quotes,
            "quotes_that_verify": self.verified,
            "share_of_quotes_that_verify": self.verified / self.quotes if self.quotes else None,
            "planted_defects_found": None,
        }


def reasons(spent: Spending, economy: Economy) -> list[SavingRow]:
    """All reasons for the difference to the naive way, the largest first."""
    steps = [*economy.naive.steps, *_beside(spent, economy)]
    return sorted(steps, key=lambda step: -abs(step.saved))


def _beside(spent: Spending, economy: Economy) -> list[SavingRow]:
    """Differences that no lever explains."""
    found = [SavingRow("cache", UNEXPLAINED, -economy.unexplained, economy.origin)]
    if economy.in_money and spent.cost_usd is not None and spent.naive_usd is not None:
        naive = float(spent.naive_usd) - economy.naive.cost
        ours = float(spent.cost_usd) - economy.billed
        found.append(SavingRow("left out", LEFT_OUT, naive - ours, economy.origin))
    return [one for one in found if abs(one.saved) > SAME * economy.naive.cost]


def closing_lines(
    spent: Spending, economy: Economy | None, quality: Quality, whose: str = "this run"
) -> list[str]:
    """For a terminal of 80 columns."""
    lines = [_line(whose, spent.cost, f"{spent.origin}{spent.difference}")]
    lines.append(_line(spent.baseline.words, spent.naive, spent.naive_origin))
    if economy is not None and economy.turns:
        first, rest = _parted(reasons(spent, economy), economy)
        lines += [_reason(economy, step) for step in first]
        others = economy.amount(-sum(step.saved for step in rest), signed=True)
        if others != economy.amount(0):
            lines.append(_line("  all other reasons together", others, ""))
        bound = economy.amount(economy.bound)
        # Earlier runs may have left entries in the cache; the bound begins with none.
        cold = ", from a cold cache" if economy.bound > economy.billed * (1 + SAME) else ""
        lines.append(_line("lower bound for the work that was done", bound, f"simulated{cold}"))
    if spent.checked:
        lines.append(_line(CHECKED, spent.checked.cost, "not in any feature's bill"))
    return [*lines, *quality.words]


def _parted(steps: list[SavingRow], economy: Economy) -> tuple[list[SavingRow], list[SavingRow]]:
    """The largest, and all that cost money; the rest become one line, so that the lines add up."""
    nothing = economy.amount(0)
    dearer = [
        one
        for one in steps[MOST_REASONS:]
        if one.saved < 0 and economy.amount(one.saved, signed=True) != nothing
    ]
    first = [*steps[:MOST_REASONS], *dearer]
    return first, [one for one in steps if one not in first]


def _reason(economy: Economy, step: SavingRow) -> str:
    share = economy.share(-step.saved, economy.naive)
    return _line(f"  {step.words}", economy.amount(-step.saved, signed=True), share)


def _line(name: str, amount: str, note: str) -> str:
    return f"{name:<{NAME_WIDTH}} {amount:>{AMOUNT_WIDTH}}  {note}".rstrip()


def closing_json(spent: Spending, economy: Economy | None, quality: Quality) -> JsonObject:
    found = [] if economy is None else reasons(spent, economy)[:MOST_REASONS]
    told = [step._asdict() for step in found]
    bound = None if economy is None else economy.bound
    checked = spent.checked.cost_usd if spent.checked else None
    return {
        "cost_usd": None if spent.cost_usd is None else float(spent.cost_usd),
        "origin": spent.origin,
        "naive_usd": None if spent.naive_usd is None else float(spent.naive_usd),
        "naive_origin": spent.naive_origin,
        "baseline": spent.baseline.dump(),
        "client_check_usd": None if checked is None else float(checked),
        "largest_reasons": told,
        "could_not_be_saved": bound,
        "quality": quality.dump(),
    }
