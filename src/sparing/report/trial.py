"""How many planted defects reviewers found, in three prompt orders, and what that cost."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from rich.console import Group, RenderableType
from rich.table import Table
from rich.text import Text

from sparing.codec import JsonObject
from sparing.money import dollars, usd_or_none

ARMS = {
    "seed": "the original order, documents by path",
    "nested": "shared documents first, all inline",
    "resume": "the clean version first, then only what changed",
}


class TrialRow(NamedTuple):
    """One prompt order, over all its reviews."""

    arm: str
    looks: int
    failed: int
    """Reviews without a verdict: their defects count as missed."""
    planted: int
    found: int
    alarms: int
    """Blockers and warnings that match no planted defect."""
    nano_usd: int | None
    origin: str
    by_kind: dict[str, tuple[int, int]]
    """Defects found and planted, by the kind of document they were planted in."""
    missed: tuple[str, ...]

    @property
    def recall(self) -> str:
        share = f", {100 * self.found / self.planted:.0f} %" if self.planted else ""
        return f"{self.found} of {self.planted}{share}"

    @property
    def each(self) -> int | None:
        return None if self.nano_usd is None or not self.found else self.nano_usd // self.found

    def dump(self) -> JsonObject:
        return {
            "order": self.arm,
            "looks": self.looks,
            "looks_without_a_verdict": self.failed,
            "planted": self.planted,
            "found": self.found,
            "recall": self.found / self.planted if self.planted else None,
            "false_alarms": self.alarms,
            "cost_usd": usd_or_none(self.nano_usd),
            "origin": self.origin,
            "by_kind": {kind: {"found": f, "planted": p} for kind, (f, p) in self.by_kind.items()},
            "missed": list(self.missed),
        }


def trial_page(rows: Sequence[TrialRow], asked: int, done: int) -> RenderableType:
    parts: list[RenderableType] = [_table(rows), Text("")]
    kinds = list(dict.fromkeys(kind for row in rows for kind in row.by_kind))
    if kinds:
        parts += [_kinds(rows, kinds), Text("")]
    for row in rows:
        parts += [Text(f"{row.arm}: {ARMS[row.arm]}", "dim")]
        if row.missed:
            parts.append(Text(f"  missed: {', '.join(row.missed)}", "dim"))
    parts.append(
        Text("false alarms: blockers and warnings that meet no planted defect; each: for one found")
    )
    if done < asked:
        parts.append(Text(f"ended early: {done} of {asked} reviews were made", "yellow"))
    return Group(*parts)


def _table(rows: Sequence[TrialRow]) -> Table:
    table = Table(box=None, pad_edge=False, header_style="bold")
    table.add_column("order")
    for name in ("reviews", "defects found", "false alarms", "cost", "each"):
        table.add_column(name, justify="right", no_wrap=True)
    table.add_column("cost is")
    for row in rows:
        looks = f"{row.looks} ({row.failed} failed)" if row.failed else str(row.looks)
        each = dollars(row.each) if row.found else ""
        cost = dollars(row.nano_usd)
        table.add_row(row.arm, looks, row.recall, str(row.alarms), cost, each, row.origin)
    return table


def _kinds(rows: Sequence[TrialRow], kinds: Sequence[str]) -> Table:
    table = Table(box=None, pad_edge=False, header_style="dim")
    table.add_column("found in")
    for kind in kinds:
        table.add_column(kind, justify="right", no_wrap=True)
    for row in rows:
        cells = (row.by_kind.get(kind, (0, 0)) for kind in kinds)
        table.add_row(row.arm, *(f"{found} of {planted}" for found, planted in cells))
    return table
