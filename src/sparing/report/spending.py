"""What a feature spent, by stage and role, beside what the naive way would have spent."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from decimal import Decimal

from rich.table import Table
from rich.text import Text

from sparing.usage import Usage


@dataclass(frozen=True, slots=True)
class SpendingRow:
    stage: str
    role: str
    dispatches: int
    resumed: int
    usage: Usage
    unknown: int
    """Turns whose end nobody saw: their cost is unknown, not zero."""
    cost_usd: Decimal | None
    naive_usage: Usage
    naive_usd: Decimal | None


@dataclass(frozen=True, slots=True)
class Spending:
    rows: tuple[SpendingRow, ...]
    origin: str
    """measured, simulated or estimated."""

    @property
    def usage(self) -> Usage:
        return sum((row.usage for row in self.rows), Usage())

    @property
    def naive_usage(self) -> Usage:
        return sum((row.naive_usage for row in self.rows), Usage())

    @property
    def cost_usd(self) -> Decimal | None:
        return _total([row.cost_usd for row in self.rows])

    @property
    def naive_usd(self) -> Decimal | None:
        return _total([row.naive_usd for row in self.rows])

    @property
    def sentence(self) -> str:
        spent, naive = self.cost_usd, self.naive_usd
        if spent is None or naive is None:
            return (
                f"spent {tokens(self.usage.total)} tokens against {tokens(self.naive_usage.total)}"
                f" the naive way ({self.origin}); the price of a model is unknown"
            )
        share = f", {round(100 * (1 - spent / naive))} % less" if naive > 0 else ""
        return (
            f"spent {dollars(spent)} against {dollars(naive)} the naive way ({self.origin}){share}"
        )


def tokens(count: int) -> str:
    if count < 10_000:
        return f"{count:,}"
    return f"{count / 1000:,.1f}k" if count < 1_000_000 else f"{count / 1_000_000:,.2f}M"


def dollars(amount: Decimal | None) -> str:
    return "unknown" if amount is None else f"${amount:.2f}" if amount >= 1 else f"${amount:.3f}"


def spending_table(spending: Spending) -> Table:
    """Fits a terminal of 80 columns."""
    usage = spending.usage
    table = Table(box=None, pad_edge=False, header_style="bold", show_footer=True)
    table.add_column("stage", footer=Text("all", "bold"), no_wrap=True)
    table.add_column("role", no_wrap=True)
    table.add_column("turns", justify="right", footer=_turns(spending.rows))
    table.add_column("input", justify="right", footer=tokens(usage.input))
    table.add_column("cached", justify="right", footer=_share(usage))
    table.add_column("cost", justify="right", footer=Text(dollars(spending.cost_usd), "bold"))
    table.add_column("naive", justify="right", style="dim", footer=dollars(spending.naive_usd))
    previous = ""
    for row in spending.rows:
        table.add_row(
            row.stage if row.stage != previous else "", row.role, _turns([row]),
            tokens(row.usage.input), _share(row.usage), dollars(row.cost_usd),
            dollars(row.naive_usd),
        )  # fmt: skip
        previous = row.stage
    return table


def _turns(rows: Sequence[SpendingRow]) -> str:
    """How many, and how many of them were resumed."""
    resumed = sum(row.resumed for row in rows)
    return f"{sum(row.dispatches for row in rows)}" + (f" ({resumed}r)" if resumed else "")


def _share(usage: Usage) -> str:
    return f"{100 * usage.read // usage.input} %" if usage.input else ""


def _total(costs: Sequence[Decimal | None]) -> Decimal | None:
    known = [cost for cost in costs if cost is not None]
    return sum(known, Decimal(0)) if len(known) == len(costs) else None
