"""What a feature spent, by stage and role, and what the naive way would have spent."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from decimal import Decimal

from rich.table import Table
from rich.text import Text

from sparing.panel import short_name
from sparing.report.baseline import NaiveBaseline, one_baseline
from sparing.usage import Usage

STAGE_WIDTH = 13
ROLE_WIDTH = 23
"""Width of the longest names that ship."""
RESUMED_NOTE = "r: turns that resumed a session"
CHECKED = "one-time check of this client"


@dataclass(frozen=True, slots=True)
class SpendingRow:
    stage: str
    role: str
    dispatches: int
    resumed: int
    usage: Usage
    unknown: int
    """Turns whose end was not seen: their cost is unknown, not zero."""
    cost_usd: Decimal | None
    """Cost of the turns whose end was seen; None if a price is unknown."""
    naive_usage: Usage
    naive_usd: Decimal | None

    @property
    def cost(self) -> str:
        return _cost(self.cost_usd, self.dispatches, self.unknown)


@dataclass(frozen=True, slots=True)
class Spending:
    rows: tuple[SpendingRow, ...]
    origin: str
    """measured, simulated or estimated."""
    baseline: NaiveBaseline = NaiveBaseline()
    """What `naive` means here."""
    checked: SpendingRow | None = None
    """The check of the client, made once for all features: not part of any figure above."""
    guessed: bool = False
    """True if the naive way would have made other calls than the turns did."""

    @property
    def naive_origin(self) -> str:
        """The naive way is replayed from sizes: it is an estimate if the bill was measured, or
        if it would have made other calls."""
        return "simulated" if self.origin == "simulated" and not self.guessed else "estimated"

    @property
    def usage(self) -> Usage:
        return sum((row.usage for row in self.rows), Usage())

    @property
    def naive_usage(self) -> Usage:
        return sum((row.naive_usage for row in self.rows), Usage())

    @property
    def cost_usd(self) -> Decimal | None:
        return total([row.cost_usd for row in self.rows])

    @property
    def naive_usd(self) -> Decimal | None:
        return total([row.naive_usd for row in self.rows])

    @property
    def turns(self) -> int:
        return sum(row.dispatches for row in self.rows)

    @property
    def unknown(self) -> int:
        return sum(row.unknown for row in self.rows)

    @property
    def cost(self) -> str:
        return _cost(self.cost_usd, self.turns, self.unknown)

    @property
    def sentence(self) -> str:
        spent, naive = self.cost_usd, self.naive_usd
        if spent is None or naive is None:
            return (
                f"spent {tokens(self.usage.total)} tokens against {tokens(self.naive_usage.total)}"
                f" for {self.baseline.name} ({self.naive_origin}); the price of a model is unknown"
                f"{self._rest}"
            )
        return (
            f"spent {dollars(spent)} against {self.naive} for {self.baseline.name}"
            f" ({self.naive_origin}){self.difference}{self._rest}"
        )

    @property
    def difference(self) -> str:
        """`, 12 % less`, `, about the same`; empty if a cost is unknown."""
        spent, naive = self.cost_usd, self.naive_usd
        if spent is None or naive is None:
            return ""
        return _difference(spent, naive, at_least=self.baseline.at_least)

    @property
    def naive(self) -> str:
        """What the naive way would have cost; with `≥` if part of it is unknown."""
        least = "≥" if self.baseline.at_least and self.naive_usd is not None else ""
        return f"{least}{dollars(self.naive_usd)}"

    @property
    def _rest(self) -> str:
        checked = f"; {CHECKED}: {self.checked.cost}" if self.checked else ""
        if not self.unknown:
            return checked
        ends = "1 turn was" if self.unknown == 1 else f"{self.unknown} turns were"
        return f"; {ends} cut off, and what that cost is unknown{checked}"


def tokens(count: int) -> str:
    if count < 10_000:
        return f"{count:,}"
    return f"{count / 1000:,.1f}k" if count < 1_000_000 else f"{count / 1_000_000:,.2f}M"


def dollars(amount: Decimal | None) -> str:
    if amount is None:
        return "unknown"
    if amount >= 100:
        return f"${amount:,.0f}"
    return f"${amount:.2f}" if amount >= 1 else f"${amount:.3f}"


def spending_table(spending: Spending) -> Table:
    """Fits a terminal of 80 columns; long text is wrapped, nothing is cut off."""
    usage = spending.usage
    resumed = any(row.resumed for row in spending.rows)
    table = Table(
        box=None, pad_edge=False, header_style="bold", show_footer=True,
        caption=RESUMED_NOTE if resumed else None, caption_justify="left", caption_style="dim",
    )  # fmt: skip
    table.add_column("stage", footer=Text("all", "bold"), no_wrap=True)
    table.add_column("role", no_wrap=True)
    table.add_column("turns", justify="right", footer=_turns(spending.rows), overflow="fold")
    table.add_column("input", justify="right", footer=tokens(usage.input), no_wrap=True)
    table.add_column("cached", justify="right", footer=cached_share(usage), no_wrap=True)
    table.add_column("cost", justify="right", footer=Text(spending.cost, "bold"), no_wrap=True)
    table.add_column("naive", justify="right", style="dim", footer=spending.naive, no_wrap=True)
    previous = ""
    for row in spending.rows:
        stage = row.stage if row.stage != previous else ""
        table.add_row(
            _folded(stage, STAGE_WIDTH), _folded(short_name(row.role), ROLE_WIDTH), _turns([row]),
            tokens(row.usage.input), cached_share(row.usage), row.cost, dollars(row.naive_usd),
        )  # fmt: skip
        previous = row.stage
    return table


def _cost(known: Decimal | None, turns: int, unknown: int) -> str:
    """Formatted cost, with `≥` if a turn's cost is missing from it."""
    if known is None or (unknown and unknown == turns):
        return "unknown"
    return f"≥{dollars(known)}" if unknown else dollars(known)


def _difference(spent: Decimal, naive: Decimal, *, at_least: bool) -> str:
    if naive <= 0:
        return ""
    percent = round(100 * (1 - spent / naive))
    if not percent:
        return ", about the same"
    bound = ("at least " if percent > 0 else "at most ") if at_least else ""
    return f", {bound}{abs(percent)} % {'less' if percent > 0 else 'more'}"


def _folded(text: str, width: int) -> Text:
    return Text("\n".join(text[at : at + width] for at in range(0, len(text), width)))


def _turns(rows: Sequence[SpendingRow]) -> str:
    """The number of turns, and how many of them were resumed."""
    resumed = sum(row.resumed for row in rows)
    return f"{sum(row.dispatches for row in rows)}" + (f" ({resumed}r)" if resumed else "")


def total(costs: Sequence[Decimal | None]) -> Decimal | None:
    """The sum; None if any cost is unknown."""
    known = [cost for cost in costs if cost is not None]
    return sum(known, Decimal(0)) if len(known) == len(costs) else None


def merged(many: Sequence[Spending]) -> Spending:
    """Several features as one: rows of the same stage and role are added up."""
    groups: dict[tuple[str, str], list[SpendingRow]] = {}
    for row in (row for one in many for row in one.rows):
        groups.setdefault((row.stage, row.role), []).append(row)
    words = {word for one in many if one.rows for word in one.origin.split(" and ")}
    rows = tuple(_sum(stage, role, rows) for (stage, role), rows in groups.items())
    baseline = one_baseline(one.baseline for one in many)
    checks = [one.checked for one in many if one.checked]
    checked = _sum(checks[0].stage, checks[0].role, checks) if checks else None
    origin = " and ".join(sorted(words)) or "nothing spent"
    return Spending(rows, origin, baseline, checked, any(one.guessed for one in many))


def _sum(stage: str, role: str, rows: Sequence[SpendingRow]) -> SpendingRow:
    return SpendingRow(
        stage=stage,
        role=role,
        dispatches=sum(row.dispatches for row in rows),
        resumed=sum(row.resumed for row in rows),
        usage=sum((row.usage for row in rows), Usage()),
        unknown=sum(row.unknown for row in rows),
        cost_usd=total([row.cost_usd for row in rows]),
        naive_usage=sum((row.naive_usage for row in rows), Usage()),
        naive_usd=total([row.naive_usd for row in rows]),
    )


def cached_share(usage: Usage) -> str:
    return f"{100 * usage.read // usage.input} %" if usage.input else ""
