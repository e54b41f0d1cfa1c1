"""How a run ends: its bill, the baseline, why they differ, what could not be saved, and quality.

Takes values, reads nothing. Quality stands beside every saving: what is cheaper because reviewers
find less is none.
"""

from __future__ import annotations

from typing import NamedTuple

from sparing.codec import JsonObject
from sparing.report.savings_table import Economy, SavingRow
from sparing.report.spending import CHECKED, Spending
from sparing.usage import Origin

NAME_WIDTH, AMOUNT_WIDTH = 48, 8
MOST_REASONS = 3
UNEXPLAINED = "cache effects beyond the published rules"
LEFT_OUT = "turns that were not replayed"
SAME = 0.005
"""Of the baseline: less is no reason."""
PLANTED = "planted defects found: not measured here; sparing eval measures it"


class Quality(NamedTuple):
    """What the reviews were worth, from verdicts and bills."""

    looks: int
    accepted: int
    """Blockers that were settled, and dismissed by nobody."""
    each_usd: float | None
    """What the whole run cost for each of them."""
    quotes: int
    """Findings that quote something."""
    verified: int
    """Of these: what they quote stands where they point."""

    @property
    def words(self) -> tuple[str, ...]:
        if not self.looks:
            return ("quality: nothing was reviewed",)
        count = f"{self.accepted} blocker{'' if self.accepted == 1 else 's'} accepted"
        each = "" if self.each_usd is None else f", ${self.each_usd:.3f} of this run for each"
        quotes = f"{self.verified} of {self.quotes} quotes verify"
        said = quotes if self.quotes else "no finding quotes anything"
        return f"quality: {count}{each}; {said}", f"  {PLANTED}"

    def dump(self) -> JsonObject:
        return {
            "looks": self.looks,
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
    """What no lever explains."""
    found = [SavingRow("cache", UNEXPLAINED, -economy.unexplained, economy.origin)]
    if economy.in_money and spent.cost_usd is not None and spent.naive_usd is not None:
        naive = float(spent.naive_usd) - economy.naive.cost
        ours = float(spent.cost_usd) - economy.billed
        found.append(SavingRow("left out", LEFT_OUT, naive - ours, economy.origin))
    return [one for one in found if abs(one.saved) > SAME * economy.naive.cost]


def closing_lines(spent: Spending, economy: Economy | None, quality: Quality) -> list[str]:
    """For a terminal of 80 columns."""
    lines = [_line("this run", spent.cost, f"{spent.origin}{spent.difference}")]
    lines.append(_line(spent.baseline.words, spent.naive, _naive_origin(spent, economy)))
    if economy is not None and economy.turns:
        first, rest = _parted(reasons(spent, economy))
        lines += [_reason(economy, step) for step in first]
        others = sum(step.saved for step in rest)
        if abs(others) > SAME * economy.naive.cost:
            amount = economy.amount(-others, signed=True)
            lines.append(_line("  all other reasons together", amount, ""))
        bound = economy.amount(economy.bound)
        lines.append(_line("lower bound for the work that was done", bound, "simulated"))
    if spent.checked:
        lines.append(_line(CHECKED, spent.checked.cost, "not in any feature's bill"))
    return [*lines, *quality.words]


def _naive_origin(spent: Spending, economy: Economy | None) -> str:
    """Where the naive way would have made other calls than the run, they are an estimate."""
    guessed = economy is not None and economy.naive.origin == Origin.ESTIMATED
    return Origin.ESTIMATED.value if guessed else spent.naive_origin


def _parted(steps: list[SavingRow]) -> tuple[list[SavingRow], list[SavingRow]]:
    return steps[:MOST_REASONS], steps[MOST_REASONS:]


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
        "naive_origin": _naive_origin(spent, economy),
        "baseline": spent.baseline.dump(),
        "client_check_usd": None if checked is None else float(checked),
        "largest_reasons": told,
        "could_not_be_saved": bound,
        "quality": quality.dump(),
    }
