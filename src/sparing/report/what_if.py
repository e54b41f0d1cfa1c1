"""The same work priced otherwise, in words: what is known of it, and what is assumed."""

from __future__ import annotations

from typing import NamedTuple

from rich.console import RenderableType
from rich.table import Table
from rich.text import Text

from sparing.codec import JsonObject


class PricedWay(NamedTuple):
    name: str
    cost_usd: float
    origin: str
    tokens: int


class WhatIf(NamedTuple):
    """`ways`: the bill, the same on paper, and the one that was asked for."""

    ways: tuple[PricedWay, ...]
    turns: int
    left_out: int
    """Turns that can't be priced otherwise: nobody saw their end, or their calls are not known."""
    known: tuple[str, ...]
    assumed: tuple[str, ...]

    def dump(self) -> JsonObject:
        ways = [one._asdict() for one in self.ways]
        return {**self._asdict(), "ways": ways}

    @property
    def change(self) -> float | None:
        """Of the last way against the same work on paper: both are simulated by the same rules."""
        before, after = self.ways[1].cost_usd, self.ways[-1].cost_usd
        return (after - before) / before if before else None


def what_if_page(found: WhatIf) -> list[RenderableType]:
    table = Table(box=None, pad_edge=False, header_style="dim")
    table.add_column("", overflow="fold")
    for name in ("tokens", "cost", "origin"):
        table.add_column(name, justify="right", no_wrap=True)
    for way in found.ways:
        table.add_row(way.name, f"{way.tokens:,}", f"${way.cost_usd:.3f}", way.origin)
    parts: list[RenderableType] = [table, Text("")]
    if len(found.ways) > 2 and found.change is not None:
        words = "less" if found.change < 0 else "more"
        change = f"{abs(found.change):.0%} {words} than the same work on paper (estimated)"
        parts += [Text(change, "bold"), Text("")]
    for title, lines in (("known", found.known), ("assumed", found.assumed)):
        parts.append(Text(title, "bold"))
        parts += [Text(f"  {line}") for line in lines]
    if found.left_out:
        parts.append(Text(f"{found.left_out} turns are in no figure: nobody saw how they ended"))
    return parts
