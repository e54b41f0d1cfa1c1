"""The same work repriced, in words: what is known about it, and what is assumed."""

from __future__ import annotations

from typing import NamedTuple

from rich.console import RenderableType
from rich.table import Table
from rich.text import Text

from sparing.codec import JsonObject
from sparing.percent import percent


class PricedWay(NamedTuple):
    name: str
    cost_usd: float
    origin: str
    tokens: int


class WhatIf(NamedTuple):
    """`ways`: the bill, the same work by the cache rules, and the alternative if requested."""

    ways: tuple[PricedWay, ...]
    turns: int
    left_out: int
    """Turns that can't be repriced: their end was not seen, or their calls are unknown."""
    known: tuple[str, ...]
    assumed: tuple[str, ...]

    def dump(self) -> JsonObject:
        ways = [one._asdict() for one in self.ways]
        return {**self._asdict(), "ways": ways}

    @property
    def change(self) -> float | None:
        """Change from the simulated run to the alternative, both simulated by the same rules."""
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
        share = percent(abs(found.change))
        change = f"{share} {words} than the same work by the cache rules (estimated)"
        parts += [Text(change, "bold"), Text("")]
    for title, lines in (("known", found.known), ("assumed", found.assumed)):
        parts.append(Text(title, "bold"))
        parts += [Text(f"  {line}") for line in lines]
    if found.left_out:
        left_out = "1 turn is" if found.left_out == 1 else f"{found.left_out} turns are"
        parts.append(Text(f"{left_out} left out of every figure: no end was recorded"))
    return parts
