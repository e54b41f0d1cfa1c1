"""What each vendor's agents cost, and what their reviewers found. Takes values, reads nothing."""

from __future__ import annotations

from typing import NamedTuple

from rich.console import RenderableType
from rich.table import Table
from rich.text import Text

from sparing.codec import JsonObject
from sparing.money import dollars, usd_or_none

NOTE = "each: cost per accepted blocker of this vendor's reviewers"


class VendorRow(NamedTuple):
    vendor: str
    """The agent's name if its model's vendor is unknown."""
    agents: tuple[str, ...]
    models: tuple[str, ...]
    turns: int
    unpriced: int
    """Turns whose cost is unknown, which is not zero."""
    nano_usd: int
    """Cost of the other turns."""
    looks: int = 0
    blockers: int = 0
    accepted: int = 0
    review_nano: int | None = None
    """What its reviews cost; None if the cost of one is unknown."""

    @property
    def cost(self) -> str:
        if self.unpriced == self.turns:
            return dollars(None)
        return f"{'≥' if self.unpriced else ''}{dollars(self.nano_usd)}"

    @property
    def each(self) -> int | None:
        if self.review_nano is None or not self.accepted:
            return None
        return self.review_nano // self.accepted

    @property
    def each_words(self) -> str:
        return dollars(self.each) if self.accepted else ""

    def dump(self) -> JsonObject:
        known = self.unpriced < self.turns
        return {
            "vendor": self.vendor,
            "agents": list(self.agents),
            "models": list(self.models),
            "turns": self.turns,
            "turns_of_unknown_cost": self.unpriced,
            "cost_usd": usd_or_none(self.nano_usd) if known else None,
            "looks": self.looks,
            "blockers": self.blockers,
            "accepted_blockers": self.accepted,
            "cost_of_looks_usd": usd_or_none(self.review_nano) if self.looks else None,
            "cost_per_accepted_blocker_usd": usd_or_none(self.each),
        }


def vendor_page(rows: tuple[VendorRow, ...], origin: str) -> list[RenderableType]:
    """Empty if all work was done by one vendor."""
    if len(rows) < 2:
        return []
    table = Table(box=None, pad_edge=False, header_style="dim")
    table.add_column("vendor", overflow="fold")
    for name in ("turns", "cost", "reviews", "blockers", "accepted", "each"):
        table.add_column(name, justify="right", no_wrap=True)
    for row in rows:
        found = (str(row.looks), str(row.blockers), str(row.accepted)) if row.looks else ("",) * 3
        table.add_row(Text(row.vendor), str(row.turns), row.cost, *found, row.each_words)
    return [Text("vendors", "bold"), table, Text(f"{NOTE} ({origin})", "dim"), Text("")]
