"""What was spent, grouped in one of six ways, for terminals, spreadsheets and programs."""

from __future__ import annotations

import csv
import io
import re
from collections.abc import Sequence
from dataclasses import dataclass
from decimal import Decimal
from textwrap import wrap
from typing import NamedTuple

from rich.console import ConsoleOptions, RenderResult
from rich.measure import Measurement
from rich.table import Table
from rich.text import Text

from sparing.codec import JsonObject
from sparing.money import Amount, CapScope, dollars, to_usd, usd_or_none
from sparing.report.plain_words import session_words
from sparing.report.spending import cached_share, tokens
from sparing.usage import Usage


@dataclass(frozen=True, slots=True)
class CostRow:
    name: str
    turns: int
    unknown: int
    """Turns whose end was not seen, or that have not ended yet."""
    unpriced: int
    """Turns whose tokens are known and whose model has no price."""
    usage: Usage
    nano_usd: int
    """Cost of the turns for which it is known."""
    seconds: float
    origin: str
    """measured, simulated, estimated, or several of them."""
    equivalent: bool
    """True if some was paid by a subscription: then priced as if paid by the token."""

    @property
    def missing(self) -> int:
        return self.unknown + self.unpriced

    @property
    def cost_usd(self) -> Decimal | None:
        """None if no turn's cost is known."""
        return None if self.turns and self.missing == self.turns else to_usd(self.nano_usd)

    @property
    def cost(self) -> str:
        """Formatted cost, with `≥` if the cost of a turn is missing from it."""
        if self.cost_usd is None:
            return "unknown"
        return ("≥" if self.missing else "") + dollars(self.nano_usd)

    def dump(self) -> JsonObject:
        usage = self.usage
        cost = self.cost_usd
        return {
            "turns": self.turns,
            "uncached": usage.uncached,
            "read": usage.read,
            "write_5m": usage.write_5m,
            "write_1h": usage.write_1h,
            "output": usage.output,
            "cost_usd": None if cost is None else float(cost),
            "unknown_turns": self.unknown,
            "unpriced_turns": self.unpriced,
            "seconds": round(self.seconds, 3),
            "origin": self.origin,
            "api_equivalent": self.equivalent,
        }


@dataclass(frozen=True, slots=True)
class CapRow:
    """How far a cap is used up; reservations of turns under way count."""

    scope: CapScope
    name: str
    spent: Amount
    limit: Amount

    @property
    def words(self) -> str:
        name = f"{self.scope} {self.name}".strip()
        return (
            f"{name}: {dollars(self.spent.nano_usd)} of {dollars(self.limit.nano_usd)},"
            f" {tokens(self.spent.tokens)} of {tokens(self.limit.tokens)} tokens"
        )

    def dump(self) -> JsonObject:
        return {
            "scope": self.scope.value,
            "name": self.name,
            "spent_usd": usd_or_none(self.spent.nano_usd),
            "limit_usd": usd_or_none(self.limit.nano_usd),
            "spent_tokens": self.spent.tokens,
            "limit_tokens": self.limit.tokens,
        }


@dataclass(frozen=True, slots=True)
class Costs:
    by: str
    rows: tuple[CostRow, ...]
    total: CostRow
    caps: tuple[CapRow, ...] = ()

    @property
    def notes(self) -> tuple[str, ...]:
        """What a reader must know about the figures."""
        total = self.total
        notes = [total.origin or "nothing spent yet"]
        if total.equivalent:
            notes.append("API-equivalent: paid by a subscription, priced as if by the token")
        if total.unknown:
            notes.append(f"{_turns(total.unknown)} cut off: what that cost is unknown")
        if total.unpriced:
            notes.append(f"{_turns(total.unpriced)} of models without a price: set models.prices")
        return tuple(notes)


class _Name(NamedTuple):
    """A slug that is broken at its dashes if it is too long for its column."""

    words: str

    def __rich_measure__(self, console: object, options: ConsoleOptions) -> Measurement:
        parts = re.split(r"(?<=-)", self.words)
        return Measurement(max(map(len, parts)), len(self.words))

    def __rich_console__(self, console: object, options: ConsoleOptions) -> RenderResult:
        yield Text("\n".join(wrap(self.words, options.max_width)))


def cost_table(costs: Costs) -> Table:
    total = costs.total
    table = Table(box=None, pad_edge=False, header_style="bold", show_footer=bool(costs.rows))
    table.add_column("sent in a" if costs.by == "way" else costs.by, footer=Text("all", "bold"))
    table.add_column("turns", justify="right", footer=str(total.turns), no_wrap=True)
    table.add_column("input", justify="right", footer=tokens(total.usage.input), no_wrap=True)
    table.add_column("cached", justify="right", footer=cached_share(total.usage), no_wrap=True)
    table.add_column("output", justify="right", footer=tokens(total.usage.output), no_wrap=True)
    table.add_column("cost", justify="right", footer=Text(total.cost, "bold"), no_wrap=True)
    for row in costs.rows:
        table.add_row(
            _Name(session_words(row.name)), str(row.turns), tokens(row.usage.input),
            cached_share(row.usage), tokens(row.usage.output), row.cost,
        )  # fmt: skip
    return table


def cost_csv(costs: Costs) -> str:
    """A line for each row, with a header; unknown cost is an empty field."""
    text = io.StringIO()
    fields = [costs.by, *costs.total.dump()]
    writer = csv.DictWriter(text, fields, lineterminator="\n")
    writer.writeheader()
    writer.writerows({costs.by: _plain(row.name), **row.dump()} for row in costs.rows)
    return text.getvalue()


def _plain(name: str) -> str:
    """Prefix a name that a spreadsheet would run as a formula with a quote."""
    return f"'{name}" if name[:1] in ("=", "+", "-", "@") else name


def _turns(count: int) -> str:
    return f"{count} turn{'s' if count != 1 else ''}"


def sum_rows(name: str, rows: Sequence[CostRow]) -> CostRow:
    origins = sorted({word for row in rows for word in row.origin.split(" and ") if word})
    return CostRow(
        name=name,
        turns=sum(row.turns for row in rows),
        unknown=sum(row.unknown for row in rows),
        unpriced=sum(row.unpriced for row in rows),
        usage=sum((row.usage for row in rows), Usage()),
        nano_usd=sum(row.nano_usd for row in rows),
        seconds=sum(row.seconds for row in rows),
        origin=" and ".join(origins),
        equivalent=any(row.equivalent for row in rows),
    )
